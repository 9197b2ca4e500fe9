# SPDX-License-Identifier: MIT
"""hsmc export and dump --json: the JSON is what docs/ir.schema.json says; the SCXML has the machine as written.

After a change of ir.py: HSMC_REFRESH=1 pytest tests/commands/test_export.py, then read the difference of the schema.
Where a field went or means another thing, export_json.SCHEMA_VERSION rises.
"""

import copy
import doctest
import doctest
import functools
import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any, Callable, Iterator
from xml.etree import ElementTree

import jsonschema
import pytest

from hsmc import ir
from hsmc.backends import backend_scxml, export_json
from hsmc.compilation.compiler import Compilation
from hsmc.comparison.written import WrittenState, written_processes
from tests.in_process import run_hsmc
from tests.places import tells_place
from tests.long_tests import long

TOP = Path(__file__).resolve().parents[2]
SCHEMA = TOP / "docs/ir.schema.json"
EMP = TOP / "spec/emp/emp.hsm"
ABP = TOP / "spec/abp/abp.hsm"
FEATURES = sorted((TOP / "tests/compiler/features").glob("*.hsm"))
SPECS = [EMP, ABP, *FEATURES]
specs = pytest.mark.parametrize("spec", SPECS, ids=lambda path: path.stem)

S = f"{{{backend_scxml.SCXML}}}"
H = f"{{{backend_scxml.NAMESPACE}}}"


@functools.lru_cache
def compilation_of(spec: Path) -> Compilation:
    return Compilation(spec)


@functools.lru_cache
def compiled(spec: Path) -> ir.Protocol:
    protocol = compilation_of(spec).protocol(None)
    assert protocol is not None
    return protocol


def run(*arguments: object) -> str:
    result = run_hsmc(*arguments)
    assert result.returncode == 0, result.stderr
    return result.stdout


# --- JSON


def test_schema_is_current() -> None:
    text = json.dumps(export_json.schema(), indent=1) + "\n"
    if os.environ.get("HSMC_REFRESH"):
        SCHEMA.write_text(text)
    assert text == SCHEMA.read_text(), "HSMC_REFRESH=1 accepts the change"


def kind_of(validator: Any, schema: Any) -> Any:
    """The only `kind` an alternative accepts; None where it accepts several or asks for none."""
    reference = schema.get("$ref")
    if reference is not None:
        _, schema = validator.resolver.resolve(reference)
    if "kind" not in schema.get("required", ()):
        return None
    return schema.get("properties", {}).get("kind", {}).get("const")


def only_those_of_its_kind(keyword: str) -> Callable[..., Iterator[Any]]:
    """`anyOf` or `oneOf` without the alternatives whose `kind` is another one than the value's.

    They cannot match. To try them, and all below them, takes half a minute for some specs.
    """
    whole = jsonschema.Draft7Validator.VALIDATORS[keyword]

    def validate(
        validator: Any, alternatives: Any, value: Any, schema: Any
    ) -> Iterator[Any]:
        if isinstance(value, dict) and isinstance(value.get("kind"), str):
            wanted = (None, value["kind"])
            few = [each for each in alternatives if kind_of(validator, each) in wanted]
            alternatives = few or alternatives
        yield from whole(validator, alternatives, value, schema)

    return validate


Validator = jsonschema.validators.extend(
    jsonschema.Draft7Validator,
    {keyword: only_those_of_its_kind(keyword) for keyword in ("anyOf", "oneOf")},
)


# Of EMP, a text of half a megabyte, in `make test-long`; its every kind of node occurs in the features, too.
@pytest.mark.parametrize(
    "spec",
    [ABP, *FEATURES, pytest.param(EMP, marks=long)],
    ids=lambda path: path.stem,
)
def test_json_is_valid(spec: Path) -> None:
    schema = json.loads(SCHEMA.read_text())
    jsonschema.Draft7Validator.check_schema(schema)
    value = json.loads(json.dumps(export_json.as_json(compiled(spec))))
    Validator(schema).validate(value)
    if spec == ABP:  # and with every alternative tried
        jsonschema.Draft7Validator(schema).validate(value)


def test_schema_refuses_what_is_wrong() -> None:
    """A validator that accepts everything would prove nothing."""
    schema = json.loads(SCHEMA.read_text())
    value = json.loads(run("export", ABP, "--format", "json"))
    for path, wrong in (
        (("version",), 0),
        (("protocol", "constants"), None),
        (("protocol", "processes", 0, "handlers", 0, "otherwise"), "perhaps"),
        (("protocol", "processes", 0, "states", 0, "initial"), "yes"),
        (("protocol", "parameters", 0, "type", "kind"), "FloatType"),
    ):
        broken: Any = copy.deepcopy(value)
        inner = broken
        for key in path[:-1]:
            inner = inner[key]
        inner[path[-1]] = wrong
        assert not jsonschema.Draft7Validator(schema).is_valid(broken), path
        assert not Validator(schema).is_valid(broken), path


