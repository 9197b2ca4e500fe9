# SPDX-License-Identifier: MIT
"""Tests that `make test` leaves to `make test-long`, so that it stays under ten minutes."""

from typing import Any, Iterable, Sequence

import pytest

long = pytest.mark.long


def one_in(number: int, items: Iterable[Any]) -> Sequence[Any]:
    """Parameters of a test, or tuples of them: the first of each `number` in `make test`, all in `make test-long`."""
    return [
        item if place % number == 0 else pytest.param(*several(item), marks=long)
        for place, item in enumerate(items)
    ]


def several(item: Any) -> tuple[Any, ...]:
    return item if isinstance(item, tuple) else (item,)
