"""The incremental network: its arithmetic to the last bit with every instruction set, its bounds and its files."""

from __future__ import annotations

import concurrent.futures
import functools
import hashlib
import json
import os
import pickle
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import vrhcaby
from tests import cases, networks
from tests.inputs import random_positions
from vrhcaby import VARIANTS, FormatError, Position, kernels, legal_moves, pack, use_kernels
from vrhcaby.evaluation._incremental import IncrementalNetwork
from vrhcaby.evaluation.network_file import read_network, read_training, write_network

Packed = NDArray[np.uint64]


def usable() -> list[str]:
    """The instruction sets that this machine has."""
    found = []
    for name in ("base", "avx2", "avx512"):
        try:
            use_kernels(name)
        except ValueError:
            continue
        found.append(name)
    use_kernels(None)
    return found


KERNELS = usable()


@pytest.fixture(autouse=True)
def restored() -> Iterator[None]:
    before = kernels()
    yield
    use_kernels(before)


def network(inputs: str = "contrary", changes: dict[str, Any] | None = None, **shape: Any) -> IncrementalNetwork:
    """A network by a rule; changes replace arrays, None leaves one out."""
    made = {**networks.arrays(**shape), **(changes or {})}
    kept = {key: array for key, array in made.items() if array is not None}
    variants = [name for name in VARIANTS if VARIANTS[name].direction == inputs]
    return IncrementalNetwork(kept, variants, inputs=inputs, name="rule")


@functools.cache
def _games(inputs: str) -> Packed:
    names = [name for name in VARIANTS if VARIANTS[name].direction == inputs]
    return np.concatenate([random_positions(40, name, seed) for seed, name in enumerate(names)])


@functools.cache
def _synthetic(inputs: str) -> Packed:
    """Many on the bar, all on one point, races, bear-offs, and checkers scattered at random."""
    random = np.random.RandomState(5)
    boards = []
    for _ in range(120):
        own, opponent = [0] * 26, [0] * 26
        lowest = random.choice([0, 0, 1, 13])
        highest = random.choice([6, 18, 24, 25]) if inputs == "contrary" else random.choice([6, 12, 24])
        few = random.randint(lowest, highest + 1, random.choice([1, 3, 15])) if highest > lowest else [highest]
        for slot in random.choice(few, 15):
            own[slot] += 1
        if inputs == "contrary":
            taken = {25 - point for point in range(1, 25) if own[point]}
        else:
            taken = {(point + 11) % 24 + 1 for point in range(1, 25) if own[point]}
        free = [slot for slot in range(25 + (inputs == "contrary")) if slot not in taken]
        free = free[: random.randint(1, len(free) + 1)]
        for slot in random.choice(free, 15):
            opponent[slot] += 1
        boards += [(tuple(own), tuple(opponent)), (tuple(opponent), tuple(own))]
    return cases.pack(boards)


def some_positions(inputs: str) -> Packed:
    return np.concatenate([_games(inputs), _synthetic(inputs)])


