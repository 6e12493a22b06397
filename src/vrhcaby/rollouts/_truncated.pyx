"""Short rollouts whose luck is taken out, of many positions at once."""

cimport numpy as cnp
from libc.math cimport NAN, sqrt
from libc.stdint cimport int64_t, uint32_t, uint64_t
from libc.string cimport memset

from vrhcaby._arrays cimport new_array, position_array
from vrhcaby._dice cimport roll
from vrhcaby._hash cimport position_hash
from vrhcaby._position cimport vr_position
from vrhcaby.evaluation._network cimport OUTPUTS, equity
from vrhcaby.search._judge cimport Judge, Workspace, free_workspace, roll_index, turn_round

from vrhcaby._core import check_positions
from vrhcaby._numbers import LARGEST_SEED, whole_number
from vrhcaby._threads import check_workers, run_blocks

cnp.import_array()

__all__ = ["truncated_rollouts"]

cdef enum:
    TURNS_PER_BLOCK = 256                   # about so many: small enough to be interrupted
    MAX_TURNS = 4096


cdef inline void seen_by_first(double *chances, uint32_t turn) noexcept nogil:
    """Turns chances after so many turns to the player who was on roll at the beginning."""
    if turn % 2:
        turn_round(chances)


cdef class TruncatedRollouts:
    """One bulk call over checked rows."""

    cdef Judge judge
    cdef const vr_position *positions
    cdef float *means
    cdef float *errors
    cdef int64_t trials
    cdef uint64_t seed
    cdef uint64_t first_trial
    cdef uint32_t turns
    cdef bint look_ahead

    def run(self, range rows):
        """Fills the rows of a block."""
        cdef int64_t row, first = rows.start, stop = rows.stop
        cdef int status = 0
        cdef Workspace workspace
        memset(&workspace, 0, sizeof(Workspace))
        with nogil:
            for row in range(first, stop):
                status = self.roll_out(row, &workspace)
                if status < 0:
                    break
            free_workspace(&workspace)
        if status < 0:
            raise MemoryError("children of a position")

    cdef int roll_out(self, int64_t row, Workspace *workspace) noexcept nogil:
        """All trials of a row."""
        cdef const vr_position *position = &self.positions[row]
        cdef const int *points = self.judge.rule_set.rules.points
        cdef uint64_t key = self.seed ^ position_hash(position)
        cdef double chances[OUTPUTS]
        cdef double means[OUTPUTS]
        cdef float *result = self.means + OUTPUTS * row
        cdef double value, difference, mean = 0, squares = 0
        cdef int64_t i
        cdef int k
        for k in range(OUTPUTS):
            means[k] = 0
        for i in range(self.trials):
            if self.trial(position, key, self.first_trial + <uint64_t>i, workspace, chances) < 0:
                return -1
            for k in range(OUTPUTS):
                means[k] += (chances[k] - means[k]) / (i + 1)
                result[k] = <float>chances[k]
            value = equity(result, points)
            difference = value - mean
            mean += difference / (i + 1)
            squares += difference * (value - mean)
        for k in range(OUTPUTS):
            result[k] = <float>means[k]
        self.errors[row] = <float>sqrt(squares / (self.trials - 1) / self.trials) if self.trials > 1 else <float>NAN
        return 0

    cdef int trial(
        self, const vr_position *start, uint64_t key, uint64_t trial, Workspace *workspace, double *chances
    ) noexcept nogil:
        """One game: the chances at its end less the luck of its rolls, seen by the player on roll at the start."""
        cdef vr_position position = start[0]
        cdef float found[OUTPUTS]           # of the position, for its player on roll
        cdef double luck[OUTPUTS]
        cdef double rolled[OUTPUTS]
        cdef double expected[OUTPUTS]
        cdef uint32_t turn = 0
        cdef int die1 = 0, die2 = 0, k
        cdef int64_t best
        for k in range(OUTPUTS):
            luck[k] = 0
        while not self.judge.knows(&position, found):
            if turn == self.turns and not self.look_ahead:
                break                       # `found` is what was said of it when it was chosen
            if self.judge.play_every_roll(&position, workspace) < 0:
                return -1
            self.judge.average(workspace, expected)
            seen_by_first(expected, turn + 1)
            if turn == self.turns:
                for k in range(OUTPUTS):
                    chances[k] = expected[k] - luck[k]
                return 0
            turn += 1
            roll(key, trial, turn, &die1, &die2)
            best = workspace.best[roll_index(die1, die2)]
            position = workspace.children.items[best]
            for k in range(OUTPUTS):
                found[k] = workspace.chances[OUTPUTS * best + k]
                rolled[k] = found[k]
            seen_by_first(rolled, turn)
            for k in range(OUTPUTS):
                luck[k] += rolled[k] - expected[k]
        for k in range(OUTPUTS):
            chances[k] = found[k]
        seen_by_first(chances, turn)
        for k in range(OUTPUTS):
            chances[k] -= luck[k]
        return 0


