# SPDX-License-Identifier: MIT
"""Proofs about C functions, for all their inputs: clang's intermediate code, executed symbolically, decided by Z3."""
