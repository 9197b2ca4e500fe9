# SPDX-License-Identifier: MIT
"""What to do where a Python package is not installed. Imports nothing that could be missing."""

from __future__ import annotations

import sys
from typing import Optional

# By the name it is imported by. `make setup` installs them all.
DEBIAN_PACKAGES = {
    "jinja2": "python3-jinja2",
    "lark": "python3-lark",
    "markdown": "python3-markdown",
    "markupsafe": "python3-markupsafe",
    "pylsp_jsonrpc": "python3-pylsp-jsonrpc",
}


def missing_package(error: ModuleNotFoundError) -> Optional[str]:
    """The message; None where it is no package of others that is missing."""
    name = (error.name or "").partition(".")[0]
    if name in ("", "hsmc"):
        return None
    version = ".".join(map(str, sys.version_info[:3]))
    package = DEBIAN_PACKAGES.get(name)
    debian = f" (Debian package {package})" if package is not None else ""
    return (
        f"the Python package '{name}'{debian} is missing from Python {version} at {sys.executable}: "
        "'make setup' installs what this repository needs, for /usr/bin/python3"
    )