def objects(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        yield value
        for part in value.values():
            yield from objects(part)
    elif isinstance(value, list):
        for part in value:
            yield from objects(part)


@specs
def test_json_has_everything(spec: Path) -> None:
    """Ids in order, every name of a timer or local declared."""
    protocol = compiled(spec)
    text = json.dumps(export_json.as_json(protocol))
    assert not tells_place(text, TOP)
    value = json.loads(text)["protocol"]
    rows = [
        row
        for process in value["processes"]
        for handler in process["handlers"]
        for group in handler["groups"]
        for row in group["rows"]
    ]
    assert [row["id"] for row in rows] == [row.id for row in protocol.rows()]
    timers = {timer["name"] for timer in value["timers"]}
    assert timers == {timer.name for timer in protocol.timers}
    assert {
        name for row in rows for name in (*row["armed"], *row["cancelled"])
    } <= timers
    for owner in (*value["functions"], *value["actions"], *value["processes"]):
        declared = {local["unique"] for local in owner["locals"]}
        for item in objects(owner):
            if item.get("kind") in ("Let", "LocalName", "Create"):
                assert item["local"] in declared


def test_both_commands_print_it() -> None:
    text = run("export", ABP, "--format", "json")
    assert text == run("dump", ABP, "--json")
    assert json.loads(text) == json.loads(
        json.dumps(export_json.as_json(compiled(ABP)))
    )


def test_json_of_a_check(tmp_path: Path) -> None:
    target = tmp_path / "deep/emp.json"
    run("export", EMP, "--format", "json", "--check", "one_message", "--output", target)
    value = json.loads(target.read_text())["protocol"]
    assert value["check"] == "one_message"
    assert {p["name"]: p["count"]["value"] for p in value["pools"]}["SendMessage"] == 1


# --- SCXML


def exported(spec: Path, directory: Path) -> dict[str, ElementTree.Element]:
    """By process; each file has passed xmllint."""
    protocol = compiled(spec)
    files = []
    for written in written_processes(compilation_of(spec).spec):
        process = protocol.process(written.name)
        files.append(directory / backend_scxml.file_name(protocol, process))
        files[-1].write_text(backend_scxml.generate(protocol, process, written))
    subprocess.run(["xmllint", "--noout", *files], check=True)
    roots = [ElementTree.parse(file).getroot() for file in files]
    return {root.attrib["name"]: root for root in roots}


def test_scxml_files(tmp_path: Path) -> None:
    """The command writes one for each process, and one alone to standard output."""
    run("export", ABP, "--format", "scxml", "--output", tmp_path / "deep")
    names = {"abp_Sender.scxml", "abp_Receiver.scxml"}
    assert {path.name for path in (tmp_path / "deep").iterdir()} == names
    text = run("export", ABP, "--format", "scxml", "--process", "Sender")
    assert text == (tmp_path / "deep/abp_Sender.scxml").read_text()


@specs
def test_scxml_structure(spec: Path, tmp_path: Path) -> None:
    """What the recommendation asks of documents: ids once, targets there, the children each element may have."""
    allowed = {
        "scxml": "datamodel state final",
        "state": "onentry onexit transition history state final",
        "final": "onentry onexit",
        "datamodel": "data",
        "history": "transition",
        "transition": "raise send",
        "onentry": "send raise",
        "onexit": "cancel send raise",
        "send": "param",
    }
    for root in exported(spec, tmp_path).values():
        assert root.tag == S + "scxml" and root.attrib["version"] == "1.0"
        ids = [e.attrib["id"] for e in root.iter() if "id" in e.attrib]
        assert len(ids) == len(set(ids))
        places = {
            e.attrib["id"]
            for e in root.iter()
            if e.tag in (S + "state", S + "final", S + "history")
        }
        for element in root.iter():
            for child in element:
                if child.tag.startswith(S):
                    name, inner = element.tag[len(S) :], child.tag[len(S) :]
                    assert inner in allowed[name].split(), (name, inner)
            if "target" in element.attrib and element.tag == S + "transition":
                assert element.attrib["target"] in places
            if "initial" in element.attrib:
                inside = [e.attrib.get("id") for e in element]
                assert element.attrib["initial"] in inside
        sends = {e.attrib["id"] for e in root.iter(S + "send") if "id" in e.attrib}
        cancels = {e.attrib["sendid"] for e in root.iter(S + "cancel")}
        assert sends == cancels
        events = {
            e.attrib["event"]
            for e in root.iter(S + "transition")
            if "event" in e.attrib
        }
        for send in root.iter(S + "send"):
            if "id" in send.attrib:
                assert send.attrib["event"] in events
                assert ("delay" in send.attrib) != ("delayexpr" in send.attrib)


def test_scxml_of_raises_with_indices(tmp_path: Path) -> None:
    """What a raise names and carries may have indices; durations keep all their digits."""
    spec = TOP / "tests/regressions/0017_index_in_a_raise.hsm"
    roots = exported(spec, tmp_path)
    (send,) = roots["Clerk"].iter(S + "send")
    assert send.attrib[H + "record"] == "Desk[i & 1].job"
    assert (send.attrib["event"], send.attrib["target"]) == ("poke", "#_Worker")
    (param,) = send.iter(S + "param")
    assert param.attrib["expr"] == "(Desk[i & 1].number + min(1, i)) & 7"
    (timer,) = (s for s in roots["Worker"].iter(S + "send") if "delay" in s.attrib)
    assert timer.attrib["delay"] == "2147483.647ms"
    assert doctest.testmod(backend_scxml).failed == 0


@specs
def test_scxml_has_every_transition_once(spec: Path, tmp_path: Path) -> None:
    protocol = compiled(spec)
    found = [
        name
        for root in exported(spec, tmp_path).values()
        for element in root.iter()
        for name in element.get(H + "ids", element.get("ids", "")).split()
    ]
    assert sorted(found) == sorted(row.id for row in protocol.rows())


@specs
def test_scxml_is_the_written_machine(spec: Path, tmp_path: Path) -> None:
    """Hierarchy, order of rows, guards, answers, entry and exit."""
    roots = exported(spec, tmp_path)

    def same(element: ElementTree.Element, state: WrittenState) -> None:
        assert element.tag == S + ("final" if state.final else "state")
        rows = [e for e in element.findall(S + "transition") if H + "place" in e.attrib]
        assert len(rows) == len(state.rows)
        for transition, row in zip(rows, state.rows):
            guard = transition.attrib.get("cond", "")
            assert guard == ("" if row.guard == "else" else row.guard)
            assert ("target" in transition.attrib) == bool(row.target)
            internal = transition.attrib.get("type") == "internal"
            assert internal == row.target.startswith("local ")
            past = transition.attrib.get("target", "").endswith(".history")
            assert past == ("history " in row.target)
        answers = [
            (e.attrib["event"], e.attrib[H + "answer"])
            for e in element.findall(S + "transition")
            if H + "answer" in e.attrib
        ]
        assert answers == [(event, kind) for event, kind, _ in state.verdicts]
        inside = [e for e in element if e.tag in (S + "state", S + "final")]
        assert [e.attrib["id"] for e in inside] == [s.path for s in state.states]
        for child, inner in zip(inside, state.states):
            same(child, inner)

    for process in written_processes(compilation_of(spec).spec):
        root = roots[process.name]
        tops = [e for e in root if e.tag in (S + "state", S + "final")]
        assert len(tops) == len(process.states)
        for element, state in zip(tops, process.states):
            assert element.attrib["id"] == state.path
            same(element, state)


def test_scxml_of_one_process() -> None:
    """By hand: the sender of the alternating-bit protocol."""
    root = ElementTree.fromstring(
        run("export", ABP, "--format", "scxml", "--process", "Sender")
    )
    states = {e.attrib["id"]: e for e in root.iter(S + "state")}
    assert set(states) == {"READY", "WAIT_ACK"}
    assert root.attrib["initial"] == "READY"
    wait = states["WAIT_ACK"]
    sent = wait.find(f"{S}onentry/{S}send")
    assert sent is not None
    assert sent.attrib["delayexpr"] == "timeout" and sent.attrib[H + "unit"] == "us"
    assert [e.text for e in wait.findall(f"{S}onentry/{H}do")] == ["send_data()"]
    first = wait.findall(S + "transition")[0]
    assert first.attrib["event"] == "ack" and first.attrib["target"] == "READY"
    assert first.attrib["cond"] == "f.bit == bit"
    actions = [e.attrib["name"] for e in root.findall(H + "action")]
    assert "send_data" in actions


def test_scxml_sends_what_is_raised(tmp_path: Path) -> None:
    roots = exported(EMP, tmp_path)
    sends = [
        (e.attrib["target"], e.attrib["event"], e.attrib.get(H + "record"))
        for e in roots["Match"].iter(S + "send")
    ]
    assert ("#_Receive", "frame", "r") in sends
    refuse = next(
        e for e in roots["Match"].iter(S + "send") if e.attrib["event"] == "refuse"
    )
    parameters = [(p.attrib["name"], p.attrib["expr"]) for p in refuse]
    process = compiled(EMP).process("Acknowledge")
    declared = next(e for e in process.events if e.name == "refuse").arguments
    assert [name for name, _ in parameters] == [a.name for a in declared]
    assert parameters[-1][1] == "RECEIVER_NOT_READY"


def test_every_class_is_described() -> None:
    """Each concrete expression and statement of the intermediate form has its definition."""
    text = SCHEMA.read_text()
    for base in (ir.ExpressionBase, ir.StatementBase):
        for kind in base.__subclasses__():
            assert re.search(rf'"{kind.__name__}": {{', text)


def test_filters() -> None:
    result = doctest.testmod(backend_scxml)
    assert result.attempted > 0 and result.failed == 0
