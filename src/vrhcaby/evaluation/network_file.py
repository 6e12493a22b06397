"""Networks as ``.npz`` files: the four arrays of `Network`, and a JSON text that says what they are."""

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
from vrhcaby.evaluation._network import Network
from vrhcaby.variants import VARIANTS

__all__ = ["read_network", "read_training", "write_network"]

_FORMAT = 1
_INPUTS = "slot counts"
_LARGEST_FILE = 1 << 24  # bytes unpacked; the arrays of the largest network have a sixtieth of it
_ARRAYS = ("input_weights", "hidden_bias", "output_weights", "output_bias")


def read_network(path: str | os.PathLike[str], *, name: str | None = None) -> Network:
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


def read_training(path: str | os.PathLike[str]) -> tuple[Network, dict[str, Any]]:
    """The network of a file and how it was trained, as `write_network` was told.

    Raises
    ------
    FormatError, OSError
        As `read_network`.
    """
    return _read(path, None)


def _read(path: str | os.PathLike[str], name: str | None) -> tuple[Network, dict[str, Any]]:
    path = Path(path)
    with path.open("rb") as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode) or status.st_size > _LARGEST_FILE:
            raise FormatError(f"{path}: not a network file: neither a device nor larger than {_LARGEST_FILE} bytes")
        try:
            arrays, description = _parse(file)
            called = name or f"{path.stem}-{_checksum(arrays)}"
            return Network(arrays, description["variants"], name=called), description["training"]
        except Exception as error:  # a damaged archive raises a dozen kinds, from zipfile.BadZipFile to MemoryError
            raise FormatError(f"{path}: not a network file: {error or type(error).__name__}") from error


def _parse(file: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    with zipfile.ZipFile(file) as archive:
        size = sum(entry.file_size for entry in archive.infolist())
    if size > _LARGEST_FILE:
        raise FormatError(f"{size} bytes unpacked, at most {_LARGEST_FILE} are possible")
    file.seek(0)
    with np.load(file, allow_pickle=False) as entries:
        missing = [key for key in (*_ARRAYS, "description") if key not in entries]
        if missing:
            raise FormatError(f"without {', '.join(missing)}")
        arrays = {key: entries[key] for key in _ARRAYS}
        description = json.loads(str(entries["description"]))
    _check(description)
    return arrays, description


def _checksum(arrays: dict[str, Any]) -> str:
    checksum = hashlib.sha256()
    for name in _ARRAYS:
        checksum.update(arrays[name].tobytes())
    return checksum.hexdigest()[:8]


def _check(description: Any) -> None:
    if not isinstance(description, dict):
        raise FormatError("the description is no JSON object")
    for key, value in (("format", _FORMAT), ("inputs", _INPUTS)):
        if description.get(key) != value:
            raise FormatError(f"{key} {description.get(key)!r}: only {value!r} can be read")
    variants = description.get("variants")
    if not isinstance(variants, list) or not variants or not all(name in VARIANTS for name in variants):
        raise FormatError(f"variants {variants!r}: must be names of variants")
    if not isinstance(description.get("training"), dict):
        raise FormatError(f"training {description.get('training')!r}: must be a JSON object")


def write_network(path: str | os.PathLike[str], network: Network, training: dict[str, Any]) -> None:
    """Write a network and how it was trained. The file is complete or, after a failure, what it was before.

    Equal contents give equal bytes.

    Raises
    ------
    OSError
        The file cannot be written.
    """
    description = {"format": _FORMAT, "inputs": _INPUTS, "variants": list(network.variants), "training": training}
    entries: dict[str, Any] = {"description": np.array(json.dumps(description)), **network.parameters}
    path = Path(path)
    unfinished = path.with_name(path.name + ".part")
    try:
        with unfinished.open("wb") as file:
            np.savez(file, **entries)
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)
