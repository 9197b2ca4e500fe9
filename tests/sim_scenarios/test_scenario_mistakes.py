# SPDX-License-Identifier: MIT
"""Every mistake in a scenario is told with its line, all of them at once, and never crashes."""

import random
from pathlib import Path

import pytest

from tests.sim_scenarios.scenarios import DAMAGES, SHIPPED, tigonsim, write

# A scenario, and what each error line must hold, in order: its line number and a piece of its text.
MISTAKES: list[tuple[str, list[tuple[int, str]]]] = [
    ('boards = ( { name = "a" } );\nstop = { time = "1 us" ', [(2, "syntax error")]),
    ('boards = ( { name = "a" } );', [(0, "nothing ends this scenario")]),
    ('stop = { time = "1 us"; };', [(0, "boards is missing here")]),
    ("boards = ( );", [(1, "expected at least one")]),
    ("boards = 3;", [(1, "boards: expected a list ( ), found a number")]),
    (
        'borads = ( );\nboards = ( { name = "a"; } );\nstop = { tme = "1 us"; };',
        [
            (1, "did you mean boards?"),
            (3, "stop has no setting tme; did you mean time?"),
        ],
    ),
    (
        'boards = (\n { name = "a"; },\n { name = "a"; },\n { name = "b b"; },\n { }\n);\nstop = { time = "1us"; };',
        [(3, "a is taken already"), (4, 'found "b b"'), (5, "name is missing here")],
    ),
    (
        'knobs = { sram_byte = 1;\n wire_loss = 1.5;\n bus_kind = "fast";\n host_scatter = ( ); };'
        '\nboards = ( { name = "a";\n knobs = { sram_bytes = true; }; } );\nstop = { time = "1us"; };',
        [
            (1, "no knob sram_byte; did you mean sram_bytes?"),
            (2, "wire_loss: expected 0 to 1, found 1.5"),
            (3, "bus_kind: expected 64/66, 64/33, 32/33, found fast"),
            (4, "found a list"),
            (6, "sram_bytes: expected 524288 to 2097152, found 1"),
        ],
    ),
    (
        'boards = ( { name = "a"; knobs = { sram_bytes = 600000; }; } );\nstop = { time = "1us"; };',
        [(1, "board a: its knobs cannot be combined")],
    ),
    (
        'boards = ( { name = "a";\n mac_address = "01:54:47:00:00:01"; },\n { name = "b"; mac_address = "2:3";'
        ' } );\nstop = { time = "1us"; };',
        [(2, "one station"), (3, 'found "2:3"')],
    ),
    (  # addresses by setting, by default and by the EEPROM
        'boards = ( { name = "a"; mac_address = "02:54:47:00:00:02"; },\n'
        ' { name = "b"; mac_address = "02:54:47:00:00:02"; },\n { name = "c"; },\n'
        ' { name = "d"; eeprom = ( { address = 0x90; bytes = [ 0x47, 0, 0, 2 ]; } ); } );\n'
        'stop = { time = "1us"; };',
        [
            (2, "mac_address: board a has 02:54:47:00:00:02 already"),
            (3, "mac_address: board a has 02:54:47:00:00:02 already"),
            (4, "mac_address: board a has 02:54:47:00:00:02 already"),
        ],
    ),
    (
        'boards = ( { name = "a";\n dump = ( { memory = 0; file = "f"; },\n { memory = 4; file = "./f"; } ); },\n'
        ' { name = "b"; }, { name = "c"; }, { name = "d"; } );\n'
        'wires = ( { between = [ "a", "b" ]; capture = "./w"; },\n'
        ' { between = [ "c", "d" ]; capture = "w"; } );\nstop = { time = "1us"; };',
        [
            (3, "a dump of board a would overwrite a dump of board a"),
            (6, "the capture of wire c-d would overwrite the capture of wire a-b"),
        ],
    ),
    (
        'boards = ( { name = "a"; } );\nwires = (\n { between = [ "a", "c" ]; },\n { between = [ "a" ]; },\n'
        ' { between = [ "a", "a" ]; },\n { },\n { between = [ 1, 2 ]; }\n);\nstop = { time = "1us"; };',
        [
            (3, "no board c"),
            (4, "expected two ends, found 1"),
            (5, "both ends are the same"),
            (6, "between is missing"),
            (7, 'expected "BOARD" or "SWITCH:PORT"'),
            (7, 'expected "BOARD" or "SWITCH:PORT"'),
        ],
    ),
    (
        'boards = ( { name = "a"; }, { name = "b"; }, { name = "c"; } );\nswitches = ( { name = "s"; ports = 2; } );\n'
        'wires = ( { between = [ "a", "b" ]; },\n { between = [ "a", "c" ]; },\n { between = [ "c", "s:2" ]; },\n'
        ' { between = [ "c", "s" ]; },\n { between = [ "c", "t:0" ]; } );\nstop = { time = "1us"; };',
        [
            (4, "a has a wire already, the one of line 3"),
            (5, "the switch has the ports 0 to 1"),
            (6, 'say which port, "s:0"'),
            (7, "no switch t:0"),
        ],
    ),
    (
        'boards = ( { name = "a"; } );\nswitches = ( { name = "s"; ports = 0; }, { name = "a"; } );\n'
        'stop = { time = "1us"; };',
        [(2, "ports: expected a number from 1 to 256"), (2, "a is taken already")],
    ),
    (
        'boards = ( { name = "a"; }, { name = "b"; } );\nwires = ( { between = [ "a", "b" ]; } );\n'
        'faults = (\n "a->b: lose 1%",\n "a->b: loose 1%",\n 7,\n "c: reset at 1ms"\n);\nstop = { time = "1us"; };',
        [(6, "expected one fault in quotes")],
    ),
    (
        'boards = ( { name = "a"; }, { name = "b"; } );\nwires = ( { between = [ "a", "b" ]; } );\n'
        'faults = (\n "a->b: lose 1%",\n "a->b: loose 1%",\n "c: reset at 1ms"\n);\nstop = { time = "1us"; };',
        [(5, "fault, column"), (6, "fault, column")],
    ),
    (
        'boards = ( { name = "a"; } );\nprograms = (\n { board = "b"; run = "@PROGRAMS@"; },\n'
        ' { board = "a"; run = "hello"; },\n { board = "a"; },\n { board = "a"; run = "nowhere.so"; },\n'
        ' { board = "a"; run = "@PROGRAMS@"; arguments = [ "$imag", "$image" ]; expect = "x"; start = 5; }\n);',
        [
            (3, "no board b"),
            (4, 'expected a shared object (file.so), found "hello"'),
            (5, "run is missing here"),
            (7, "$imag: expected $image, $board"),
            (7, "$image: board a has no image"),
            (7, 'start: expected a time such as "1.5 ms"'),
            (7, "expect: expected the number the program returns"),
        ],
    ),
    (
        'boards = ( { name = "a"; } );\nprograms = (\n { board = "a"; run = "nowhere.so"; }\n);',
        [(3, "nowhere.so: cannot be read: No such file")],
    ),
    (
        'boards = ( { name = "a"; } );\nprograms = (\n { board = "a"; run = "@IMAGE@.so"; }\n);',
        [(3, "cannot be read")],
    ),
    (
        'boards = ( { name = "a"; } );\nprograms = (\n { board = "a"; run = "@IMAGE@/../emp_a.elf"; }\n);',
        [(3, "cannot be read: Not a directory")],
    ),
    (
        'boards = ( { name = "a"; poke = (\n { memory = 0x100; },\n { value = 1; },\n'
        " { memory = 1; register = 4; value = 1; },\n { memory = 0x800000; value = 1; },\n"
        " { memory = 0x7FFFFF; words = [ 1, 2 ]; },\n { register = 0x41; value = 1; },\n"
        " { register = 0x40; bytes = [ 1, 2, 3 ]; },\n { scratchpad_b = 0xC02000; value = 1; },\n"
        ' { memory = 0; bytes = [ 256 ]; },\n { memory = 0; file = "nowhere"; },\n'
        " { memory = 0; value = 1; words = [ 2 ]; },\n { memory = 0; text = 3; },\n"
        ' { memory = 0; value = -1; },\n { memory = 0; value = 1; at = "1 minute"; }\n ); } );\n'
        'stop = { time = "1us"; };',
        [
            (2, "expected content here"),
            (3, "expected a place here"),
            (4, "the place is given as memory already"),
            (5, "expected a number from 0 to 8388607"),
            (6, "pass the end of memory"),
            (7, "expected a multiple of 4"),
            (8, "registers are words"),
            (9, "scratchpad_b: expected a number from"),
            (10, "expected a number from 0 to 255"),
            (11, "cannot be read: No such file"),
            (12, "the content is given as words already"),
            (13, "expected text in quotes"),
            (14, "value: expected a number"),
            (15, 'found "1 minute"'),
        ],
    ),
    (
        'boards = ( { name = "a";\n eeprom = ( { address = 4095; value = 1; } );\n'
        " dump = ( { memory = 0; length = 0; } );\n watch = ( { }, { memory = 2; } );\n"
        ' trace = "full";\n load = "host";\n } );\nstop = { time = "1us"; };',
        [
            (2, "pass the end of the eeprom, 4096 bytes"),
            (3, "length: expected a number from 1"),
            (4, "memory is missing here"),
            (4, "expected a multiple of 4"),
            (5, 'trace: expected none, transitions or alteon, found "full"'),
            (6, "load: the board has no image"),
        ],
    ),
    (
        'boards = ( { name = "a"; image = { file = "x";\n format = "coff"; }; },\n'
        ' { name = "b"; image = { file = "x"; format = "raw"; }; },\n'
        ' { name = "c"; image = { file = "x"; load = 4; }; },\n { name = "d"; image = { }; } );\n'
        'stop = { time = "1us"; };',
        [
            (2, 'expected auto, elf, tg2, raw or header, found "coff"'),
            (3, "a raw image needs a load address"),
            (4, 'only an image of format "raw"'),
            (5, "file is missing here"),
        ],
    ),
    (
        'boards = ( { name = "a"; } );\nstop = { programs = true;\n symbols = ( { board = "a"; symbol = "main";'
        ' address = 4; },\n { board = "a"; core = "c"; address = 4; } );\n words = ( { board = "a"; memory = 4; },\n'
        ' { board = "a"; memory = 4; equals = 1; every = "0 s"; } );\n signals = ( { board = "a"; signal = "lnk"; } );'
        "\n };",
        [
            (2, "there are none that could end"),
            (3, 'expected either symbol = "NAME" or address'),
            (4, 'core: expected "a" or "b"'),
            (5, "equals is missing here"),
            (6, "every: expected more than no time"),
            (7, "no signal lnk; did you mean link?"),
        ],
    ),
    (
        'boards = ( { name = "a"; } );\nstop = { time = "1us";\n symbols = ( { board = "a"; symbol = "main"; } ); };',
        [(3, "the image of board a has no main")],
    ),
    (
        'boards = ( { name = "a"; } );\nstop = { time = "1us"; };\nexpect = { end = "never";\n'
        ' statistics = ( { board = "a"; name = "transmit_frame"; equals = 1; },\n'
        ' { board = "a"; name = "transmit_frames"; },\n'
        ' { board = "a"; name = "transmit_frames"; least = 2; most = 1; } );\n'
        ' words = ( { board = "a"; memory = 3; equals = 1; } ); };',
        [
            (3, 'found "never"'),
            (4, "no statistic transmit_frame; did you mean transmit_frames?"),
            (5, "expected equals, or least and most"),
            (6, "least is more than most"),
            (7, "memory: expected a multiple of 4"),
        ],
    ),
    (
        "seed = -1;\nboards = ( 3 );\n",
        [(1, "seed: expected a number"), (2, "expected a board, found a number")],
    ),
]


