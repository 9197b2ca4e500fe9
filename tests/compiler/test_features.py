# SPDX-License-Identifier: MIT
"""Language features: the intermediate form of features/NAME.hsm must be features/NAME.ir, with all profiles and checks.

After an intended change: HSMC_REFRESH=1 pytest tests/compiler, then read the difference.
"""

import os
from pathlib import Path

import pytest

from hsmc.compilation.compiler import Compilation, diagnose
from hsmc.dump import dump
from hsmc.report import render

HERE = Path(__file__).resolve().parent
CASES = sorted((HERE / "features").glob("*.hsm"))


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_feature(path: Path) -> None:
    assert [render(d) for d in diagnose(path)] == []
    declared = Compilation(path).spec.profiles
    profiles: list[str | None] = [p.name.text for p in declared]
    texts: list[str] = []
    for profile in profiles or [None]:
        compilation = Compilation(path, profile=profile)
        base = compilation.protocol(None)
        assert base is not None
        texts.append(dump(base))
        for check in base.checks:
            configured = compilation.protocol(check.name)
            assert configured is not None
            texts.append(dump(configured))
    text = "\n".join(texts)
    golden = path.with_suffix(".ir")
    if os.environ.get("HSMC_REFRESH"):
        golden.write_text(text)
    assert text == golden.read_text()
