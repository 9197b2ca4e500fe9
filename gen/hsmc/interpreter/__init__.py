# SPDX-License-Identifier: MIT
"""The reference interpreter and its terminal."""