@pytest.mark.parametrize("number", range(len(MISTAKES)))
def test_mistakes_are_told_by_line(tmp_path: Path, number: int) -> None:
    text, expected = MISTAKES[number]
    path = write(tmp_path, text)
    result = tigonsim("run", path)
    assert result.returncode == 2, result.stdout
    lines = result.stderr.splitlines()
    assert len(lines) == len(expected), result.stderr
    for line, (at, piece) in zip(lines, expected):
        assert line.startswith(f"{path}:{at}:"), (line, at)
        assert piece in line, (line, piece)


def test_files_that_are_no_scenarios(tmp_path: Path) -> None:
    missing = tigonsim("run", tmp_path / "missing")
    assert (missing.returncode, missing.stdout) == (2, "")
    assert (
        missing.stderr
        == f"{tmp_path}/missing: cannot be read: No such file or directory\n"
    )
    zeros = tmp_path / "zeros"
    zeros.write_bytes(b"boards = ( \0 );")
    assert "it is no text" in tigonsim("run", zeros).stderr
    assert tigonsim("run", tmp_path).returncode == 2
    included = write(tmp_path, "seed = x;\n", "part")
    scenario = write(tmp_path, '@include "part"\n')
    assert f"{included}:1: syntax error" in tigonsim("run", scenario).stderr


