# SPDX-License-Identifier: MIT
"""The language server, driven over its pipes as an editor does."""

from __future__ import annotations

import json
import re
import shutil
from functools import cache
from pathlib import Path

from typing import Any, Callable, Iterator

import pytest
from hsmc.compilation.compiler import compile_spec, diagnose
from hsmc.dump import dump
from hsmc.formatting.formatter import format_text
from tests.editor.lsp_client import TOP, Client, ErrorAnswer, apply, cut, place
from tests.few_checks import copy_emp
from tests.long_tests import long

SMALL = """\
protocol small
process Lamp "One lamp."
  external event on_pressed()    "ein Knopf: \N{GRINNING FACE} größer"
  state DARK initial    # dunkel
    on on_pressed -> LIT
  state LIT
    on on_pressed -> DARK
"""


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Client]:
    found = Client(tmp_path)
    yield found
    assert found.stop() == 0


@pytest.fixture
def emp(tmp_path: Path) -> Path:
    """A copy of EMP's spec. With its first check alone: a server judges each text in all of them."""
    return copy_emp(tmp_path / "emp")


@pytest.fixture
def fetch(tmp_path: Path) -> Path:
    """A copy of a spec of several files and two profiles that a server judges in a fraction of the time."""
    return copy_fetch(tmp_path / "fetch")


def copy_fetch(directory: Path) -> Path:
    shutil.copytree(TOP / "spec/fetch", directory)
    return directory


def test_diagnostics_follow_the_text(client: Client, tmp_path: Path) -> None:
    path = tmp_path / "lamp.hsm"
    path.write_text(SMALL)
    client.open(path, SMALL.replace("-> LIT", "-> LITT"))
    (found,) = client.published(path)
    assert (found["code"], found["severity"], found["source"]) == ("HSM0203", 1, "hsmc")
    assert cut(client.texts[path], found["range"]) == "LITT"
    assert "did you mean 'LIT'" in found["message"]
    assert Path(found["codeDescription"]["href"].removeprefix("file://")).exists()
    client.change(path, SMALL)
    assert client.published(path) == []
    client.change(path, SMALL.replace("state LIT\n", "state LIT LIT\n"))
    assert [d["code"] for d in client.published(path)] == ["HSM0101"]
    client.close(path)  # the file itself is right
    assert client.published(path) == []


def test_positions_count_utf16_units(client: Client, tmp_path: Path) -> None:
    path = tmp_path / "lamp.hsm"
    text = SMALL.replace('größer"', 'größer" oops')
    client.open(path, text)
    found = client.published(path)
    assert [cut(text, d["range"]) for d in found if d["code"] == "HSM0101"] == ["oops"]


def test_related_places(client: Client, tmp_path: Path) -> None:
    path = tmp_path / "lamp.hsm"
    client.open(path, SMALL + "    ignore on_pressed\n")
    (found,) = client.published(path)
    (related,) = found["relatedInformation"]
    assert related["location"]["uri"] == path.as_uri()
    assert cut(client.texts[path], related["location"]["range"]) == "on_pressed"


def test_included_file_is_judged_within_its_spec(client: Client, fetch: Path) -> None:
    server, frames = fetch / "server.hsm", fetch / "frames.hsm"
    client.open(server)
    assert client.published(server) == []
    text = client.texts[server].replace("answer(s, STALLED)", "answer(s, STALLD)")
    client.change(server, text)
    (found,) = client.published(server)
    assert found["code"] == "HSM0201" and cut(text, found["range"]) == "STALLD"
    # A change in one file shows in another, which is not open.
    client.change(server, text.replace("STALLD", "STALLED"))
    assert client.published(server) == []
    client.open(frames)
    client.change(frames, client.texts[frames].replace("  NO_ROOM ", "  NO_PLACE "))
    # One mistake is one error of each profile, at its first place; the others are beside it.
    errors = client.published(fetch / "client.hsm")
    assert {error["code"] for error in errors} == {"HSM0201"}
    (first,) = {json.dumps(error["range"]) for error in errors}
    text = (fetch / "client.hsm").read_text()
    assert cut(text, json.loads(first)) == "NO_ROOM"
    for error in errors:
        places = [place["location"]["uri"] for place in error["relatedInformation"]]
        assert server.as_uri() in places
    assert client.diagnostics.get((fetch / "fetch.hsm").as_uri(), []) == []


