# SPDX-License-Identifier: MIT
"""Files of reasons that people write: a TOML list of tables whose values are texts."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Iterator, Sequence

from ..failure import Failure
from ..files import read_text


def entries(
    path: Path, name: str, *choices: Sequence[str]
) -> Iterator[tuple[str, dict[str, str]]]:
    """Of each table of the list `name`, where it stands and its values, which have exactly the keys of one of `choices`."""
    try:
        table = tomllib.loads(read_text(path))
    except tomllib.TOMLDecodeError as error:
        raise Failure(f"{path}: {error}") from None
    found = table.pop(name, [])
    if table or not isinstance(found, list):
        raise Failure(
            f"{path}: expected [[{name}]] and nothing else, found {', '.join(table)}"
        )
    wanted = ", or ".join(f"{', '.join(keys[:-1])} and {keys[-1]}" for keys in choices)
    for number, values in enumerate(found, start=1):
        where = f"{path}: {name} {number}"
        if not isinstance(values, dict) or set(values) not in [
            set(keys) for keys in choices
        ]:
            raise Failure(f"{where} has not exactly the keys {wanted}")
        if not all(isinstance(text, str) and text.strip() for text in values.values()):
            raise Failure(f"{where}: {' and '.join(values)} are texts, none empty")
        yield where, {key: " ".join(text.split()) for key, text in values.items()}
