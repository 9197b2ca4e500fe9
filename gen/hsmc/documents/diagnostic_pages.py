# SPDX-License-Identifier: MIT
"""The pages docs/diagnostics/HSM0123.md: what a diagnostic means, a small example, how to mend it.

A page holds one spec that earns the diagnostic, in a fence ```hsm wrong```, and the same spec mended, in a fence ```hsm
mended```; both are whole specs, which the tests compile. Files they include stand in fences ```hsm file NAME```.
"""

from __future__ import annotations

import re
import tempfile
from dataclasses import dataclass
from pathlib import Path

from ..backends import backend_promela, backend_world, model_size
from ..compilation.compiler import Compilation
from ..diagnostics import TABLE
from ..report import render

DIRECTORY = Path(__file__).resolve().parents[3] / "docs/diagnostics"
FENCE = re.compile(
    r"^```hsm (wrong|mended|file \S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL
)


@dataclass(frozen=True)
class Page:
    code: str
    text: str  # Markdown

    @property
    def blocks(self) -> dict[str, str]:
        """By the words of the fence: "wrong", "mended", "file sizes.hsm"."""
        return {match[1]: match[2] for match in FENCE.finditer(self.text)}

    def compiled(self, block: str) -> Compilation:
        """One of the two specs, with the files it includes beside it."""
        blocks = self.blocks
        with tempfile.TemporaryDirectory() as directory:
            for words, text in blocks.items():
                if words.startswith("file "):
                    Path(directory, words.removeprefix("file ")).write_text(text)
            # A name that is the same wherever the page is built: messages show it.
            path = Path(directory, "example.hsm")
            path.write_text(blocks[block])
            compilation = Compilation(path)
            if not compilation.diagnostics() and self.of_models:
                examine_models(compilation)
            return compilation

    @property
    def of_models(self) -> bool:
        return TABLE[self.code].by == "hsmc verify"

    def messages(self) -> str:
        """What the compiler says of the wrong spec."""
        compilation = self.compiled("wrong")
        directory = f"{compilation.path.parent}/"
        found = "\n".join(render(d) for d in compilation.report.diagnostics)
        return found.replace(directory, "")

    def with_messages(self) -> str:
        """The page with the compiler's answer below the wrong spec."""
        wrong = re.search(
            r"^```hsm wrong\n.*?^```$\n", self.text, re.MULTILINE | re.DOTALL
        )
        assert wrong is not None
        answer = f"\n`{TABLE[self.code].by}` says:\n\n```text\n{self.messages()}\n```\n"
        return self.text[: wrong.end()] + answer + self.text[wrong.end() :]


def examine_models(compilation: Compilation) -> None:
    """Reports what of its checks SPIN has no room for, as `hsmc verify` does."""
    protocol = compilation.protocol(None)
    for check in protocol.checks if protocol is not None else ():
        checked = compilation.protocol(check.name)
        assert checked is not None
        texts = {
            **backend_promela.generate(checked),
            **backend_world.generate(checked, False),
        }
        if found := model_size.too_large(checked, texts):
            sources = compilation.spec.sources
            said = model_size.diagnostic(sources, check.name, found)
            compilation.report.add(said.code, said.span, said.message)


def page(code: str) -> Page:
    """Raises OSError where there is none, which the tests exclude."""
    return Page(code, (DIRECTORY / f"{code}.md").read_text(encoding="utf-8"))