def test_file_no_spec_includes(client: Client, tmp_path: Path) -> None:
    path = tmp_path / "part.hsm"
    client.open(path, "constant size = limit\n")
    (found,) = client.published(path)
    assert found["severity"] == 3 and "includes" in found["message"]
    client.change(path, "constant size =\n")
    assert "HSM0101" in [d.get("code") for d in client.published(path)]
    (tmp_path / "top.hsm").write_text(
        'protocol top\ninclude "part.hsm"\nprocess P\n  state A initial\n'
    )
    client.change(path, "external constant size = 1\n")
    client.notify("workspace/didChangeWatchedFiles", {"changes": []})
    while (found := client.published(path)) != []:
        assert found[0]["severity"] == 3


def test_definition_and_references(client: Client, emp: Path) -> None:
    send, host = emp / "send.hsm", emp / "host.hsm"
    client.open(send)
    for before, behind, file, declaration in (
        ("complete(m.descriptor, ", "OK, m.total)", host, "  OK "),
        ("begin_again(m); send_", "next(m)", send, "action send_next"),
        ("-> RETRANS", "MIT ", send, "state RETRANSMIT"),
        (
            "when p.len",
            "gth > message_limit          / refuse_length",
            host,
            "  length:       u32\n",
        ),
        ("let lost", " = next_lost", send, "let lost"),
        (
            "external event ack(f: Frame)           select active_send(",
            "f)",
            send,
            "event ack(f",
        ),
        ("raise Send[first].tu", "rn()", send, "event turn"),
    ):
        found = client.request(
            "textDocument/definition", client.at(send, before, behind)
        )
        assert len(found) == 1 and found[0]["uri"] == file.as_uri(), before
        text = file.read_text()
        line = text.split("\n")[found[0]["range"]["start"]["line"]]
        name = cut(text, found[0]["range"])
        assert (before + behind).replace("\n", " ").find(name) >= 0
        assert declaration.strip("\n") in line + " "
    params = client.at(send, "-> RETRANS", "MIT ")
    params["context"] = {"includeDeclaration": True}
    found = client.request("textDocument/references", params)
    lines = client.texts[send].split("\n")
    used = [lines[f["range"]["start"]["line"]].strip().split()[0] for f in found]
    assert used == ["after", "state"]
    params["context"] = {"includeDeclaration": False}
    assert len(client.request("textDocument/references", params)) == 1
    highlights = client.request("textDocument/documentHighlight", params)
    assert [h["range"] for h in highlights] == [f["range"] for f in found]


def test_definition_of_an_include(client: Client, fetch: Path) -> None:
    top = fetch / "fetch.hsm"
    client.open(top)
    found = client.request(
        "textDocument/definition", client.at(top, 'include "cli', 'ent.hsm"')
    )
    assert found["uri"] == (fetch / "client.hsm").as_uri()


def test_hover(client: Client, fetch: Path) -> None:
    top, frames, user = (
        fetch / f"{name}.hsm" for name in ("fetch", "frames", "client")
    )
    for path in (top, frames, user):
        client.open(path)

    def hover(path: Path, before: str, behind: str) -> str:
        found = client.request("textDocument/hover", client.at(path, before, behind))
        return str(found["contents"]["value"]) if found else ""

    constant = hover(top, "constant block_", "size = 1024")
    assert "= 1024 (0x400)" in constant and "constant" in constant
    assert "IEEE 802 local experimental" in hover(frames, "constant ether", "type")
    state = hover(user, "state RECEI", "VING ")
    assert (
        "`Fetcher.ACTIVE.RECEIVING`" in state and "Fetcher.RECEIVING.after.0" in state
    )
    assert "blocks are coming" in state
    event = hover(user, "  event sta", "rt(")
    assert "the host wants a file" in event
    assert "event start(o: Order, up: bool)" in event
    row = hover(user, "aft", "er link_patience")
    assert "`Fetcher.SUSPENDED.after.0`" in row
    assert "type u8" in hover(user, "function named(", "slot: u8)")
    text = client.texts[user].replace("not sound(f, b)", "not soun(f, b)")
    client.change(user, text)
    wrong = hover(user, "not so", "un(f, b)")
    assert "HSM0201" in wrong and "unknown name" in wrong
    params = client.at(user, "# ", "of an earlier request")
    assert client.request("textDocument/hover", params) is None


