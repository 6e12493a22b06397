"""Pieces of work on several processes: for programs that hold Python's lock while they think."""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from itertools import islice
from typing import TypeVar

Piece = TypeVar("Piece")
Result = TypeVar("Result")


def run(function: Callable[[Piece], Result], pieces: Iterable[Piece], workers: int) -> Iterator[Result]:
    """The results in the order in which they are done. One worker is this process itself."""
    if workers == 1:
        yield from map(function, pieces)
        return
    queue = iter(pieces)
    spawn = multiprocessing.get_context("spawn")
    # Ctrl-C reaches all of them, but only this process acts on it.
    with ProcessPoolExecutor(
        workers, spawn, initializer=signal.signal, initargs=(signal.SIGINT, signal.SIG_IGN)
    ) as pool:
        waiting: set[Future[Result]] = set()
        try:
            while True:
                waiting |= {pool.submit(function, piece) for piece in islice(queue, 2 * workers - len(waiting))}
                if not waiting:
                    return
                done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
                for future in done:
                    yield future.result()
        finally:
            pool.shutdown(cancel_futures=True)
