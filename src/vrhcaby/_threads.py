"""Blocks of work on a pool of threads. Native code releases the GIL; results never depend on the number of workers."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

__all__ = ["check_workers", "run_blocks"]

Block = TypeVar("Block")
Result = TypeVar("Result")

_pools: dict[int, ThreadPoolExecutor] = {}
_lock = threading.Lock()


def _forget_pools() -> None:
    # The threads of a pool do not exist in a forked child, and the lock may have been held by one of them.
    global _lock
    _pools.clear()
    _lock = threading.Lock()


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
        Anything but a whole number from 1, or None.

    >>> check_workers(2)
    2
    """
    if workers is None:
        return usable_cores()
    if isinstance(workers, bool) or not hasattr(workers, "__index__") or workers.__index__() < 1:
        raise ValueError(f"workers = {workers!r}: must be a whole number from 1, or None for all cores")
    return workers.__index__()


def run_blocks(function: Callable[[Block], Result], blocks: Iterable[Block], workers: int) -> Iterator[Result]:
    """The function of each block, in the order of the blocks; at most a few blocks ahead are under way.

    With one worker everything runs in the calling thread. If a block fails, or the caller stops asking, blocks that
    have not begun are cancelled, and those under way are waited for.

    >>> list(run_blocks(abs, [-1, -2, 3], workers=2))
    [1, 2, 3]
    """
    if workers == 1:
        for block in blocks:
            yield function(block)
        return
    from collections import deque
    from concurrent.futures import Future, ThreadPoolExecutor, wait

    with _lock:
        pool = _pools.get(workers)
        if pool is None:
            pool = _pools[workers] = ThreadPoolExecutor(workers, thread_name_prefix="vrhcaby")
    waiting: deque[Future[Result]] = deque()
    try:
        for block in blocks:
            waiting.append(pool.submit(function, block))
            # Two blocks a worker keep all of them busy while the memory stays bounded.
            if len(waiting) >= 2 * workers:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        for future in waiting:
            future.cancel()
        wait(waiting)