def test_symbols(client: Client, fetch: Path) -> None:
    user = fetch / "client.hsm"
    client.open(user)
    uri = {"textDocument": {"uri": user.as_uri()}}
    found = client.request("textDocument/documentSymbol", uri)
    names = [s["name"] for s in found]
    assert {"Fetcher", "finished", "Fetch", "Slot", "Order", "Result"} <= set(names)
    process = next(s for s in found if s["name"] == "Fetcher")
    states = [s for s in process["children"] if s["detail"].endswith("state")]
    names = [s["name"] for s in states]
    assert names == ["NEW", "ACTIVE", "SUSPENDED", "OVER"]
    inner = [s["name"] for s in states[1]["children"]]
    assert inner == ["ASKING", "RECEIVING"]

    def check(symbol: Any) -> None:
        text = client.texts[user]
        assert cut(text, symbol["selectionRange"]) == symbol["name"]
        assert symbol["name"] in cut(text, symbol["range"])
        for child in symbol["children"]:
            assert cut(text, child["range"]) in cut(text, symbol["range"])
            check(child)

    for symbol in found:
        check(symbol)
    found = client.request("workspace/symbol", {"query": "receiv"})
    assert {"received", "RECEIVING"} <= {s["name"] for s in found}


COPIES = {"emp": copy_emp, "fetch": copy_fetch}


def dumped(top: Path) -> str:
    return dump(compile_spec(top))


@pytest.fixture(scope="module")
def as_they_stand(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], str]:
    """The dump of a spec by its name."""

    @cache
    def dump_of(name: str) -> str:
        directory = COPIES[name](tmp_path_factory.mktemp("whole") / name)
        return dumped(directory / f"{name}.hsm")

    return dump_of


def tokens(text: str) -> list[str]:
    """A dump's words, without the columns that depend on the length of names."""
    return text.split()


def renames() -> Iterator[Any]:
    """File, text before and behind the place, old and new name, how many other files have the name. Of EMP's spec, which
    takes several seconds each, in `make test-long`."""
    yield from [
        ("fetch/client.hsm", "state RECEI", "VING ", "RECEIVING", "ARRIVING", 0),
        ("fetch/fetch.hsm", "constant block_", "size ", "block_size", "full_block", 2),
    ]
    for case in [
        # A state, an event, a field of a record and one of a payload, an action, a function, a constant.
        ("emp/send.hsm", "state RETRANS", "MIT ", "RETRANSMIT", "AGAIN", 0),
        ("emp/send.hsm", "  event trans", "mitted()", "transmitted", "handed_over", 0),
        ("emp/send.hsm", "  he", "ld:", "held", "kept_back", 0),
        ("emp/send.hsm", "action send_", "next(", "send_next", "offer_next", 0),
        ("emp/wire.hsm", "  total_len", "gth: u32", "total_length", "all_bytes", 2),
        (
            "emp/wire.hsm",
            "constant frame_",
            "payload  ",
            "frame_payload",
            "bytes_a_frame",
            1,
        ),
        ("emp/send.hsm", "process Trans", 'mit "', "Transmit", "Wire", 1),
        ("emp/wire.hsm", "  HEADER", " = 1", "HEADER", "BEGINNING", 2),
        ("emp/send.hsm", "settle(m: SendMessage, f", ": Frame)", "f", "frame_come", 0),
    ]:
        yield pytest.param(*case, marks=long)


