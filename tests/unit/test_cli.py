"""The command line: what it prints, where it prints it, and its exit codes."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

pytest.importorskip("cyclopts")
pytest.importorskip("rich")

import vrhcaby
from vrhcaby.cli import main

VERBS = ("rollout", "moves", "show", "bench", "train")
XGID = "XGID=-b----E-C---eE---c-e----B-"
RANDOM = ("--evaluator", "random", "--workers", "1")
PROGRAM = (sys.executable, "-c", "import sys; from vrhcaby.cli import main; sys.exit(main())")

Captured = pytest.CaptureFixture[str]


def output(capsys: Captured, *arguments: str) -> str:
    """What a successful call prints; nothing may be on standard error."""
    assert main(arguments) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    return captured.out


def document(capsys: Captured, *arguments: str) -> Any:
    """The one JSON document that a successful call prints."""
    printed = output(capsys, *arguments, "--json")
    assert printed.count("\n") == 1
    return json.loads(printed)


def complaint(capsys: Captured, *arguments: str) -> str:
    """The one line with which bad input is refused."""
    assert main(arguments) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    assert captured.err.startswith("vrhcaby: ")
    return captured.err.removeprefix("vrhcaby: ").rstrip("\n")


# What is the same for all verbs --------------------------------------------------------------------


def test_version(capsys: Captured) -> None:
    assert output(capsys, "--version") == f"vrhcaby {vrhcaby.__version__}\n"
    assert document(capsys, "--version") == vrhcaby.show_config()


@pytest.mark.parametrize("arguments", [(), ("--help",)])
def test_help_lists_the_verbs(capsys: Captured, arguments: tuple[str, ...]) -> None:
    text = output(capsys, *arguments)
    for verb in VERBS:
        assert re.search(rf"^\W*{verb}\s+\w", text, re.MULTILINE)


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_explains_itself_with_an_example(capsys: Captured, verb: str) -> None:
    text = output(capsys, verb, "--help")
    assert f"\n  vrhcaby {verb} " in text or f"\n  vrhcaby {verb}\n" in text
    assert "--json" in text
    assert max(map(len, text.split("\n"))) <= 80


@pytest.mark.parametrize("verb", VERBS)
def test_examples_of_the_help_work(
    capsys: Captured, verb: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if verb in ("bench", "train"):
        pytest.skip("its examples take too long; other tests run it")
    monkeypatch.chdir(tmp_path)
    examples = re.findall(rf"\n  vrhcaby ({verb}.*)", output(capsys, verb, "--help"))
    assert len(examples) >= 2
    for example in examples:
        if verb == "rollout":
            # Few games with random moves instead of many by a network.
            example = re.sub(r" --(trials|workers) \w+", "", example) + " --trials 8 " + " ".join(RANDOM)
        output(capsys, *example.split())


def test_refusals(capsys: Captured) -> None:
    assert complaint(capsys, "rolout", "start") == (
        "there is no verb 'rolout'; did you mean 'rollout'? (verbs: rollout, moves, show, bench, train)"
    )
    assert complaint(capsys, "--json") == "--json needs a verb or --version"
    assert "POSITION" in complaint(capsys, "show")
    assert "--colour" in complaint(capsys, "show", "start", "--colour")
    assert "did you mean 'tavli'" in complaint(capsys, "show", "start", "--variant", "tavl")
    assert "'4HPwATDgc/ABM': 13 characters" in complaint(capsys, "show", "4HPwATDgc/ABM")
    assert "larger" in complaint(capsys, "show", "start", "--set", "larger=no")
    assert "'maybe'" in complaint(capsys, "show", "start", "--set", "larger_die=maybe")
    assert "must be option=value" in complaint(capsys, "show", "start", "--set", "larger_die")
    assert "set twice" in complaint(capsys, "show", "start", "--set", "cube=no", "--set", "cube=yes")
    assert "is one of tavli" in complaint(capsys, "show", "tavli:4HPwATDgc/ABMA", "--variant", "portes")


def test_without_the_extra_it_says_what_to_install() -> None:
    for missing in ("cyclopts", "rich"):
        code = f"import sys; sys.modules[{missing!r}] = None; from vrhcaby.cli import main; sys.exit(main())"
        done = subprocess.run(
            [sys.executable, "-c", code, "show", "start"], capture_output=True, text=True, check=False
        )
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr == f'vrhcaby: {missing} is not installed: pip install "vrhcaby[cli]"\n'


@pytest.mark.skipif(sys.platform == "win32", reason="a closed pipe is another error there")
def test_a_reader_that_went_away() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run([*PROGRAM, "moves", "start", "31"], stdout=writing, stderr=subprocess.PIPE, check=False)
    os.close(writing)
    assert (done.returncode, done.stderr) == (1, b"")


def test_output_that_is_only_ascii() -> None:
    done = subprocess.run(
        [*PROGRAM, "rollout", "start", "--trials", "8", *RANDOM],
        capture_output=True,
        check=False,
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"equity" in done.stdout


# show ----------------------------------------------------------------------------------------------


def test_show(capsys: Captured) -> None:
    lines = output(capsys, "show", XGID + ":1:-1:1:31:3:5:0:7:10").split("\n")
    assert lines[4:11] == [
        " | X                |   | O                |",
        " | X                |   | O                |",
        " |                  |BAR|                  |     cube 2, owned by O",
        " | O                |   | X                |",
        " | O                |   | X                |     to play 3-1",
        " | O           X    |   | X                |     score 3, match to 7",
        " | O           X    |   | X              O |     off 0",
    ]
    assert "ID       backgammon:4HPwATDgc/ABMA" in lines
    assert f"XGID     {XGID}:1:-1:1:31:3:5:0:7:10" in lines


def test_show_takes_an_xgid_without_its_prefix(capsys: Captured) -> None:
    text = XGID + ":1:-1:1:31:3:5:0:7:10"
    assert output(capsys, "show", text.removeprefix("XGID=")) == output(capsys, "show", text)


def test_show_turns_the_match_to_the_player_on_roll(capsys: Captured) -> None:
    """The same board and match, but the top player of the XGID is on roll."""
    text = output(capsys, "show", XGID + ":1:-1:-1:00:3:5:0:7:10")
    assert "cube 2, owned by X" in text
    assert "O  pips 167\n" in text
    assert re.search(r"off 0\n.* score 3\n", text)
    assert "score 5, match to 7" in text
    assert "to roll" in text


@pytest.mark.parametrize(
    ("rest", "words"),
    [
        (":0:0:1:00:4:6:1:7:10", ["Crawford game", "to roll"]),
        (":1:1:1:D:0:0:0:0:10", ["doubles to 4"]),
        (":0:0:1:B:0:0:2:0:10", ["O beavers", "to answer"]),
    ],
)
def test_show_says_what_is_on_offer(capsys: Captured, rest: str, words: list[str]) -> None:
    text = output(capsys, "show", XGID + rest)
    for word in words:
        assert f"     {word}\n" in text
    assert ("to roll" in text) == ("to roll" in words)


def test_show_json(capsys: Captured) -> None:
    shown = document(capsys, "show", XGID + ":1:-1:1:31:3:5:0:7:10")
    assert shown["dice"] == [3, 1]
    assert shown["match"]["score"] == [5, 3]
    assert shown["match"]["cube_owner"] == 0
    assert shown["position"]["id"] == "backgammon:4HPwATDgc/ABMA"
    assert shown["position"]["pips"] == [167, 167]
    assert shown["xgid"] == XGID + ":1:-1:1:31:3:5:0:7:10"
    assert shown["gnubg_id"].startswith("4HPwATDgc/ABMA:")
    parallel = document(capsys, "show", "start", "--variant", "fevga", "--set", "points=1.1.1")
    assert (parallel["xgid"], parallel["gnubg_id"]) == (None, None)
    assert parallel["position"]["options"] == {"points": [1, 1, 1]}


def test_show_svg(capsys: Captured, tmp_path: Path) -> None:
    path = tmp_path / "board.svg"
    assert output(capsys, "show", "start", "--svg", str(path)) == ""
    source = path.read_text(encoding="utf-8")
    assert ElementTree.fromstring(source).tag.endswith("svg")
    assert output(capsys, "show", "start", "--svg", "-") == source
    missing = tmp_path / "missing" / "board.svg"
    assert complaint(capsys, "show", "start", "--svg", str(missing)) == f"{missing}: No such file or directory"
    assert "exclude each other" in complaint(capsys, "show", "start", "--svg", "-", "--json")


# moves ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dice", ["31", "3-1", "3,1", "13"])
def test_moves(capsys: Captured, dice: str) -> None:
    lines = output(capsys, "moves", "start", dice).splitlines()
    plays = vrhcaby.Position.start().moves((3, 1))
    assert len(lines) == 17
    assert [re.split(r"  +", line.strip()) for line in lines[1:]] == [
        [str(number), str(play), play.position.id] for number, play in enumerate(plays, start=1)
    ]


def test_moves_json(capsys: Captured) -> None:
    listed = document(capsys, "moves", "start", "31")
    assert (listed["variant"], listed["dice"], listed["count"]) == ("backgammon", [3, 1], 16)
    point = next(play for play in listed["moves"] if play["move"] == "8/5 6/5")
    assert point["steps"] == [[8, 5], [6, 5]]
    assert point["hits"] == [False, False]
    assert point["id"] == vrhcaby.Position.start().play("8/5 6/5", (3, 1)).id


def test_moves_takes_the_roll_of_the_id(capsys: Captured) -> None:
    text = XGID + ":0:0:1:52:0:0:0:7:10"
    assert output(capsys, "moves", text) == output(capsys, "moves", "start", "52")
    assert output(capsys, "moves", text, "66") == output(capsys, "moves", "start", "66")
    assert "holds no roll" in complaint(capsys, "moves", "start")


@pytest.mark.parametrize("dice", ["70", "3", "311", "3--1", "a1", "3-", "", "0-1", "3/1"])
def test_moves_refuses_other_dice(capsys: Captured, dice: str) -> None:
    assert repr(dice) in complaint(capsys, "moves", "start", dice)


def test_a_rule_can_be_changed(capsys: Captured) -> None:
    """A first 6-6 of long nardy may take two checkers from the head, unless that rule is switched off."""
    assert document(capsys, "moves", "start", "66", "--variant", "long-nardy")["moves"][0]["move"] == "24/18(2)"
    changed = document(capsys, "moves", "start", "66", "--variant", "long-nardy", "--set", "head_exception=none")
    assert [play["move"] for play in changed["moves"]] == ["24/18"]
    assert changed["options"] == {"head_exception": "none"}
    # An own ID brings its variant, and takes more changes.
    of_id = document(capsys, "moves", "long-nardy:AACA/z8AAID/Pw", "66", "--set", "head_exception=none")
    assert of_id == changed


# rollout -------------------------------------------------------------------------------------------


def test_rollout(capsys: Captured) -> None:
    result = vrhcaby.rollout(vrhcaby.Position.start(), trials=100, seed=7, evaluator="random", opening=True)
    lines = output(capsys, "rollout", "start", "--trials", "100", "--seed", "7", *RANDOM).splitlines()
    assert (
        lines[1].split()
        == (
            f"win {100 * result.win.mean:.2f} % ± {100 * result.win.error:.2f} "
            f"{100 * (1 - result.win.mean):.2f} % ± {100 * result.win.error:.2f}"
        ).split()
    )
    assert lines[2].split()[1] == f"{100 * result.win_gammon.mean:.2f}"
    assert lines[2].split()[5] == f"{100 * result.lose_gammon.mean:.2f}"
    assert lines[4].split() == f"equity {result.equity.mean:+.4f} ± {result.equity.error:.4f}".split()
    assert "seed         7" in lines
    assert "evaluator    random" in lines
    assert "first roll   by the opening rule" in lines
    assert re.search(r"^trials +100 in [0-9.]+ s, \d+ a second$", "\n".join(lines), re.MULTILINE)
    assert max(map(len, lines)) <= 80


def test_rollout_json_is_the_result(capsys: Captured) -> None:
    arguments = ("rollout", "4HPwATDgc/ABMA", "--trials", "50", "--seed", "7", "--evaluator", "random")
    documents = [document(capsys, *arguments, "--workers", workers) for workers in ("1", "2")]
    result = vrhcaby.rollout(vrhcaby.Position.start(), trials=50, seed=7, evaluator="random")
    assert vrhcaby.RolloutResult.from_json(documents[0]) == result
    assert documents[0] == documents[1]
    assert documents[0]["opening"] is False


def test_rollout_of_a_position_with_dice(capsys: Captured) -> None:
    text = XGID + ":1:-1:1:31:3:5:0:7:10"
    refusal = complaint(capsys, "rollout", text, *RANDOM)
    assert "the roll 3-1" in refusal
    assert "--ignore-dice" in refusal
    printed = output(capsys, "rollout", text, "--ignore-dice", "--trials", "8", *RANDOM)
    assert "the score and the cube of the ID are not used" in printed


def test_rollout_refusals(capsys: Captured) -> None:
    assert "trials = 0" in complaint(capsys, "rollout", "start", *RANDOM, "--trials", "0")
    assert "workers = -1" in complaint(capsys, "rollout", "start", "--evaluator", "random", "--workers", "-1")
    assert "seed = -1" in complaint(capsys, "rollout", "start", *RANDOM, "--seed", "-1")
    for text in ("many", "1.5", "1e3"):
        assert f"--trials: '{text}' is not a whole number" in complaint(capsys, "rollout", "start", "--trials", text)
    assert "'strong'" in complaint(capsys, "rollout", "start", "--evaluator", "strong")


@pytest.mark.skipif(sys.platform == "win32", reason="Ctrl-C cannot be sent to one program there")
def test_interrupted_rollout_prints_the_result_so_far() -> None:
    for seconds in (2, 10, 40):  # until a block of trials is over, which takes its time on a busy machine
        program = subprocess.Popen(
            [*PROGRAM, "rollout", "start", "--trials", "1000000000", "--json", *RANDOM],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        time.sleep(seconds)
        program.send_signal(signal.SIGINT)
        printed, complaints = program.communicate(timeout=60)
        if printed:
            break
    assert program.returncode == 130
    result = vrhcaby.RolloutResult.from_json(json.loads(printed))
    assert complaints == f"vrhcaby: interrupted after {result.trials} of 1000000000 trials\n"


# bench ---------------------------------------------------------------------------------------------


def test_bench(capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    from vrhcaby.cli import bench

    monkeypatch.setattr(bench, "SECONDS", 0.0)
    measured = document(capsys, "bench", "--variant", "hypergammon")
    assert measured["variant"] == "hypergammon"
    assert measured["config"] == vrhcaby.show_config()
    rates = measured["per_second"]
    assert {
        "legal_moves_out",
        "legal_moves",
        "playouts",
        "pips",
        "hashes",
        "position_moves",
        "evaluate",
        "rollout",
    } <= {*rates}
    assert all(rate > 0 for rate in rates.values())
