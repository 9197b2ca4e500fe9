# SPDX-License-Identifier: MIT
"""A spec compiled as a whole: what frontend and analysis do, in order, for each profile and check."""
