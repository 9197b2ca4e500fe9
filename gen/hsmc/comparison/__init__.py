# SPDX-License-Identifier: MIT
"""Two versions of a spec compared."""
