"""How much decisions lose: ``python -m benchmarks.decisions make`` and ``python -m benchmarks.decisions score``.

``make`` takes decisions from games of a network against itself, equally many of each kind (benchmarks/phases.py), and
rolls out five plays of each: the first choice of every judge, then every second choice, and so on until there are
five, so that none is favoured. ``score`` asks players for their moves and reports what they lose against the best.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import vrhcaby
from benchmarks import processes
from benchmarks.games import Packed
from benchmarks.journal import Journal
from benchmarks.phases import PHASES, phases
from benchmarks.players import EVALUATORS, PLAYERS, Player, evaluator, label, network_path, player, worth_by
from benchmarks.progress import Progress
from benchmarks.rolled_out import Settings, roll_out_siblings
from benchmarks.self_play import played

FILE = Path(__file__).with_name("data") / "decisions.npz"
FORMAT = "vrhcaby decisions 1"
CANDIDATES = 5


@dataclass
class Decisions:
    """Decisions and what some of their plays are worth.

    Attributes
    ----------
    positions : (n, 4) uint64
    dice : (n, 2) uint8
    phase : (n,) uint8
        Place in `PHASES`.
    frequency : (phases,) float64
        How frequent each phase is in the games.
    offsets : (n + 1,) int64
        Where the plays of each decision begin.
    plays : (m,) uint16
        Place in what `vrhcaby.legal_moves` returns for the roll.
    equities, errors : (m,) float32
        What the play is worth to who makes it, and the standard error.
    description : dict
        How they were made.
    """

    positions: Packed
    dice: NDArray[np.uint8]
    phase: NDArray[np.uint8]
    frequency: NDArray[np.float64]
    offsets: NDArray[np.int64]
    plays: NDArray[np.uint16]
    equities: NDArray[np.float32]
    errors: NDArray[np.float32]
    description: dict[str, Any]


def read(path: Path = FILE) -> Decisions:
    """The file that `write` wrote."""
    with np.load(path, allow_pickle=False) as arrays:
        fields = {name: arrays[name] for name in arrays.files}
    description = json.loads(str(fields.pop("description")))
    if description.get("format") != FORMAT:
        raise ValueError(f"{path}: format {description.get('format')!r}: must be {FORMAT!r}")
    fields["positions"] = fields["positions"].astype(np.uint64)
    return Decisions(**fields, description=description)


def write(path: Path, decisions: Decisions) -> None:
    """The arrays, compressed."""
    fields = {**vars(decisions), "positions": decisions.positions.astype("<u8")}
    fields["description"] = np.array(json.dumps(decisions.description))
    path.parent.mkdir(exist_ok=True)
    np.savez_compressed(path, **fields)


# Making ---------------------------------------------------------------------------------------------------------------


def sample(
    player: Player, games: int, count: int, seed: int
) -> tuple[Packed, NDArray[np.uint8], NDArray[np.uint8], NDArray[np.float64]]:
    """Decisions of a player against himself: positions, dice, phases, and how frequent each phase is.

    Equally many of each phase where there are enough, in turn, so that any beginning of them is even too. No decision
    comes twice, and none has only one play.
    """
    positions, dice = played(player, games, seed)
    open_choice = vrhcaby.count_moves(positions, dice.astype(np.int64)) > 1
    positions, dice = positions[open_choice], dice[open_choice]
    kinds = phases(positions)
    frequency = np.array([(kinds == phase).mean() for phase in PHASES])
    dice.sort(1)  # 3-1 is the same decision as 1-3
    codes = dice @ np.array([7, 1])
    _, distinct = np.unique(vrhcaby.hashes(positions) + codes.astype(np.uint64), return_index=True)
    distinct = np.random.RandomState(seed).permutation(distinct)  # the one stream of NumPy that is frozen for all time
    places: list[tuple[int, int, int]] = []  # rank within the phase, number of the phase, place
    for number, phase in enumerate(PHASES):
        found = distinct[kinds[distinct] == phase][: -(-count // len(PHASES))]
        places += [(rank, number, place) for rank, place in enumerate(found.tolist())]
    places.sort()
    chosen = np.array([place for _, _, place in places[:count]])
    return positions[chosen], dice[chosen], np.array([phase for _, phase, _ in places[:count]], np.uint8), frequency


def candidates(judged: Sequence[NDArray[np.float64]], offsets: NDArray[np.int64]) -> list[list[int]]:
    """For each decision the plays to be rolled out: the best of each judge in turn, then the second best of each ...

    `judged` has for each judge what the children are worth to the next player.

    >>> candidates([np.array([0.3, 0.1, 0.2]), np.array([0.0, 0.5, 0.6])], np.array([0, 3]))
    [[1, 0, 2]]
    """
    chosen = []
    for first, stop in zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True):
        rankings = [np.argsort(values[first:stop], kind="stable")[:CANDIDATES].tolist() for values in judged]
        in_turn = [play for same_rank in zip(*rankings, strict=True) for play in same_rank]
        chosen.append(list(dict.fromkeys(in_turn))[:CANDIDATES])
    return chosen


def _roll_out(piece: tuple[int, Packed, Settings]) -> tuple[int, dict[str, Any]]:
    number, children, settings = piece
    results = roll_out_siblings(children, settings)
    return number, {
        "equities": [-result.equity for result in results],  # to the player who has moved
        "errors": [result.error for result in results],
        "trials": [result.trials for result in results],
    }


def make(options: argparse.Namespace) -> None:
    network = network_path(options.network, "backgammon")
    settings = Settings(
        evaluator=str(network),
        variant="backgammon",
        turns=options.turns,
        error=options.error,
        share=options.share,
        most_trials=options.most_trials,
        seed=options.seed,
    )
    self_player = player(str(network))
    judges = [evaluator(name) for name in options.judges]
    work = {
        "format": FORMAT,
        "games": options.games,
        "decisions": options.count,
        "judges": [label(judge) for judge in judges],
        **settings._asdict(),
        "evaluator": self_player.name,
    }
    journal = Journal(options.journal, work)
    positions, dice, phase, frequency = sample(self_player, options.games, options.count, options.seed)
    children, offsets = vrhcaby.legal_moves(positions, dice.astype(np.int64))
    plays = candidates([worth_by(judge, "backgammon")(positions, children, offsets) for judge in judges], offsets)
    done = {entry["decision"]: entry for entry in journal.entries}
    pieces = (
        (number, children[offsets[number] + chosen], settings)
        for number, chosen in enumerate(map(np.array, plays))
        if number not in done
    )
    progress = Progress(len(plays), len(done), "decisions")
    try:
        for number, result in processes.run(_roll_out, pieces, options.workers):
            done[number] = {"decision": number, **result}
            journal.add(done[number])
            progress(len(done))
    finally:
        kept = sorted(done)
        if kept:
            write(
                options.out,
                Decisions(
                    positions=positions[kept],
                    dice=dice[kept],
                    phase=phase[kept],
                    frequency=frequency,
                    offsets=np.cumsum([0, *(len(plays[number]) for number in kept)]),
                    plays=np.concatenate([plays[number] for number in kept]).astype(np.uint16),
                    equities=np.concatenate([done[number]["equities"] for number in kept]).astype(np.float32),
                    errors=np.concatenate([done[number]["errors"] for number in kept]).astype(np.float32),
                    description=work,
                ),
            )
            print(f"{len(kept)} of {len(plays)} decisions are in {options.out}", file=sys.stderr)


# Scoring --------------------------------------------------------------------------------------------------------------


def losses(decisions: Decisions, player: Player) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """What the player's choices lose against the best play, and which of them were not rolled out.

    Those count as the worst that was rolled out: they may be worse.
    """
    dice = decisions.dice.astype(np.int64)
    after = player.play(decisions.positions, dice, np.zeros(len(dice), np.uint64))
    children, starts = vrhcaby.legal_moves(decisions.positions, dice)
    chosen = np.flatnonzero((children == np.repeat(after, np.diff(starts), 0)).all(1)) - starts[:-1]
    values, known = decisions.equities.astype(np.float64), decisions.offsets
    best = np.maximum.reduceat(values, known[:-1])
    worst = np.minimum.reduceat(values, known[:-1])
    hit = decisions.plays == np.repeat(chosen, np.diff(known))
    found = np.add.reduceat(hit, known[:-1]) > 0
    taken = np.where(found, np.add.reduceat(np.where(hit, values, 0.0), known[:-1]), worst)
    return best - taken, ~found


class Mean(NamedTuple):
    """A mean and its standard error."""

    mean: float
    error: float

    @classmethod
    def of(cls, values: NDArray[np.float64]) -> Mean:
        return cls(
            float(values.mean()), float(values.std(ddof=1) / np.sqrt(len(values))) if len(values) > 1 else np.nan
        )

    def __str__(self) -> str:
        return f"{1000 * self.mean:.2f} ± {1000 * self.error:.2f}"


def report(decisions: Decisions, loss: NDArray[np.float64], first: NDArray[np.float64]) -> dict[str, Any]:
    """What a player's losses come to, by themselves and against those of the first player."""
    by_phase = {
        phase: Mean.of(loss[decisions.phase == number])
        for number, phase in enumerate(PHASES)
        if (decisions.phase == number).any()
    }
    weights = {phase: decisions.frequency[PHASES.index(phase)] for phase in by_phase}
    return {
        "mean": Mean.of(loss),
        "more than the first": Mean.of(loss - first),
        "phases as frequent as in games": float(
            np.average([found.mean for found in by_phase.values()], weights=list(weights.values()))
        ),
        "best play": float((loss == 0).mean()),
        "by phase": by_phase,
    }