def test_options_that_are_wrong(tmp_path: Path) -> None:
    scenario = write(
        tmp_path, 'boards = ( { name = "a"; } );\nstop = { time = "1us"; };'
    )
    cases: list[tuple[list[str | Path], str]] = [
        ([], "expected a scenario file"),
        ([scenario, scenario], "one scenario at a time"),
        ([scenario, "--seed", "x"], "--seed: expected a number, found x"),
        ([scenario, "--until", "3"], "--until: expected a time such as 1.5ms, found 3"),
        (
            [scenario, "--set", "wire_los=1"],
            "no knob wire_los; did you mean wire_loss?",
        ),
        (
            [scenario, "--set", "b.sram_bytes=1M"],
            "the scenario has no board of that name",
        ),
        (
            [scenario, "--set", "a.sram_bytes=1"],
            "sram_bytes: expected 524288 to 2097152, found 1",
        ),
        ([scenario, "--set", "sram_bytes"], "expected NAME=VALUE"),
        ([scenario, "--nothing"], "unrecognized option"),
        (
            [scenario, "--json=/nowhere/file"],
            "/nowhere/file: No such file or directory",
        ),
        ([scenario, "--capture=/nowhere/file"], "/nowhere/file: cannot be made"),
    ]
    for options, piece in cases:
        result = tigonsim("run", *options)
        assert result.returncode == 2, (options, result.stdout)
        assert piece in result.stderr, (options, result.stderr)
    unknown = tigonsim("rum")
    assert (unknown.returncode, unknown.stderr) == (
        2,
        "tigonsim: no command rum; did you mean run?\n",
    )
    assert tigonsim().returncode == 2
    assert "run a scenario" in tigonsim("--help").stdout
    assert "--until" in tigonsim("run", "--help").stdout


