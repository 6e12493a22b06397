"""The network: its arithmetic, to the last bit, and its files."""

from __future__ import annotations

import hashlib
import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from vrhcaby import FormatError, Position, legal_moves, pack
from vrhcaby.evaluation._network import Network
from vrhcaby.evaluation.network_file import read_network, read_training, write_network

Arrays = dict[str, NDArray[np.float32]]


def arrays(hidden: int = 80) -> Arrays:
    """Weights by a rule that is exact in binary, so that they are the same everywhere."""

    def pattern(*shape: int) -> NDArray[np.float32]:
        count = int(np.prod(shape))
        return ((np.arange(count) * 7919 % 1021 - 510) / 1024).astype(np.float32).reshape(shape)

    return {
        "input_weights": pattern(208, hidden),
        "hidden_bias": pattern(hidden),
        "output_weights": pattern(5, hidden),
        "output_bias": pattern(5) * np.float32(0.5),
    }


def network(hidden: int = 80, changes: dict[str, Any] | None = None) -> Network:
    return Network({**arrays(hidden), **(changes or {})}, ("backgammon",), name="pattern")


def some_positions() -> NDArray[np.uint64]:
    """Start position, all first moves, and positions with checkers on the bar, borne off and stacked."""
    start = pack([Position.start()])
    entering: dict[int | str, int] = {"bar": 3, 6: 5, 2: 4}
    special = [
        Position.from_points(own=entering, opponent={24: 1, 5: 2, 3: 9}),
        Position.from_points(own={1: 15}, opponent=entering),
        Position.from_points(own={13: 7, 8: 4, 6: 4}, opponent={13: 15}),
    ]
    return np.concatenate([start, legal_moves(start)[0], pack(special)])


def by_hand(weights: Arrays, positions: NDArray[np.uint64]) -> NDArray[np.float64]:
    """The network in the plainest words and in double precision, before anything is made consistent."""
    rows = []
    for words in positions.tolist():
        inputs = []
        for low, high in (words[:2], words[2:]):
            for slot in range(26):
                count = (high << 64 | low) >> 4 * slot & 15
                inputs += [count == 1, count == 2, count >= 3, max(count - 3, 0) / 2]
        total = np.array(inputs, float) @ weights["input_weights"].astype(float) + weights["hidden_bias"]
        hidden = total / (1 + np.abs(total))
        rows.append(1 / (1 + np.exp(-(weights["output_weights"] @ hidden + weights["output_bias"]))))
    return np.array(rows)


def test_it_computes_what_its_description_says() -> None:
    positions = some_positions()
    expected = by_hand(arrays(), positions)
    win = expected[:, 0]
    own_off, opponent_off = positions[:, 0] & np.uint64(15), positions[:, 2] & np.uint64(15)
    expected[:, 1] = np.where(opponent_off, 0, np.minimum(expected[:, 1], win))
    expected[:, 2] = np.minimum(expected[:, 2], expected[:, 1])
    expected[:, 3] = np.where(own_off, 0, np.minimum(expected[:, 3], 1 - win))
    expected[:, 4] = np.minimum(expected[:, 4], expected[:, 3])
    assert np.ptp(win) > 0.3
    np.testing.assert_allclose(network().evaluate(positions), expected, atol=2e-6)


@pytest.mark.parametrize("hidden", [16, 80, 256])
def test_any_number_of_hidden_units(hidden: int) -> None:
    positions = some_positions()
    expected = by_hand(arrays(hidden), positions)[:, 0]
    np.testing.assert_allclose(network(hidden).evaluate(positions)[:, 0], expected, atol=2e-6)


def test_the_same_bits_on_every_machine() -> None:
    chances = network().evaluate(some_positions())
    digest = hashlib.sha256(chances.astype("<f4").tobytes()).hexdigest()
    assert digest == "a10ede140bada19dc72da49af5341f83a0177eb55af25891e643a5f3519f9cf1"


def test_the_same_bits_however_the_work_is_divided() -> None:
    positions = some_positions()
    whole = network().evaluate(positions)
    single = [network().evaluate(positions[i : i + 1]) for i in range(len(positions))]
    assert np.concatenate(single).tobytes() == whole.tobytes()


