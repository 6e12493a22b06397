"""Networks as ``.npz`` files: the arrays of a network, and a JSON text that says what they are.

Format 1 is a `Network` with one hidden layer, which self-play makes from nothing; format 2 an `IncrementalNetwork`.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from vrhcaby.errors import FormatError
from vrhcaby.evaluation._incremental import IncrementalNetwork
from vrhcaby.evaluation._network import Network
from vrhcaby.variants import VARIANTS

__all__ = ["read_network", "read_training", "write_network"]

_LARGEST_FILE = 1 << 24  # bytes unpacked; the arrays of the largest network have a quarter of it
_ONE_LAYER = ("input_weights", "hidden_bias", "output_weights", "output_bias")
_PART = ("columns", "bias", "weights2", "bias2", "weights3", "bias3", "weights4", "bias4")
_CONTACT = tuple(f"contact_{name}" for name in _PART)
# Either all of them are there or none.
_OPTIONAL = (tuple(f"race_{name}" for name in _PART), tuple(f"filter_{name}" for name in _PART[:4]))
_INPUTS = {1: ("slot counts",), 2: ("contrary", "parallel")}


def read_network(path: str | os.PathLike[str], *, name: str | None = None) -> Network | IncrementalNetwork:
    """The network of a file.

    Parameters
    ----------
    path : path
    name : str, optional
        What to call it. By default the name of the file and the first digits of a checksum of the weights, so that
        results of two networks are not taken for results of one.

    Raises
    ------
    FormatError
        Not such a file, damaged, of a newer format, or with numbers that no network has.
    OSError
        The file cannot be opened.
    """
    return _read(path, name)[0]


def read_training(path: str | os.PathLike[str]) -> tuple[Network | IncrementalNetwork, dict[str, Any]]:
    """The network of a file and how it was trained, as `write_network` was told.

    Raises
    ------
    FormatError, OSError
        As `read_network`.
    """
    return _read(path, None)


def _read(path: str | os.PathLike[str], name: str | None) -> tuple[Network | IncrementalNetwork, dict[str, Any]]:
    path = Path(path)
    with path.open("rb") as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode) or status.st_size > _LARGEST_FILE:
            raise FormatError(f"{path}: not a network file: neither a device nor larger than {_LARGEST_FILE} bytes")
        try:
            arrays, description = _parse(file)
            called = name or f"{path.stem}-{_checksum(arrays)}"
            return _made(arrays, description, called), description["training"]
        except Exception as error:  # a damaged archive raises a dozen kinds, from zipfile.BadZipFile to MemoryError
            raise FormatError(f"{path}: not a network file: {error or type(error).__name__}") from error


def _parse(file: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    with zipfile.ZipFile(file) as archive:
        size = sum(entry.file_size for entry in archive.infolist())
    if size > _LARGEST_FILE:
        raise FormatError(f"{size} bytes unpacked, at most {_LARGEST_FILE} are possible")
    file.seek(0)
    with np.load(file, allow_pickle=False) as entries:
        if "description" not in entries:
            raise FormatError("without description")
        description = json.loads(str(entries["description"]))
        _check(description)
        names = _ONE_LAYER if description["format"] == 1 else _CONTACT
        if description["format"] == 2:
            names += tuple(name for group in _OPTIONAL if any(name in entries for name in group) for name in group)
        missing = [name for name in names if name not in entries]
        if missing:
            raise FormatError(f"without {', '.join(missing)}")
        return {name: entries[name] for name in names}, description


def _made(arrays: dict[str, Any], description: dict[str, Any], name: str) -> Network | IncrementalNetwork:
    if description["format"] == 1:
        return Network(arrays, description["variants"], name=name)
    return IncrementalNetwork(arrays, description["variants"], inputs=description["inputs"], name=name)


def _checksum(arrays: dict[str, Any]) -> str:
    checksum = hashlib.sha256()
    for array in arrays.values():
        checksum.update(array.tobytes())
    return checksum.hexdigest()[:8]


def _check(description: Any) -> None:
    if not isinstance(description, dict):
        raise FormatError("the description is no JSON object")
    inputs = _INPUTS.get(description.get("format", 0)) if isinstance(description.get("format"), int) else None
    if inputs is None:
        raise FormatError(f"format {description.get('format')!r}: only {' and '.join(map(str, _INPUTS))} can be read")
    if description.get("inputs") not in inputs:
        raise FormatError(f"inputs {description.get('inputs')!r}: must be {' or '.join(map(repr, inputs))}")
    variants = description.get("variants")
    if not isinstance(variants, list) or not variants or not all(name in VARIANTS for name in variants):
        raise FormatError(f"variants {variants!r}: must be names of variants")
    directions = {VARIANTS[name].direction for name in variants}
    if description["format"] == 2 and directions != {description["inputs"]}:
        raise FormatError(f"inputs {description['inputs']!r}: variants {', '.join(variants)} are not all of this kind")
    if not isinstance(description.get("training"), dict):
        raise FormatError(f"training {description.get('training')!r}: must be a JSON object")


def write_network(
    path: str | os.PathLike[str], network: Network | IncrementalNetwork, training: dict[str, Any]
) -> None:
    """Write a network and how it was trained. The file is complete or, after a failure, what it was before.

    Equal contents give equal bytes.

    Raises
    ------
    OSError
        The file cannot be written.
    """
    kind = {"format": 1, "inputs": "slot counts"}
    if isinstance(network, IncrementalNetwork):
        kind = {"format": 2, "inputs": network.inputs}
    description = {**kind, "variants": list(network.variants), "training": training}
    entries: dict[str, Any] = {"description": np.array(json.dumps(description)), **network.parameters}
    path = Path(path)
    unfinished = path.with_name(path.name + ".part")
    try:
        with unfinished.open("wb") as file:
            np.savez(file, **entries)
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)
