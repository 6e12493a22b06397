"""One turn of look-ahead: every roll, and the best reply to each without looking further."""

cimport numpy as cnp
from libc.stdint cimport int64_t
from libc.string cimport memset

from vrhcaby._arrays cimport new_array, position_array
from vrhcaby._position cimport vr_position
from vrhcaby.evaluation._network cimport OUTPUTS
from vrhcaby.search._judge cimport Judge, Workspace, free_workspace, turn_round

from vrhcaby._core import check_positions
from vrhcaby._threads import check_workers, run_blocks

cnp.import_array()

__all__ = ["look_ahead"]

cdef enum:
    ROWS_PER_BLOCK = 32


cdef class LookAhead:
    """One bulk call over checked rows."""

    cdef Judge judge
    cdef const vr_position *positions
    cdef float *chances
    cdef int64_t size

    def run(self, int64_t first):
        """Fills the rows of the block that begins at `first`."""
        cdef int64_t i
        cdef int k, status = 0
        cdef double chances[OUTPUTS]
        cdef Workspace workspace
        memset(&workspace, 0, sizeof(Workspace))
        with nogil:
            for i in range(first, min(first + ROWS_PER_BLOCK, self.size)):
                if self.judge.knows(&self.positions[i], self.chances + OUTPUTS * i):
                    continue
                status = self.judge.play_every_roll(&self.positions[i], &workspace)
                if status < 0:
                    break
                self.judge.average(&workspace, chances)
                turn_round(chances)
                for k in range(OUTPUTS):
                    self.chances[OUTPUTS * i + k] = <float>chances[k]
            free_workspace(&workspace)
        if status < 0:
            raise MemoryError("children of a position")


def look_ahead(positions, *, variant="backgammon", evaluator=None, bear_off=True, workers=1):
    """Chances of the player on roll, before he rolls, with one turn of look-ahead.

    Of each of the 21 rolls the play with the best equity, without looking further, is taken (of equal ones the first),
    and the chances after these plays are averaged, doubles once and other rolls twice.

    Parameters
    ----------
    positions : (n, 4) uint64
        Packed positions, C-contiguous.
    variant : str or Variant
        What is played; its points decide which play is best.
    evaluator : Network, IncrementalNetwork, str, path or None
        What judges the plays: a network, the name of a shipped one, the path of one of your own, or None = the shipped
        one for the variant.
    bear_off : bool
        Whether races in which everyone is home are taken from the bear-off table.
    workers : int or None
        Number of threads; None = all usable cores. The result does not depend on it.

    Returns
    -------
    (n, 5) float32
        Win, win gammon, win backgammon, lose gammon, lose backgammon, as `vrhcaby.evaluate` returns them. Games that
        are over have their exact results.

    Raises
    ------
    PositionError
        A row that is no position of the variant.
    TypeError, ValueError
        A wrong shape, dtype or number of workers, an evaluator that is no network, or one for other variants.
    FormatError, OSError
        As `vrhcaby.load_evaluator`.

    >>> from vrhcaby import Position, pack
    >>> seven_to_go = Position.from_points(own={7: 1}, opponent={1: 1})
    >>> float(36 * look_ahead(pack([seven_to_go]))[0, 0])  # every roll of 7 or more, and 2-2
    23.0
    """
    cdef cnp.ndarray rows = position_array(positions, "positions").copy()  # the caller may change his meanwhile
    cdef LookAhead job = LookAhead.__new__(LookAhead)
    cdef int threads = check_workers(workers)
    check_positions(rows, variant)
    job.judge = Judge(evaluator, variant, bear_off=bear_off)
    job.size = cnp.PyArray_DIM(rows, 0)
    cdef cnp.ndarray chances = new_array(cnp.NPY_FLOAT32, job.size, OUTPUTS)
    job.positions = <const vr_position *>cnp.PyArray_DATA(rows)
    job.chances = <float *>cnp.PyArray_DATA(chances)
    for _ in run_blocks(job.run, range(0, job.size, ROWS_PER_BLOCK), threads if job.size > ROWS_PER_BLOCK else 1):
        pass
    return chances