@pytest.mark.parametrize("file, before, behind, old, new, others", renames())
def test_rename(
    client: Client,
    tmp_path: Path,
    as_they_stand: Callable[[str], str],
    file: str,
    before: str,
    behind: str,
    old: str,
    new: str,
    others: int,
) -> None:
    """Applied to a copy, the spec is the same but for the name."""
    path = tmp_path / file
    name = path.parent.name
    COPIES[name](path.parent)
    client.open(path)
    original = as_they_stand(name)
    params = client.at(path, before, behind)
    prepared = client.request("textDocument/prepareRename", params)
    assert prepared["placeholder"] == old == cut(client.texts[path], prepared["range"])
    changes = client.request("textDocument/rename", {**params, "newName": new})[
        "changes"
    ]
    assert len(changes) >= 1 + others
    count = 0
    for uri, edits in changes.items():
        changed = Path(uri.removeprefix("file://"))
        text = changed.read_text()
        assert {cut(text, edit["range"]) for edit in edits} == {old}
        changed.write_text(apply(text, edits))
        count += len(edits)
    renamed = dumped(path.parent / f"{name}.hsm")
    assert new in renamed or old == "f"
    # Back by the text alone: nothing else is called by the new name.
    assert new not in original
    words = [
        re.sub(rf"(?<![^\W_]){new}(?![^\W_])", old, word) for word in tokens(renamed)
    ]
    assert sorted(words) == sorted(tokens(original))
    assert count >= 2


def test_rename_refuses(client: Client, fetch: Path) -> None:
    user = fetch / "client.hsm"
    client.open(user)

    def refused(before: str, behind: str, name: str) -> str:
        params = {**client.at(user, before, behind), "newName": name}
        with pytest.raises(ErrorAnswer) as caught:
            client.request("textDocument/rename", params)
        return str(caught.value.message)

    state = ("state RECEI", "VING ")
    assert "word of the language" in refused(*state, "when")
    assert "not a name" in refused(*state, "a-b")
    assert "not a name" in refused(*state, "")
    assert "two states" in refused(*state, "ASKING")
    assert "taken" in refused("action give_", "up(", "begin")
    assert "hides" in refused("let ", "f = create Fetch", "window")
    for before, behind in (
        ("sta", "te RECEIVING"),
        ("function fetch_of(peer: u", "8, slot"),
        ("# ", "of an earlier"),
    ):
        with pytest.raises(ErrorAnswer) as caught:
            client.request(
                "textDocument/prepareRename", client.at(user, before, behind)
            )
        assert caught.value.message
    client.change(user, client.texts[user].replace("history ACTIVE", "history ACT"))
    assert "errors" in refused(*state, "AGAIN")


def test_rename_never_changes_what_a_target_means(
    client: Client, tmp_path: Path
) -> None:
    """A name free in its own place may still catch a target elsewhere."""
    path = tmp_path / "nested.hsm"
    text = """\
protocol nested
process P
  external event go()
  state OUTER initial
    on go -> INNER
    state INNER initial
  state OTHER
    on go -> OUTER
    state DEEP initial
"""
    client.open(path, text.replace("-> OUTER", "-> OTHER"))
    params = {**client.at(path, "state DE", "EP"), "newName": "INNER"}
    with pytest.raises(ErrorAnswer) as caught:
        client.request("textDocument/rename", params)
    assert "INNER" in caught.value.message


def test_completion(client: Client, fetch: Path) -> None:
    user = fetch / "client.hsm"
    client.open(user)
    original = client.texts[user]

    def offered(old: str, new: str) -> set[str]:
        """With the cursor at the ¦ of the new text."""
        text = original.replace(old, new, 1)
        client.change(user, text.replace("¦", ""))
        at = original.index(old) + new.index("¦")
        params = place(user, client.texts[user], at)
        found = client.request("textDocument/completion", params)
        return {item["label"] for item in found}

    row = re.search(r"on cancel +/ give_up\(f, CANCELLED\) +-> OVER", original)
    assert row is not None
    cancel = row[0]
    states = offered(cancel, cancel.replace("OVER", "¦"))
    assert {
        "NEW",
        "RECEIVING",
        "OVER",
        "ACTIVE.RECEIVING",
    } <= states and "DOWN" not in states
    states = offered(cancel, cancel.replace("OVER", "OV¦"))
    assert "OVER" in states
    events = offered("    ignore link\n    after", "    ignore ¦\n    after")
    assert {"start", "block", "refusal", "link", "cancel"} <= events
    fields = offered("  f.slot := o.slot\n", "  f.¦\n")
    assert {"room", "next", "early"} <= fields and "generation" not in fields
    fields = offered("when not sound(f, b) ", "when b.¦ ")
    assert {"number", "length"} <= fields and "room" not in fields
    actions = offered("/ begin(f, o)", "/ ¦")
    assert {"begin", "take", "give_up"} <= actions and "COMPLETE" not in actions
    names = offered("give_up(f, TOO_SLOW)", "give_up(f, ¦)")
    assert {"TOO_SLOW", "COMPLETE", "f"} <= names
    types = offered("action take(f: Fetch, ", "action take(f: ¦, ")
    assert {"Fetch", "u16", "Block"} <= types
    assert offered("# of an earlier", "# of¦ an earlier") == set()


