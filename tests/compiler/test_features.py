"""Language features: the intermediate form of features/NAME.hsm must be features/NAME.ir.

After an intended change: HSMC_REFRESH=1 pytest tests/compiler, then read the difference.
"""

import os
from pathlib import Path

import pytest

from hsmc.compiler import Compilation
from hsmc.dump import dump
from hsmc.report import render

HERE = Path(__file__).resolve().parent
CASES = sorted((HERE / "features").glob("*.hsm"))


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_feature(path: Path) -> None:
    compilation = Compilation(path)
    assert [render(d) for d in compilation.diagnostics()] == []
    base = compilation.protocol(None)
    assert base is not None
    text = dump(base)
    for check in base.checks:
        configured = compilation.protocol(check.name)
        assert configured is not None
        text += "\n" + dump(configured)
    golden = path.with_suffix(".ir")
    if os.environ.get("HSMC_REFRESH"):
        golden.write_text(text)
    assert text == golden.read_text()