def truncated_rollouts(
    positions, *, turns, seed, trials=1, first_trial=0, look_ahead=True, variant="backgammon", evaluator=None,
    bear_off=True, workers=1,
):
    """Chances of the player on roll, before he rolls, from games of a few turns whose luck is taken out.

    In each trial a network plays both sides without looking ahead, up to a number of turns, and the position that is
    reached is judged. The luck of a roll is what the network says after the best play of it, less the mean of the same
    over all rolls; it is nothing on average, so taking it from the result changes the mean not at all and the variance
    very much.

    Parameters
    ----------
    positions : (n, 4) uint64
        Packed positions, C-contiguous.
    turns : int
        How many turns are played, from 1 to 4096. Games that end before have their exact results.
    seed : int
        64-bit seed. The dice of a trial follow from the seed, the position and the number of the trial, however the
        positions are arranged.
    trials : int
        Games of each position.
    first_trial : int
        Number of the first trial, to continue a series.
    look_ahead : bool
        Whether the last position is judged with one turn of look-ahead, as `vrhcaby.search.look_ahead` does.
    variant : str or Variant
        What is played; its points decide which play is best.
    evaluator : Network, IncrementalNetwork, str, path or None
        Who plays and judges: a network, the name of a shipped one, the path of one of your own, or None = the shipped
        one for the variant.
    bear_off : bool
        Whether games end where everyone is home, with the chances of the bear-off table.
    workers : int or None
        Number of threads; None = all usable cores. The result does not depend on it.

    Returns
    -------
    chances : (n, 5) float32
        Means over the trials of win, win gammon, win backgammon, lose gammon, lose backgammon. They are not bounded: a
        mean from few trials may be slightly below 0 or above 1, and bounding it would bias it.
    errors : (n,) float32
        Standard error of the mean equity, in points; NaN if there is one trial.

    Raises
    ------
    PositionError
        A row that is no position of the variant.
    TypeError, ValueError
        A number that makes no sense, a wrong shape or dtype, an evaluator that is no network, or one for other
        variants; a variant with a last roll, which is not played yet.
    FormatError, OSError
        As `vrhcaby.load_evaluator`.

    >>> from vrhcaby import Position, pack
    >>> chances, errors = truncated_rollouts(pack([Position.start()]), turns=4, trials=100, seed=1)
    >>> bool(0.5 < chances[0, 0] < 0.55), bool(errors[0] < 0.02)
    (True, True)
    """
    cdef cnp.ndarray rows = position_array(positions, "positions").copy()  # the caller may change his meanwhile
    cdef TruncatedRollouts job = TruncatedRollouts.__new__(TruncatedRollouts)
    threads = check_workers(workers)
    job.turns = whole_number(turns, "turns", 1, MAX_TURNS)
    job.trials = whole_number(trials, "trials", 1, 2**62)
    job.first_trial = whole_number(first_trial, "first_trial", 0, 2**62)
    job.seed = whole_number(seed, "seed", 0, LARGEST_SEED)
    job.look_ahead = look_ahead
    check_positions(rows, variant)
    job.judge = Judge(evaluator, variant, bear_off=bear_off)
    if job.judge.rule_set.rules.last_roll:
        raise ValueError(f"last_roll = {job.judge.rule_set.variant.last_roll!r}: rollouts do not play a last roll yet")
    count = len(rows)
    cdef cnp.ndarray chances = new_array(cnp.NPY_FLOAT32, count, OUTPUTS)
    cdef cnp.ndarray errors = new_array(cnp.NPY_FLOAT32, count)
    job.positions = <const vr_position *>cnp.PyArray_DATA(rows)
    job.means = <float *>cnp.PyArray_DATA(chances)
    job.errors = <float *>cnp.PyArray_DATA(errors)
    size = max(1, TURNS_PER_BLOCK // (trials * turns))
    blocks = (range(first, min(first + size, count)) for first in range(0, count, size))
    for _ in run_blocks(job.run, blocks, threads if count > size else 1):
        pass
    return chances, errors