def test_what_is_no_position_does_no_harm() -> None:
    words = np.random.default_rng(1).integers(0, 2**64, (2000, 4), np.uint64, endpoint=False)
    words[0] = 2**64 - 1
    chances = network().evaluate(words)
    assert ((chances >= 0) & (chances <= 1)).all()


@pytest.mark.parametrize("sign", [1, -1])
def test_the_largest_weights_stay_finite(sign: int) -> None:
    huge = {name: np.full_like(array, sign * 1000) for name, array in arrays().items()}
    words = np.full((1, 4), 2**64 - 1, np.uint64)
    chances = network(changes=huge).evaluate(np.concatenate([words, some_positions()]))
    assert ((chances >= 0) & (chances <= 1)).all()


def test_no_positions() -> None:
    assert network().evaluate(np.empty((0, 4), np.uint64)).shape == (0, 5)


@pytest.mark.parametrize(
    ("positions", "error", "message"),
    [
        ([[0, 0, 0, 0]], TypeError, "NumPy array of uint64, not list"),
        (np.zeros((2, 4), np.int64), TypeError, "'<i8'"),
        (np.zeros((2, 4), ">u8"), TypeError, "'>u8'"),
        (np.zeros((2, 3), np.uint64), ValueError, r"\(2, 3\)"),
        (np.zeros(4, np.uint64), ValueError, r"\(4,\)"),
        (np.zeros((4, 4), np.uint64)[::2], ValueError, "not C-contiguous"),
    ],
)
def test_arrays_that_hold_no_positions(positions: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        network().evaluate(positions)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"hidden_bias": np.zeros(20, np.float32)}, "20 hidden units"),
        ({"hidden_bias": np.zeros(0, np.float32)}, "0 hidden units"),
        ({"hidden_bias": np.zeros(272, np.float32)}, "272 hidden units"),
        ({"hidden_bias": np.zeros((80, 1), np.float32)}, "hidden_bias"),
        ({"hidden_bias": None}, "hidden_bias"),
        (
            {"hidden_bias": np.zeros(96, np.float32)},
            r"input_weights is float32 \(208, 80\): must be float32 \(208, 96\)",
        ),
        ({"input_weights": np.zeros((208, 80))}, "input_weights is float64"),
        ({"input_weights": [[0.0] * 80] * 208}, "input_weights is list"),
        ({"output_weights": None}, "output_weights is NoneType"),
        ({"output_bias": np.zeros(6, np.float32)}, r"output_bias is float32 \(6,\)"),
        ({"output_bias": np.array([0, 0, np.nan, 0, 0], np.float32)}, r"output_bias\[2\] = nan"),
        ({"output_bias": np.array([0, 0, 0, -np.inf, 0], np.float32)}, r"output_bias\[3\] = -inf"),
        ({"output_bias": np.array([0, 1001, 0, 0, 0], np.float32)}, r"output_bias\[1\] = 1001"),
    ],
)
def test_weights_that_no_network_has(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        network(changes=changes)


def test_nobody_can_change_a_network() -> None:
    given = arrays()
    made = network(changes=given)
    before = made.evaluate(some_positions()).tobytes()
    for array in (*given.values(), *made.parameters.values()):
        array[...] = 0
    assert made.evaluate(some_positions()).tobytes() == before


# Files ---------------------------------------------------------------------------------------------------------------


@pytest.fixture
def file(tmp_path: Path) -> Path:
    write_network(tmp_path / "net.npz", network(), {"games": 7})
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


def test_a_file_holds_all_of_a_network(file: Path) -> None:
    found, training = read_training(file)
    assert (found.variants, training) == (("backgammon",), {"games": 7})
    for name, array in arrays().items():
        assert found.parameters[name].tobytes() == array.tobytes()


def test_another_network_has_another_name(file: Path) -> None:
    name = read_network(file).name
    assert name.startswith("net-")
    assert read_network(file).name == name
    write_network(file, network(changes={"output_bias": np.zeros(5, np.float32)}), {"games": 7})
    assert read_network(file).name.startswith("net-")
    assert read_network(file).name != name
    assert read_network(file, name="mine").name == "mine"


def test_equal_networks_give_equal_files(file: Path) -> None:
    other = file.with_name("other.npz")
    write_network(other, read_network(file), {"games": 7})
    assert other.read_bytes() == file.read_bytes()


def test_a_failure_leaves_the_old_file(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = file.read_bytes()

    def full_disk(*_: Any, **__: Any) -> None:
        raise OSError("no space")

    monkeypatch.setattr(np, "savez", full_disk)
    with pytest.raises(OSError, match="no space"):
        write_network(file, network(), {"games": 8})
    assert file.read_bytes() == before
    assert list(file.parent.iterdir()) == [file]


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read_network(tmp_path / "none.npz")


def test_files_cut_short(file: Path) -> None:
    whole = file.read_bytes()
    for length in (0, 1, 4, 100, len(whole) // 2, len(whole) - 1):
        file.write_bytes(whole[:length])
        with pytest.raises(FormatError, match=r"net\.npz: not a network file"):
            read_network(file)


def test_a_damaged_byte_is_never_accepted_as_a_weight(file: Path) -> None:
    whole = file.read_bytes()
    expected = arrays()
    refused = 0
    for place in range(50, len(whole), 997):
        file.write_bytes(whole[:place] + bytes([whole[place] ^ 64]) + whole[place + 1 :])
        try:
            found = read_network(file)
        except FormatError:
            refused += 1
        else:  # a byte that says nothing, such as the date of an entry
            assert all(found.parameters[name].tobytes() == array.tobytes() for name, array in expected.items())
    assert refused > 50


@pytest.mark.parametrize(
    ("content", "message"), [(b"no archive", "not a zip file"), (b"PK\x05\x06" + bytes(18), "without description")]
)
def test_other_files(file: Path, content: bytes, message: str) -> None:
    file.write_bytes(content)
    with pytest.raises(FormatError, match=message):
        read_network(file)


def test_a_file_with_objects_is_not_unpickled(file: Path) -> None:
    change(file, output_bias=np.array([{}], object))
    with pytest.raises(FormatError, match="allow_pickle=False"):
        read_network(file)


def test_a_small_file_that_unpacks_to_a_huge_one(file: Path) -> None:
    with zipfile.ZipFile(file, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("more.npy", bytes(1 << 24))
    with pytest.raises(FormatError, match="bytes unpacked, at most"):
        read_network(file)


@pytest.mark.parametrize("name", ["input_weights", "hidden_bias", "output_weights", "output_bias", "description"])
def test_a_file_without_an_entry(file: Path, name: str) -> None:
    change(file, **{name: None})
    with pytest.raises(FormatError, match=f"without {name}"):
        read_network(file)


def test_a_file_with_nan(file: Path) -> None:
    change(file, hidden_bias=np.full(80, np.nan, np.float32))
    with pytest.raises(FormatError, match=r"hidden_bias\[0\] = nan"):
        read_network(file)


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        ({"format": 3}, "format 3: only 1 and 2 can be read"),
        ({"format": 2}, "inputs 'slot counts': must be 'contrary' or 'parallel'"),
        ({"inputs": "pips"}, "inputs 'pips'"),
        ({"variants": []}, r"variants \[\]"),
        ({"variants": "backgammon"}, "variants 'backgammon'"),
        ({"variants": ["chess"]}, r"variants \['chess'\]"),
        ({"training": None}, "training None"),
    ],
)
def test_a_file_with_another_description(file: Path, entries: dict[str, Any], message: str) -> None:
    describe(file, **entries)
    with pytest.raises(FormatError, match=message):
        read_network(file)


@pytest.mark.parametrize("text", ["", "[]", "no JSON"])
def test_a_file_with_a_description_that_is_none(file: Path, text: str) -> None:
    change(file, description=np.array(text))
    with pytest.raises(FormatError, match=r"net\.npz: not a network file"):
        read_network(file)
