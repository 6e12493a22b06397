"""Blocks on threads: order, failures, and calls from inside a block."""

from __future__ import annotations

import os
import signal
import threading
import time

import pytest

from vrhcaby._threads import check_workers, run_blocks, usable_cores


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_results_come_in_the_order_of_the_blocks(workers: int) -> None:
    def slow_when_early(block: int) -> int:
        time.sleep(0.02 if block % 4 == 0 else 0)
        return -block

    assert list(run_blocks(slow_when_early, range(20), workers)) == [-block for block in range(20)]


@pytest.mark.parametrize("workers", [1, 2])
def test_a_failure_ends_the_run_and_leaves_the_pool_usable(workers: int) -> None:
    begun = []

    def fail_at_three(block: int) -> int:
        begun.append(block)
        if block == 3:
            raise RuntimeError("three")
        return block

    with pytest.raises(RuntimeError, match="three"):
        list(run_blocks(fail_at_three, range(1000), workers))
    assert len(begun) < 20
    assert list(run_blocks(abs, range(4), workers)) == [0, 1, 2, 3]


def test_a_block_may_run_blocks_itself() -> None:
    """Both threads of the pool would wait for blocks that are queued behind them."""

    def inner(block: int) -> list[str]:
        return list(run_blocks(lambda _: threading.current_thread().name, range(8), 2))

    for names in run_blocks(inner, range(6), 2):
        assert len(set(names)) == 1


def test_stop_is_called_before_blocks_under_way_are_waited_for() -> None:
    stop = threading.Event()

    def until_stopped(block: int) -> int:
        if block:
            assert stop.wait(60)
        return block

    blocks = run_blocks(until_stopped, range(6), 2, stop=stop.set)
    assert next(blocks) == 0
    blocks.close()
    assert stop.is_set()


def test_none_means_all_usable_cores() -> None:
    assert check_workers(None) == usable_cores()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
def test_a_forked_child_makes_a_pool_of_its_own() -> None:
    assert list(run_blocks(abs, range(4), 2)) == [0, 1, 2, 3]
    child = os.fork()
    if child == 0:
        os._exit(0 if list(run_blocks(abs, range(4), 2)) == [0, 1, 2, 3] else 1)
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            assert os.waitstatus_to_exitcode(status) == 0
            return
        time.sleep(0.01)
    os.kill(child, signal.SIGKILL)
    pytest.fail("the child hangs")