def some_children(inputs: str = "contrary") -> tuple[Packed, Packed, NDArray[np.int64]]:
    """Positions and what follows all their rolls; some have none."""
    names = [name for name in VARIANTS if VARIANTS[name].direction == inputs][:2]
    parents, children, offsets = [], [], [np.zeros(1, np.int64)]
    for name in names:
        rows = random_positions(12, name, 3)
        found, ends = legal_moves(rows, variant=name)
        parents.append(rows)
        children.append(found)
        offsets.append(ends[len(ends) // len(rows) :: len(ends) // len(rows)] + offsets[-1][-1])
    return np.concatenate(parents), np.concatenate(children), np.concatenate(offsets)


# Arithmetic ----------------------------------------------------------------------------------------------------------

SHAPES: list[tuple[str, dict[str, Any]]] = [
    ("contrary", {"width": 128, "buckets": 9}),
    ("contrary", {"width": 512, "buckets": 9, "race": 256, "seed": 2}),
    ("contrary", {"width": 1024, "buckets": 1, "seed": 3}),
    ("contrary", {"width": 128, "buckets": 9, "race": 0, "figures": 0, "filters": False, "seed": 4}),
    ("contrary", {"width": 384, "buckets": 1, "race": 1024, "figures": 0, "seed": 5}),
    ("parallel", {"width": 128, "buckets": 1, "seed": 6}),
    ("parallel", {"width": 512, "buckets": 1, "race": 0, "seed": 7}),
    ("parallel", {"width": 256, "buckets": 1, "figures": 0, "filters": False, "seed": 8}),
]


@pytest.mark.parametrize(("inputs", "shape"), SHAPES)
def test_it_computes_what_its_description_says(inputs: str, shape: dict[str, Any]) -> None:
    made = network(inputs, **shape)
    positions = some_positions(inputs)
    expected = networks.chances(networks.arrays(**shape), positions, inputs)
    assert np.ptp(expected[:, 0]) > 0.3  # they are not all alike
    for name in KERNELS:
        use_kernels(name)
        found = made.evaluate(positions)
        wrong = np.flatnonzero((found != expected).any(1))
        assert len(wrong) == 0, (name, networks.split(positions[wrong[:1]]), found[wrong[:1]], expected[wrong[:1]])


def test_the_positions_are_of_all_kinds() -> None:
    boards = networks.split(some_positions("contrary"))
    assert {networks.buckets(*board) for board in boards} == set(range(9))
    figures = np.array([networks.figures(*board, "contrary") for board in boards])
    assert (np.ptp(figures, axis=0) > 300).all()
    assert sum(not networks.has_contact(*board, "contrary") for board in boards) > 30
    assert {min(own[25], 4) for own, _ in boards} == {0, 1, 2, 3, 4}
    boards = networks.split(some_positions("parallel"))
    assert (np.ptp([networks.figures(*board, "parallel") for board in boards], axis=0) > 300).all()
    assert 30 < sum(networks.has_contact(*board, "parallel") for board in boards) < len(boards) - 30


@pytest.mark.parametrize("inputs", ["contrary", "parallel"])
@pytest.mark.parametrize("name", KERNELS)
def test_a_child_is_judged_as_if_it_had_no_parent(inputs: str, name: str) -> None:
    use_kernels(name)
    made = network(inputs, buckets=9 if inputs == "contrary" else 1)
    parents, children, offsets = some_children(inputs)
    assert len(children) > 1000
    assert made.evaluate_children(parents, children, offsets).tobytes() == made.evaluate(children).tobytes()


def test_any_position_may_be_a_parent() -> None:
    """Sums wrap on the way from one position to another, and come back."""
    random = np.random.default_rng(8)
    children = some_positions("contrary")
    parents = random.permutation(children)
    offsets = np.arange(len(children) + 1)
    expected = network().evaluate(children).tobytes()
    for name in KERNELS:
        use_kernels(name)
        assert network().evaluate_children(parents, children, offsets).tobytes() == expected


def golden_positions() -> Packed:
    """Ten thousand positions of random games, the same for ever."""
    positions = random_positions(10_000, seed=20)
    digest = hashlib.sha256(positions.astype("<u8").tobytes()).hexdigest()
    assert digest == "cda867fe0fd4db6106e4a50bf5b1d1f6545311e32c89cbf5fa4e37aae4b053d4"
    return positions


def test_the_same_bits_on_every_machine() -> None:
    positions = golden_positions()
    for name in KERNELS:
        use_kernels(name)
        chances = network(width=512, seed=9).evaluate(positions)
        digest = hashlib.sha256(chances.astype("<f4").tobytes()).hexdigest()
        assert (name, digest) == (name, "0dd03acea153598cc2f19a36fd7a8a3a039e13cddca0183676cb1ee07e2b7233")


def test_chances_are_consistent() -> None:
    chances = network().evaluate(some_positions("contrary"))
    assert ((chances >= 0) & (chances <= 1)).all()
    win, gammon, backgammon, lose_gammon, lose_backgammon = chances.T
    assert ((gammon <= win) & (backgammon <= gammon)).all()
    assert ((lose_gammon <= 1 - win) & (lose_backgammon <= lose_gammon)).all()


def test_a_finished_position_is_exact_from_both_sides() -> None:
    """Lost with a backgammon, and a single game: the same result told by both."""
    lost = Position.from_points(own={"bar": 1, 6: 14}, opponent={})
    saved = Position.from_points(own={6: 14}, opponent={})
    for position, result in ((lost, [0, 0, 0, 1, 1]), (saved, [0, 0, 0, 0, 0])):
        rows = pack([position, position.flip()])
        loser, winner = vrhcaby.evaluate(rows, evaluator=network())
        assert loser.tolist() == result
        assert winner.tolist() == [1 - result[0], *result[3:], *result[1:3]]


def test_what_is_no_position_does_no_harm() -> None:
    words = np.random.default_rng(1).integers(0, 2**64, (3000, 4), np.uint64, endpoint=False)
    words[0] = 2**64 - 1
    offsets = np.arange(0, 3001, 30)
    answers = set()
    for name in KERNELS:
        use_kernels(name)
        chances = network().evaluate(words)
        assert ((chances >= 0) & (chances <= 1)).all()
        network().evaluate_children(words[:100], words, offsets)
        network().passes(words[:100], words, offsets)
        answers.add(chances.tobytes())
    assert len(answers) == 1


def test_no_positions() -> None:
    none = np.empty((0, 4), np.uint64)
    assert network().evaluate(none).shape == (0, 5)
    assert network().evaluate_children(none, none, np.zeros(1, np.int64)).shape == (0, 5)
    assert network().passes(none, none, np.zeros(1, np.int64)).shape == (0,)


# The filter ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize(("inputs", "sets"), [("contrary", 9), ("contrary", 1), ("parallel", 1)])
def test_the_filter_passes_the_eight_that_its_description_says(inputs: str, sets: int, name: str) -> None:
    use_kernels(name)
    made = network(inputs, buckets=sets)
    parents, children, offsets = some_children(inputs)
    marks = made.passes(parents, children, offsets)
    for first, end in zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True):
        found = np.flatnonzero(marks[first:end]).tolist()
        rows = children[first:end]
        assert found == (networks.passed(networks.arrays(buckets=sets), rows) if len(rows) else [])


def test_of_equals_the_first_ones_pass() -> None:
    parents, children, _ = some_children()
    ends = np.array([0, 90])
    repeated = np.repeat(children[:30], 3, axis=0)
    found = np.flatnonzero(network().passes(parents[:1], repeated, ends))
    best = networks.passed(networks.arrays(), repeated)
    assert found.tolist() == best
    assert [k % 3 for k in best].count(2) == 2  # whole threes, and the first two of one
    alike = np.repeat(children[:1], 90, axis=0)
    assert np.flatnonzero(network().passes(parents[:1], alike, ends)).tolist() == list(range(8))


def test_no_more_than_eight_or_no_filter() -> None:
    parents, children, _ = some_children()
    for count, expected in ((0, 0), (1, 1), (8, 8), (9, 8)):
        assert network().passes(parents[:1], children[:count], np.array([0, count])).sum() == expected
    assert network(filters=False).passes(parents[:1], children[:90], np.array([0, 90])).all()


# Instruction sets ----------------------------------------------------------------------------------------------------


def test_switching() -> None:
    assert KERNELS[0] == "base"
    for name in KERNELS:
        use_kernels(name)
        assert kernels() == name
    use_kernels(None)
    assert kernels() == KERNELS[-1]


@pytest.mark.parametrize("name", ["sse9", "", "AVX2", 2])
def test_no_such_instruction_set(name: Any) -> None:
    before = kernels()
    with pytest.raises(ValueError, match=rf"kernels {name!r}: this machine has base"):
        use_kernels(name)
    assert kernels() == before


def run(code: str, environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "VRHCABY_KERNELS": environment},
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_environment_chooses() -> None:
    shown = "import vrhcaby; print(vrhcaby.kernels())"
    assert run(shown, "base").stdout == "base\n"
    assert run(shown, "").stdout == f"{KERNELS[-1]}\n"
    refused = run(shown, "sse9")
    assert refused.returncode != 0
    assert "environment variable VRHCABY_KERNELS: kernels 'sse9': this machine has base" in refused.stderr


def test_switching_while_others_judge() -> None:
    made, positions = network(), some_positions("contrary")
    expected = made.evaluate(positions).tobytes()
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        running = [pool.submit(made.evaluate, positions) for _ in range(40)]
        for k in range(200):
            use_kernels(KERNELS[k % len(KERNELS)])
        assert {task.result().tobytes() for task in running} == {expected}


# Arguments -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("positions", "error", "message"),
    [
        ([[0, 0, 0, 0]], TypeError, "NumPy array of uint64, not list"),
        (np.zeros((2, 4), np.int64), TypeError, "'<i8'"),
        (np.zeros((2, 3), np.uint64), ValueError, r"\(2, 3\)"),
        (np.zeros((4, 4), np.uint64)[::2], ValueError, "not C-contiguous"),
    ],
)
def test_arrays_that_hold_no_positions(positions: Any, error: type[Exception], message: str) -> None:
    rows, ends = np.zeros((2, 4), np.uint64), np.zeros(3, np.int64)
    for ask in (network().evaluate_children, network().passes):
        with pytest.raises(error, match=message):
            network().evaluate(positions)
        with pytest.raises(error, match=message):
            ask(positions, rows, ends)
        with pytest.raises(error, match=message):
            ask(rows, positions, ends)


