# SPDX-License-Identifier: MIT
"""Traces of board runs against the spec."""
