# SPDX-License-Identifier: MIT
"""From text to the intermediate form: parser, names, types, machines, flattening."""