@pytest.mark.parametrize(
    ("offsets", "error", "message"),
    [
        ([0, 1, 2], TypeError, "not list"),
        (np.array([0, 1, 2], np.int32), TypeError, "'<i4'"),
        (np.array([0, 2]), ValueError, r"offsets has shape \(2,\): must be \(3,\)"),
        (np.array([[0, 1, 2]]), ValueError, r"offsets has shape \(1, 3\)"),
        (np.array([1, 1, 2]), ValueError, "must rise from 0 to the number of children, 2"),
        (np.array([0, 1, 3]), ValueError, "must rise from 0 to the number of children, 2"),
        (np.array([0, 3, 2]), ValueError, "must rise from 0 to the number of children, 2"),
        (np.array([0, -1, 2]), ValueError, "must rise from 0 to the number of children, 2"),
    ],
)
def test_offsets_that_divide_nothing(offsets: Any, error: type[Exception], message: str) -> None:
    rows = np.zeros((2, 4), np.uint64)
    for ask in (network().evaluate_children, network().passes):
        with pytest.raises(error, match=message):
            ask(rows, rows, offsets)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"contact_bias": None}, "contact_bias: must be an array"),
        ({"contact_columns": None}, "contact_columns is NoneType"),
        ({"contact_columns": [1]}, "contact_columns is list"),
        ({"contact_bias": np.zeros(96, np.int16)}, "contact: width 96: must be a multiple of 128 up to 1024"),
        ({"contact_bias": np.zeros(1152, np.int16)}, "width 1152"),
        ({"contact_bias": np.zeros(0, np.int16)}, "width 0"),
        ({"contact_bias": np.zeros(256, np.int16)}, "contact: 84 inputs of the second layer: must be 128 or 20 more"),
        ({"contact_bias": np.zeros(128, np.int32)}, r"contact_bias is int32 \(128,\): must be int16"),
        ({"contact_bias": np.zeros(128, ">i2")}, r"contact_bias is int16 \(128,\)"),
        ({"contact_columns": np.zeros((52, 15, 128), np.int16)}, r"\(52, 15, 128\): must be int16 \(52, 16, 128\)"),
        ({"contact_columns": np.ones((52, 16, 128), np.int16)}, "contact_columns: an empty slot must add nothing"),
        ({"contact_bias2": np.zeros((3, 32), np.int32)}, "contact: 3 buckets: must be 1, or 9 in contrary variants"),
        ({"contact_weights2": np.zeros((9, 72, 32), np.int16)}, "72 inputs of the second layer: must be 64 or 20 more"),
        ({"contact_weights2": np.zeros((9, 84, 16), np.int16)}, r"contact_weights2 is int16 \(9, 84, 16\)"),
        ({"contact_weights3": np.zeros((9, 32, 32))}, "contact_weights3 is float64"),
        ({"contact_weights4": np.full((9, 32, 5), np.nan, np.float32)}, r"contact_weights4\[0, 0, 0\] = nan"),
        ({"contact_bias4": np.full((9, 5), -np.inf, np.float32)}, r"contact_bias4\[0, 0\] = -inf: must be within"),
        (
            {"contact_bias3": np.full((9, 32), 1001, np.float32)},
            r"contact_bias3\[0, 0\] = 1001.0: must be within \+-1000",
        ),
        ({"race_weights2": None}, "race_weights2: must be an array"),
        ({"race_bias": None}, "race_bias: must be an array"),
        ({"filter_bias": None}, "filter_bias is NoneType"),
        ({"filter_bias2": np.zeros((2, 1), np.int32)}, "filter: 2 buckets"),
        ({"filter_weights2": np.zeros((9, 32), np.int16)}, r"filter_weights2 is int16 \(9, 32\)"),
        ({"filter_weights3": np.zeros((9, 32), np.int16)}, "'filter_weights3': a network has no such array"),
    ],
)
def test_weights_that_no_network_has(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        network(changes=changes)


def test_inputs_of_another_kind() -> None:
    with pytest.raises(ValueError, match="inputs 'pips': must be 'contrary' or 'parallel'"):
        IncrementalNetwork(networks.arrays(), ["backgammon"], inputs="pips", name="rule")
    with pytest.raises(ValueError, match="contact: 9 buckets"):
        network("parallel", buckets=9)


def test_nobody_can_change_a_network() -> None:
    given = networks.arrays()
    made = IncrementalNetwork(given, ["backgammon"], name="rule")
    before = made.evaluate(some_positions("contrary")).tobytes()
    for array in (*given.values(), *made.parameters.values()):
        array[...] = 0
    assert made.evaluate(some_positions("contrary")).tobytes() == before


def test_a_copy_by_pickle() -> None:
    made = network("parallel", buckets=1)
    copy = pickle.loads(pickle.dumps(made))
    assert (copy.name, copy.variants, copy.inputs) == (made.name, made.variants, made.inputs)
    positions = some_positions("parallel")
    assert copy.evaluate(positions).tobytes() == made.evaluate(positions).tobytes()


# Bounds --------------------------------------------------------------------------------------------------------------


def extreme_columns(sign: int, largest: int) -> tuple[dict[str, Any], Packed]:
    """Weights with which unit 0 of the contact part can reach just `largest` in size, and the position where it does:
    ten checkers on the bar and five on the 2 point, both sides."""
    columns = np.zeros((52, 16, 128), np.int16)
    columns[[25, 51], 10, 0] = sign * 9000
    columns[[2, 28], 5, 0] = sign * 6000
    columns[3, 15, 0] = sign * 14999  # less than what the others give together
    bias = np.zeros(128, np.int16)
    bias[0] = sign * (largest - 30000)
    side = tuple(10 if slot == 25 else 5 if slot == 2 else 0 for slot in range(26))
    return {"contact_columns": columns, "contact_bias": bias}, cases.pack([(side, side)])


@pytest.mark.parametrize(("sign", "largest"), [(1, 32767), (-1, 32768)])
def test_the_largest_sums_of_sixteen_bits(sign: int, largest: int) -> None:
    changes, position = extreme_columns(sign, largest)
    made = {**networks.arrays(), **changes}
    expected = networks.chances(made, position, "contrary")
    for name in KERNELS:
        use_kernels(name)
        assert network(changes=changes).evaluate(position).tobytes() == expected.tobytes()
    beyond, _ = extreme_columns(sign, largest + 1)
    with pytest.raises(ValueError, match=r"contact: unit 0 can reach .* no 16 bits"):
        network(changes=beyond)


@pytest.mark.parametrize("sign", [1, -1])
def test_the_largest_sums_of_thirty_two_bits(sign: int) -> None:
    """Every product at its largest: as near as a position can come."""
    weights2 = np.zeros((9, 84, 32), np.int16)
    weights2[:, :, 7] = sign * 20000
    bias2 = np.zeros((9, 32), np.int32)
    bias2[:, 7] = sign * (2**31 - 1 - 1024 * 84 * 20000)
    changes: dict[str, Any] = {
        "contact_bias": np.full(128, 1023, np.int16),
        "contact_columns": np.zeros((52, 16, 128), np.int16),
        "contact_weights2": weights2,
        "contact_bias2": bias2,
    }
    positions = some_positions("contrary")
    expected = networks.chances({**networks.arrays(), **changes}, positions, "contrary")
    for name in KERNELS:
        use_kernels(name)
        assert network(changes=changes).evaluate(positions).tobytes() == expected.tobytes()
    bias2[3, 7] += sign
    with pytest.raises(ValueError, match="contact_weights2: bucket 3, unit 7: a sum can reach 2147483648: no 32 bits"):
        network(changes=changes)


@pytest.mark.parametrize("name", ["race", "filter"])
def test_every_part_has_its_bounds(name: str) -> None:
    bias = networks.arrays()[f"{name}_bias"]
    bias[5] = 32767
    with pytest.raises(ValueError, match=f"{name}: unit 5 can reach"):
        network(changes={f"{name}_bias": bias})
    bias2 = networks.arrays()[f"{name}_bias2"]
    bias2[0, 0] = -(2**31)
    with pytest.raises(ValueError, match=f"{name}_weights2: bucket 0, unit 0: a sum can reach"):
        network(changes={f"{name}_bias2": bias2})


@pytest.mark.parametrize("sign", [1, -1])
def test_the_largest_weights_stay_finite(sign: int) -> None:
    floats = {key: array for key, array in networks.arrays().items() if array.dtype == np.float32}
    huge = {key: np.full_like(array, sign * 1000) for key, array in floats.items()}
    for name in KERNELS:
        use_kernels(name)
        chances = network(changes=huge).evaluate(some_positions("contrary"))
        assert ((chances >= 0) & (chances <= 1)).all()


# Files ---------------------------------------------------------------------------------------------------------------


@pytest.fixture
def file(tmp_path: Path) -> Path:
    write_network(tmp_path / "net.npz", network(), {"cycles": 7})
    return tmp_path / "net.npz"


def change(file: Path, **entries: Any) -> None:
    """Replace entries of the file; None leaves one out."""
    with np.load(file) as old:
        contents = {**{name: old[name] for name in old.files}, **entries}
    np.savez(file, **{name: value for name, value in contents.items() if value is not None})


def describe(file: Path, **entries: Any) -> None:
    """Replace parts of the description."""
    with np.load(file) as old:
        description = json.loads(str(old["description"]))
    change(file, description=np.array(json.dumps({**description, **entries})))


@pytest.mark.parametrize(("inputs", "shape"), [SHAPES[0], SHAPES[3], SHAPES[5]])
def test_a_file_holds_all_of_a_network(tmp_path: Path, inputs: str, shape: dict[str, Any]) -> None:
    made, first, second = network(inputs, **shape), tmp_path / "a.npz", tmp_path / "b.npz"
    write_network(first, made, {"cycles": 7})
    found, training = read_training(first)
    assert isinstance(found, IncrementalNetwork)
    assert (found.variants, found.inputs, training) == (made.variants, inputs, {"cycles": 7})
    positions = some_positions(inputs)
    assert found.evaluate(positions).tobytes() == made.evaluate(positions).tobytes()
    write_network(second, found, training)
    assert second.read_bytes() == first.read_bytes()


def test_another_network_has_another_name(file: Path) -> None:
    name = read_network(file).name
    weights = networks.arrays()["filter_weights2"]
    weights[0, 0] += 1
    write_network(file, network(changes={"filter_weights2": weights}), {"cycles": 7})
    assert read_network(file).name != name


def test_a_damaged_byte_is_never_accepted_as_a_weight(file: Path) -> None:
    whole = file.read_bytes()
    expected = networks.arrays()
    refused = 0
    for place in range(50, len(whole), 9973):
        file.write_bytes(whole[:place] + bytes([whole[place] ^ 64]) + whole[place + 1 :])
        try:
            found = read_network(file)
        except FormatError:
            refused += 1
        else:  # a byte that says nothing, such as the date of an entry
            assert all(found.parameters[name].tobytes() == array.tobytes() for name, array in expected.items())
    assert refused > 20


@pytest.mark.parametrize("name", ["description", "contact_columns", "race_bias4", "race_bias", "filter_weights2"])
def test_a_file_without_an_entry(file: Path, name: str) -> None:
    change(file, **{name: None})
    with pytest.raises(FormatError, match=rf"net\.npz: not a network file: without {name}"):
        read_network(file)


def test_a_file_with_weights_that_no_network_has(file: Path) -> None:
    change(file, contact_bias3=np.full((9, 32), np.nan, np.float32))
    with pytest.raises(FormatError, match=r"net\.npz: not a network file: contact_bias3\[0, 0\] = nan"):
        read_network(file)
    change(file, contact_bias3=np.zeros((9, 32), np.float32), race_bias=np.full(128, 32767, np.int16))
    with pytest.raises(FormatError, match="race: unit 0 can reach"):
        read_network(file)


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        ({"format": 3}, "format 3: only 1 and 2 can be read"),
        ({"format": "2"}, "format '2': only 1 and 2"),
        ({"format": 1}, "inputs 'contrary': must be 'slot counts'"),
        ({"inputs": "slot counts"}, "inputs 'slot counts': must be 'contrary' or 'parallel'"),
        ({"inputs": "parallel"}, "inputs 'parallel': variants .* are not all of this kind"),
        ({"variants": ["backgammon", "fevga"]}, "variants backgammon, fevga are not all of this kind"),
        ({"variants": ["chess"]}, r"variants \['chess'\]: must be names of variants"),
        ({"variants": []}, r"variants \[\]"),
        ({"training": None}, "training None"),
    ],
)
def test_a_file_with_another_description(file: Path, entries: dict[str, Any], message: str) -> None:
    describe(file, **entries)
    with pytest.raises(FormatError, match=message):
        read_network(file)
