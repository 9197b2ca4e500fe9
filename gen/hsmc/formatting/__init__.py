# SPDX-License-Identifier: MIT
"""The canonical layout of a spec."""
