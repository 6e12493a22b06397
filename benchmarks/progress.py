"""How far long work is: one line on stderr that is written over, or a line now and then where that goes to a file."""

from __future__ import annotations

import sys
import time

EVERY_SECONDS = {True: 0.5, False: 60.0}  # on a terminal, elsewhere


class Progress:
    """Counts pieces of work.

    Parameters
    ----------
    total : int
        How many there are.
    done : int
        How many are done already.
    unit : str
        What they are, in the plural.
    """

    def __init__(self, total: int, done: int, unit: str) -> None:
        self._total = total
        self._unit = unit
        self._begun, self._done_before = time.monotonic(), done
        self._written = 0.0

    def __call__(self, done: int, remark: object = "") -> None:
        """So many are done now; the remark ends the line."""
        now = time.monotonic()
        terminal = sys.stderr.isatty()
        if done < self._total and now - self._written < EVERY_SECONDS[terminal]:
            return
        self._written = now
        rate = (done - self._done_before) / max(now - self._begun, 1e-9)
        left = f", {(self._total - done) / rate / 60:,.1f} minutes left" if rate and done < self._total else ""
        line = f"{done:,} of {self._total:,} {self._unit}, {rate:,.1f} a second{left}  {remark}"
        end = "\n" if done >= self._total or not terminal else ""
        print(f"\r\x1b[K{line}" if terminal else line, end=end, file=sys.stderr, flush=True)
