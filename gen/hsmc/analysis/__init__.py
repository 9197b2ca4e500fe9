# SPDX-License-Identifier: MIT
"""What the compiler refuses or doubts beyond names and types."""
