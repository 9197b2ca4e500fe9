# SPDX-License-Identifier: MIT
"""What knows make, images and boards: trails of the model checker on the firmware."""