MESSY = """\
# a lamp
protocol   small
process Lamp "One lamp."
  external event on_pressed()  "gr\N{LATIN SMALL LETTER O WITH DIAERESIS}\N{GRINNING FACE}"   # dunkel
  state   DARK initial
    on on_pressed   ->   LIT
  state LIT
    on on_pressed -> DARK


"""


@pytest.mark.parametrize("text", [MESSY, MESSY.rstrip("\n"), SMALL, MESSY + SMALL[15:]])
def test_formatting(client: Client, tmp_path: Path, text: str) -> None:
    """The edits make of the text what `hsmc fmt` makes of it."""
    path = tmp_path / "lamp.hsm"
    client.open(path, text)
    params = {"textDocument": {"uri": path.as_uri()}, "options": {"tabSize": 8}}
    edits = client.request("textDocument/formatting", params)
    formatted = apply(text, edits)
    assert formatted == format_text(text, path)
    client.change(path, formatted)
    assert client.request("textDocument/formatting", params) == []
    client.change(path, "protocol protocol protocol\n")
    assert client.request("textDocument/formatting", params) is None


# --- the connection


def test_two_specs_share_a_file(client: Client, tmp_path: Path) -> None:
    """A rename in a file two specs include changes both."""
    shared = tmp_path / "shared.hsm"
    shared.write_text("constant size = 4\n")
    body = "process P\n  external event go()\n  variable v: u8 range 0..size\n  state A initial\n    on go / v := size - v\n"
    for name in ("one", "two"):
        path = tmp_path / f"{name}.hsm"
        path.write_text(f'protocol {name}\ninclude "shared.hsm"\n{body}')
    client.open(shared)
    params = {**client.at(shared, "constant si", "ze"), "newName": "limit"}
    changes = client.request("textDocument/rename", params)["changes"]
    counts = {Path(uri).name: len(edits) for uri, edits in changes.items()}
    assert counts == {"shared.hsm": 1, "one.hsm": 2, "two.hsm": 2}


