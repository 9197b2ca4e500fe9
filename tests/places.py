# SPDX-License-Identifier: MIT
"""Whether a text tells a directory of this machine, as nothing that is generated may."""

import re
from pathlib import Path


def tells_place(text: str, place: Path) -> bool:
    """The directory or something in it, as a whole path: with the sources in `/p`, neither `</p>` nor `a/port.h`."""
    path = re.escape(str(place))
    return (
        re.search(rf"((?<![\w.<-])|(?<=-[IL])){path}(?![\w-]|\.\w)", text) is not None
    )