def score(options: argparse.Namespace) -> None:
    decisions = read(options.file)
    reports: dict[str, dict[str, Any]] = {}
    first = None
    for asked in map(player, options.players):
        loss, unknown = losses(decisions, asked)
        first = loss if first is None else first
        reports[asked.name] = {**report(decisions, loss, first), "not rolled out": int(unknown.sum())}
    if options.json:
        document = {**decisions.description, "decisions": len(decisions.dice), "players": reports}
        print(json.dumps(document, indent=2))  # a mean becomes a list of two
        return
    rows: dict[str, list[str]] = {
        "all": [str(found["mean"]) for found in reports.values()],
        "more than the first": [str(found["more than the first"]) for found in reports.values()],
        "phases as in games": [f"{1000 * found['phases as frequent as in games']:.2f}" for found in reports.values()],
        "best play": [f"{found['best play']:.1%}" for found in reports.values()],
        "not rolled out": [f"{found['not rolled out']:,}" for found in reports.values()],
    }
    for number, phase in enumerate(PHASES):
        if count := int((decisions.phase == number).sum()):
            rows[f"{phase} ({count})"] = [str(found["by phase"][phase]) for found in reports.values()]
    print(f"{len(decisions.dice):,} decisions of backgammon: loss in thousandths of a point a decision\n")
    for title, cells in {"": list(reports), **rows}.items():
        print(f"{title:24}" + "".join(f"{cell:>26}" for cell in cells))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.decisions", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    making = commands.add_parser("make", help="roll out decisions; goes on where it was interrupted")
    making.add_argument(
        "--network", default="shipped", help="plays, judges and rolls out: a name or a path (%(default)s)"
    )
    making.add_argument(
        "--judges",
        nargs="+",
        default=["shipped", "gnubg-nn", "bgsage"],
        metavar="JUDGE",
        help=f"{EVALUATORS} (all three)",
    )
    for name, kind, default, text in (
        ("count", int, 3000, "decisions"),
        ("games", int, 20_000, "games from which they are taken"),
        ("seed", int, 3, "of games and rollouts"),
        ("turns", int, 7, "turns of a trial"),
        ("error", float, 0.003, "standard error of a play's equity"),
        ("share", float, 0.1, "or this share of what it is worse than the best"),
        ("most-trials", int, 20_000, "of one play"),
        ("workers", int, 1, "processes"),
    ):
        making.add_argument(f"--{name}", type=kind, default=default, metavar="N", help=f"{text} (%(default)s)")
    making.add_argument("--journal", type=Path, required=True, metavar="FILE", help="what is done already")
    making.add_argument("--out", type=Path, default=FILE, metavar="FILE", help="where the result goes (%(default)s)")
    making.set_defaults(work=make)

    scoring = commands.add_parser("score", help="what players lose")
    scoring.add_argument("players", nargs="*", default=["shipped"], metavar="PLAYER", help=PLAYERS)
    scoring.add_argument("--file", type=Path, default=FILE, help="the decisions (%(default)s)")
    scoring.add_argument("--json", action="store_true", help="everything as JSON")
    scoring.set_defaults(work=score)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; the exit status is 0, 2 after bad input, or 130 after Ctrl-C."""
    parser = _parser()
    options = parser.parse_args(arguments)
    try:
        options.work(options)
    except (ValueError, OSError) as error:
        parser.error(str(error))
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
