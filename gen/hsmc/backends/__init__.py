# SPDX-License-Identifier: MIT
"""What is printed from the intermediate form: C, Promela, JavaScript, Lua, SCXML, JSON."""