def test_unknown_and_malformed(client: Client, tmp_path: Path) -> None:
    with pytest.raises(ErrorAnswer) as caught:
        client.request("textDocument/inventTheWheel", {})
    assert caught.value.code == -32601
    for params in ([], {}, {"textDocument": 3}, {"textDocument": {"uri": []}}, None):
        with pytest.raises(ErrorAnswer) as caught:
            client.request("textDocument/hover", params)
        assert caught.value.code == -32602
    uri = {"textDocument": {"uri": (tmp_path / "x.hsm").as_uri()}}
    wrong: list[Any] = [None, {}, {"line": "one", "character": None}, {"line": 1}]
    for position in wrong:
        with pytest.raises(ErrorAnswer):
            client.request("textDocument/hover", {**uri, "position": position})
    for position in (
        {"line": -5, "character": -5},
        {"line": 10**9, "character": 10**9},
    ):
        assert (
            client.request("textDocument/hover", {**uri, "position": position}) is None
        )
        (tmp_path / "x.hsm").write_text(SMALL)
    for bad in (
        "untitled:x",
        "http://x/y.hsm",
        "file:///%00",
        "file://[",
        "file:relative",
    ):
        params = place(tmp_path, "", 0)
        params["textDocument"]["uri"] = bad
        assert client.request("textDocument/definition", params) is None
    client.notify("$/setTrace", {"value": "off"})
    client.notify("textDocument/didChange", {"textDocument": {"uri": 5}})
    client.notify("textDocument/didOpen", 7)
    client.raw(b"Content-Length: 5\r\n\r\n{oops")
    assert client.receive()["error"]["code"] == -32700
    for value in (
        [],
        5,
        "text",
        {},
        {"jsonrpc": "1.0", "id": 1, "method": "x"},
        {"jsonrpc": "2.0", "id": 1, "method": 7},
    ):
        client.send(value)
        assert client.receive()["error"]["code"] == -32600
    client.raw(b"Nonsense\r\ncontent-LENGTH: two\r\n\r\n")
    body = json.dumps(
        {
            "jsonrpc": "2.0",
            "id": "a",
            "method": "workspace/symbol",
            "params": {"query": ""},
        }
    ).encode()
    client.raw(b"Content-Type: x\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body))
    assert client.answer("a") == []


def test_deep_nesting_does_not_end_the_server(client: Client, tmp_path: Path) -> None:
    path = tmp_path / "deep.hsm"
    path.write_text(SMALL)
    client.open(path, SMALL + "constant x = " + "(" * 5000 + "1" + ")" * 5000 + "\n")
    params = place(path, client.texts[path], 0)
    try:
        client.request("textDocument/hover", params)
    except ErrorAnswer:
        pass
    client.change(path, SMALL)
    assert client.request("textDocument/hover", client.at(path, "process La", "mp"))


def test_cancelled_requests_are_answered(client: Client, fetch: Path) -> None:
    """Each request has one answer, cancelled or not; a cancellation never stops what follows."""
    client.open(fetch / "client.hsm")
    params = client.at(fetch / "client.hsm", "-> history ACT", "IVE")
    numbers = []
    for _ in range(20):
        numbers.append(client.ask("textDocument/definition", params))
        client.notify("$/cancelRequest", {"id": numbers[-1]})
    client.notify("$/cancelRequest", {"id": 999999})
    client.notify("$/cancelRequest", None)
    codes = set()
    for number in numbers:
        try:
            assert client.answer(number)
        except ErrorAnswer as error:
            codes.add(error.code)
    assert codes <= {-32800}
    assert client.request("textDocument/definition", params)


def test_before_and_after(tmp_path: Path) -> None:
    client = Client(initialize=False)
    with pytest.raises(ErrorAnswer) as caught:
        client.request("textDocument/hover", {})
    assert caught.value.code == -32002
    client.request("initialize", {"capabilities": {}})
    client.request("shutdown", None)
    with pytest.raises(ErrorAnswer) as caught:
        client.request("workspace/symbol", {"query": ""})
    assert caught.value.code == -32600
    client.notify("exit", None)
    assert client.wait() == 0


def test_ends_without_shutdown() -> None:
    client = Client()
    client.notify("exit", None)
    assert client.wait() == 1


@pytest.mark.parametrize("rest", [b"", b"Content-Length: 100\r\n\r\n{", b"Content-Le"])
def test_ends_when_the_editor_does(rest: bytes) -> None:
    client = Client()
    client.raw(rest)
    assert client.process.stdin is not None
    client.process.stdin.close()
    assert client.wait() == 1


PROFILES = """\
protocol variants
profile old default
  set size = 3
profile new
constant size = 1 + limit
constant limit = 2
device tell(a: u8)    @new
device tell(a: u16)   @old
process P
  external event go()
  state A initial
    on go / tell(size)
    on go -> B        @new
"""


def test_all_profiles_are_seen(client: Client, tmp_path: Path) -> None:
    """What only another profile has is judged, found and renamed too."""
    path = tmp_path / "variants.hsm"
    path.write_text(PROFILES)
    client.open(path)
    found = client.published(path)
    assert "HSM0203" in [d["code"] for d in found]
    text = PROFILES.replace("    on go -> B        @new\n", "")
    client.change(path, text)
    while any(d["severity"] == 1 for d in client.published(path)):
        pass
    for before, behind, name, count in (
        ("/ te", "ll(", "say", 3),
        ("profile o", "ld", "former", 2),
        ("constant li", "mit", "most", 2),
        ("set si", "ze", "length", 3),
    ):
        params = {**client.at(path, before, behind), "newName": name}
        answer = client.request("textDocument/rename", params)
        (edits,) = answer["changes"].values()
        assert len(edits) == count, name
        copy = tmp_path / f"{name}.hsm"
        copy.write_text(apply(text, edits))
        assert not [d for d in diagnose(copy) if d.severity == "error"]
    hovered = client.request(
        "textDocument/hover", client.at(path, "constant li", "mit")
    )
    assert ", 1 use\n" in hovered["contents"]["value"]