def test_all_mistakes_of_files_are_told_before_anything_runs(tmp_path: Path) -> None:
    """Of the scenario and of options; the same with --check. No file is made."""
    scenario = write(
        tmp_path,
        'boards = ( { name = "a"; image = "@IMAGE@"; }, { name = "b"; }, { name = "c"; }, { name = "d"; } );\n'
        'wires = ( { between = [ "a", "b" ]; capture = "c-d.pcapng"; }, { between = [ "c", "d" ]; } );\n'
        'stop = { time = "1us"; };',
    )
    log = tmp_path / "log"
    options = [
        f"--log={log}",
        f"--vcd={tmp_path}/./log",
        f"--json={log}",
        f"--report={log}",
        f"--capture={tmp_path}",
        "--charge=nowhere",
    ]
    checks: list[list[str]] = [[], ["--check"]]
    for more in checks:
        result = tigonsim("run", scenario, *options, *more)
        assert (result.returncode, result.stdout) == (2, "")
        assert set(result.stderr.splitlines()) == {
            "tigonsim: charge: nowhere: No such file or directory",
            f"tigonsim: {log}: --json would overwrite the report",
            f"tigonsim: {log}: the log would overwrite the report",
            f"tigonsim: {tmp_path}/./log: the waveform would overwrite the report",
            f"tigonsim: {tmp_path}/c-d.pcapng: --capture of wire c-d would overwrite the capture of wire a-b",
        }
        assert [*tmp_path.iterdir()] == [scenario]


