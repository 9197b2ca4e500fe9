# SPDX-License-Identifier: MIT
"""What text editors need: highlighting generated from the grammar, and a language server."""
