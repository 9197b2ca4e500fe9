# SPDX-License-Identifier: MIT
"""hsmc refuses steps that are too large for SPIN before SPIN runs, or says what SPIN says in words of its own. A list
without searches is no success."""

from __future__ import annotations

from pathlib import Path

import pytest

from hsmc.backends import model_size
from hsmc.report import SpecError
from hsmc.verification.search import write_model
from hsmc.verification.subject import Subject
from tests.long_tests import long
from tests.verification.test_verification import ABP, TOP, hsmc, inside

LARGE = Path(__file__).parent / "large"
SPECS = sorted(LARGE.glob("*.hsm"))


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.stem)
def test_a_step_too_large_for_spin_has_a_number(spec: Path, tmp_path: Path) -> None:
    """The path has no spin, so only hsmc can have said it."""
    subject = Subject(spec, tmp_path)
    (check,) = subject.protocol.checks
    with pytest.raises(SpecError) as raised:
        subject.need_room(check.name, "safety")
    (found,) = raised.value.diagnostics
    assert found.code == "HSM0616"
    assert "'--engine c' searches the generated C" in found.message
    event = next(e for p in subject.protocol.processes for e in p.events)
    assert found.span.line == event.place.line


def test_verify_refuses_it_and_searches_the_generated_c(tmp_path: Path) -> None:
    spec = str(LARGE / "raises_wide44.hsm")
    refused = hsmc(tmp_path, "verify", spec, "--kind", "safety")
    assert (
        refused.returncode == 1 and "error HSM0616: in check 'main'" in refused.stderr
    )
    assert "'A0.go' is 2304 statements, more than the 2048" in refused.stderr
    alone = hsmc(tmp_path, "verify", spec, "--kind", "safety", "--engine", "c")
    assert "1 search, 1 exhaustive without a violation" in alone.stdout


def chain(length: int) -> str:
    """Each of these processes raises the event of the next one."""
    processes = [
        f"process P{n}\n  {'' if n else 'external '}event e()\n  variable v{n}: u8\n  state S initial\n"
        f"    on e / v{n} := v{n} ^ 1{f'; raise P{n + 1}.e()' if n + 1 < length else ''}\n"
        for n in range(length)
    ]
    world = "world w\n  nodes only\n  host P0.e() at only\n\ncheck c in w\n  world nightly = 0\n"
    return "\n".join(["protocol chain\n", *processes, world])


@pytest.mark.parametrize("length, taken", [(15, True), (16, False)])
def test_the_depth_is_that_of_spin(length: int, taken: bool, tmp_path: Path) -> None:
    """SPIN takes the longest chain that passes, and refuses the next, in words of ours where they were not foreseen."""
    spec = tmp_path / "chain.hsm"
    spec.write_text(chain(length))
    subject = Subject(spec, tmp_path / "build")
    search = subject.search("c", "promela", "safety")
    if taken:
        write_model(search, subject, search.directory, [])
        assert (search.directory / "pan.c").exists()
        return
    with pytest.raises(SpecError, match="nested 17 deep, more than the 16 of SPIN"):
        write_model(search, subject, search.directory, [])


def test_what_was_not_foreseen_has_the_number_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(model_size, "DEPTH", 100)
    spec = tmp_path / "chain.hsm"
    spec.write_text(chain(16))
    subject = Subject(spec, tmp_path / "build")
    search = subject.search("c", "promela", "safety")
    with pytest.raises(SpecError, match="HSM0616: .* SPIN says 'inlines nested too"):
        write_model(search, subject, search.directory, [])


def statements_of(subject: Subject, check: str) -> int:
    own, world, *_ = subject.generated(check)
    model = "".join(p.read_text() for d in (own, world) for p in d.glob("*.pml"))
    sizes = model_size.Sizes(model_size.without_c(model))
    text = (world / subject.world_file).read_text()
    found = model_size.steps(model_size.without_c(text))
    return max(sizes.of_text(step).statements for step in found)


@long
@pytest.mark.parametrize("profile, check", [("modern", "tags_passed"), ("paper", "cancelled")])  # fmt: skip
def test_the_largest_steps_of_emp_are_taken(
    profile: str, check: str, tmp_path: Path
) -> None:
    subject = Subject(TOP / "spec/emp/emp.hsm", tmp_path, profile)
    assert 1000 < statements_of(subject, check) <= model_size.STATEMENTS
    for kind in ("safety", "liveness"):
        subject.need_room(check, kind)
    search = subject.search(check, "promela", "safety")
    write_model(search, subject, search.directory, [])


# --- nothing to search


def test_a_placement_for_which_no_check_has_bounds(tmp_path: Path) -> None:
    (tmp_path / "abp.hsm").write_text(ABP)
    command = "verify abp.hsm --placement base"
    status, said = inside(tmp_path, *command.split())
    assert status == 1
    assert "abp@base: nothing to search, for no check has bounds" in said


def test_a_level_at_which_no_check_is_searched(tmp_path: Path) -> None:
    text = ABP.replace("world items = 3,", "world nightly = 1, items = 3,")
    (tmp_path / "abp.hsm").write_text(text)
    status, said = inside(tmp_path, "verify", "abp.hsm")
    assert status == 1 and "choose --level nightly" in said
