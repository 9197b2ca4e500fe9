# SPDX-License-Identifier: MIT
"""Random and generated tests: searching, comparing with the C, coverage."""
