"""Blocks of work on a pool of threads. Native code releases the GIL; results never depend on the number of workers."""

from __future__ import annotations

import _thread  # `threading` itself would add milliseconds to the import of the package
import os
from collections import deque
from collections.abc import Callable, Generator, Iterable
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor

__all__ = ["check_workers", "run_blocks"]

Block = TypeVar("Block")
Result = TypeVar("Result")

MOST_WORKERS = 1024  # threads: beyond any machine of today, and far below what a process may have

_pools: dict[int, ThreadPoolExecutor] = {}
_this_thread = _thread._local()  # .is_ours: it belongs to one of the pools
_lock = _thread.allocate_lock()


def _forget_pools() -> None:
    # The threads of a pool do not exist in a forked child, and the lock may have been held by one of them.
    global _lock
    _pools.clear()
    _lock = _thread.allocate_lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_pools)


def usable_cores() -> int:
    """Number of processors this process may run on.

    >>> usable_cores() >= 1
    True
    """
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def check_workers(workers: int | None) -> int:
    """The number of threads meant by a ``workers`` argument; None = all usable cores.

    Raises
    ------
    ValueError
        Anything but None or a whole number from 1 to 1024.

    >>> check_workers(2)
    2
    """
    if workers is None:
        return usable_cores()
    if isinstance(workers, bool) or not hasattr(workers, "__index__") or not 1 <= workers.__index__() <= MOST_WORKERS:
        raise ValueError(
            f"workers = {workers!r}: must be a whole number from 1 to {MOST_WORKERS}, or None for all cores"
        )
    return workers.__index__()


def run_blocks(
    function: Callable[[Block], Result],
    blocks: Iterable[Block],
    workers: int,
    *,
    stop: Callable[[], object] = lambda: None,
) -> Generator[Result]:
    """The function of each block, in the order of the blocks; at most a few blocks ahead are under way.

    With one worker everything runs in the calling thread, and so it does in a thread that is itself at work on a block:
    waiting there for blocks that are queued behind it would never end. If a block fails, or the caller stops asking,
    blocks that have not begun are cancelled, and those under way are waited for: `stop` is called before, to make them
    end early.

    >>> list(run_blocks(abs, [-1, -2, 3], workers=2))
    [1, 2, 3]
    """
    if workers == 1 or getattr(_this_thread, "is_ours", False):
        for block in blocks:
            yield function(block)
        return
    from concurrent.futures import ThreadPoolExecutor, wait

    with _lock:
        pool = _pools.get(workers)
        if pool is None:
            pool = _pools[workers] = ThreadPoolExecutor(workers, "vrhcaby", initializer=_mark_thread)
    waiting: deque[Future[Result]] = deque()
    try:
        for block in blocks:
            waiting.append(pool.submit(function, block))
            # Two blocks a worker keep all of them busy while the memory stays bounded.
            if len(waiting) >= 2 * workers:
                yield _first_result(waiting)
        while waiting:
            yield _first_result(waiting)
    finally:
        if waiting:
            for future in waiting:
                future.cancel()
            stop()
            wait(waiting)


def _mark_thread() -> None:
    _this_thread.is_ours = True


def _first_result(waiting: deque[Future[Result]]) -> Result:
    # It leaves the queue only when it is there: an interrupt of the waiting leaves it among those to be waited for.
    result = waiting[0].result()
    waiting.popleft()
    return result
