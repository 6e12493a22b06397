"""Files that are complete or not there, whenever the work is killed."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

__all__ = ["append_line", "replaced"]


@contextlib.contextmanager
def replaced(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """A file to write to, which takes the name when the block has ended well. Until then the name means what it did.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with replaced(Path(folder, "whole")) as file:
    ...         _ = file.write(b"all of it")
    ...     Path(folder, "whole").read_bytes()
    b'all of it'
    """
    path = Path(path)
    unfinished = path.with_name(path.name + ".part")
    try:
        with unfinished.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)


def append_line(path: str | os.PathLike[str], record: dict[str, Any]) -> None:
    """Add a JSON object to a file with one on each line."""
    with Path(path).open("a", encoding="utf-8") as file:
        file.write(json.dumps(record, allow_nan=False) + "\n")
