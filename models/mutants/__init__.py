# SPDX-License-Identifier: MIT
"""Mutants of concurrency: what is proved of two processors, with one thing broken."""
