"""Long work that survives being killed: a file that says what the work is, and then each piece that is done."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

Entry = dict[str, Any]


class Journal:
    """JSON lines: the first says what the work is, each of the others is the result of one piece of it.

    Parameters
    ----------
    path : Path or None
        The file; it is begun if it is not there. None keeps nothing.
    work : dict
        What fixes the results. A file of other work is refused.

    Attributes
    ----------
    entries : list of dict
        The pieces that are done. A last line that was cut short by a kill is dropped, and its piece done again.

    Raises
    ------
    ValueError
        The file is of other work; the message says what differs.
    """

    def __init__(self, path: Path | None, work: Entry) -> None:
        self.path = path
        self.entries: list[Entry] = []
        if path is None:
            return
        whole = b""
        if path.exists():
            content = path.read_bytes()
            whole = content[: content.rfind(b"\n") + 1]
        if whole:
            found, *self.entries = map(json.loads, whole.splitlines())
            differences = [key for key in {**found, **work} if found.get(key) != work.get(key)]
            if differences:
                texts = (f"{key} = {found.get(key)!r} there, {work.get(key)!r} here" for key in differences)
                raise ValueError(f"{path} is of other work: {'; '.join(texts)}")
            with path.open("r+b") as file:
                file.truncate(len(whole))
        else:
            path.write_text(json.dumps(work) + "\n", encoding="utf-8")

    def add(self, entry: Entry) -> None:
        """One more piece is done: it is in the file when this returns."""
        self.entries.append(entry)
        if self.path is not None:
            with self.path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(entry) + "\n")