def test_charges_need_an_image(tmp_path: Path) -> None:
    scenario = write(
        tmp_path, 'boards = ( { name = "a"; } );\nstop = { time = "1us"; };'
    )
    result = tigonsim("run", scenario, "--charge=nowhere")
    assert result.returncode == 2
    assert "charge: nowhere: no board has an image" in result.stderr


def test_knobs_are_listed() -> None:
    table = tigonsim("knobs", "--set", "wire_loss=0.25").stdout
    assert any(line.split()[:2] == ["wire_loss", "0.25"] for line in table.splitlines())
    assert (
        "did you mean host_read_ns?" in tigonsim("knobs", "--set", "host_read=1").stderr
    )


def mutated(chance: random.Random, text: str) -> str:
    """One to four of: a line gone, doubled or moved; a piece replaced, by rubbish or by another piece."""
    pieces = [
        "{",
        "}",
        "(",
        ")",
        "[",
        "]",
        '"',
        ";",
        "=",
        "0x",
        "-1",
        "99999999999999999999",
        "1e400",
        "true",
        "#",
        "/*",
    ]
    for _ in range(chance.randint(1, 4)):
        lines = text.splitlines(keepends=True) or [""]
        at = chance.randrange(len(lines))
        place = chance.randrange(len(text) + 1)
        end = min(len(text), place + chance.randint(0, 12))
        match chance.randrange(6):
            case 0:
                del lines[at]
                text = "".join(lines)
            case 1:
                lines.insert(chance.randrange(len(lines) + 1), lines[at])
                text = "".join(lines)
            case 2:
                text = text[:place] + chance.choice(pieces) + text[end:]
            case 3:
                text = text[:place] + chr(chance.randrange(1, 256)) + text[place:]
            case 4:
                other = chance.randrange(len(text) + 1)
                text = (
                    text[:place]
                    + text[other : other + chance.randint(1, 30)]
                    + text[end:]
                )
            case 5:
                text = text[:place] + text[end:]
    return text


@pytest.mark.parametrize("part", range(4))
def test_damaged_scenarios_never_crash(tmp_path: Path, part: int) -> None:
    """The examples, damaged: either they are still right, or every complaint names the file."""
    examples = sorted(Path("sim/scenarios").glob("*.scenario"))
    wrong = 0
    for seed in range(part * DAMAGES, (part + 1) * DAMAGES):
        chance = random.Random(seed)
        text = mutated(chance, chance.choice(examples).read_text())
        text = text.replace("../../build/hello.so", "../../build/emp/host.so")
        # Where the files of the examples lie: damage must not end at the first missing file.
        path = tmp_path / "sim" / "scenarios" / "damaged.scenario"
        path.parent.mkdir(parents=True, exist_ok=True)
        for name in ("build", "sim/scenarios/count.bin"):
            link = tmp_path / name
            if not link.exists():
                link.symlink_to(Path(name).resolve())
        path.write_text(text, encoding="utf-8")
        result = tigonsim("run", "--check", path)
        if result.returncode == 0:
            assert result.stderr == "", (seed, result.stderr)
            continue
        wrong += 1
        assert result.returncode == 2, (seed, result)
        lines = result.stderr.splitlines()
        assert lines, seed
        assert lines[0].startswith(str(tmp_path)), (seed, lines[0])
    assert 0 < wrong < DAMAGES


def test_the_shipped_program_is_the_same(tmp_path: Path) -> None:
    scenario = write(tmp_path, MISTAKES[5][0])
    assert (
        tigonsim("run", scenario, program=SHIPPED).stderr
        == tigonsim("run", scenario).stderr
    )
