# SPDX-License-Identifier: MIT
"""One module per command: `add(commands)` declares its arguments and sets `run`, which gives the exit status.

Modules import what only their command needs inside `run`: a compiler is started often.
"""
