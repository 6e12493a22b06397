"""An evaluator under the rules of a variant, for native code that holds no GIL."""

from libc.stdint cimport int64_t
from libc.stdlib cimport realloc

from vrhcaby._core cimport append_children, rule_set
from vrhcaby._position cimport OFF, slot_count, vr_position
from vrhcaby._steps cimport Rules, outcome
from vrhcaby.evaluation._bearoff cimport bears_off_alike, reaches
from vrhcaby.evaluation._incremental cimport PASSED, IncrementalNetwork, begin
from vrhcaby.evaluation._network cimport OUTPUTS, Network, equity, estimate, exact_chances, settle

from vrhcaby.evaluation._bearoff import bear_off as bear_off_table
from vrhcaby.evaluation.shipped import as_evaluator

__all__ = ["Judge"]


cdef class Judge:
    """A network that judges positions of a variant, and chooses moves without looking ahead.

    If it has a filter, that chooses the plays of each roll that are judged.

    Parameters
    ----------
    evaluator : Network, IncrementalNetwork, str, path or None
        A network, the name of a shipped one, the path of one of your own, or None = the shipped one for the variant.
    variant : str or Variant
    bear_off : bool
        Whether the bear-off table judges where it reaches, in variants that it serves.

    Raises
    ------
    TypeError
        Another kind of evaluator: native code cannot ask it.
    ValueError, FormatError, OSError
        No such network, or not for this variant.

    >>> Judge(None, "tavla").network.name
    'backgammon'
    """

    def __cinit__(self, evaluator, variant, *, bint bear_off=True):
        self.rule_set = rule_set(variant)
        self.network = as_evaluator(evaluator, self.rule_set.variant)
        if isinstance(self.network, IncrementalNetwork):
            self.incremental = self.network
            self.filters = self.incremental.network.filter.buckets != 0
        elif isinstance(self.network, Network):
            self.plain = self.network
        else:
            raise TypeError(f"evaluator = {evaluator!r}: must be a network, its name or its path")
        self.bears_off = bear_off and bears_off_alike(&self.rule_set.rules)
        if self.bears_off:
            self.table = bear_off_table()

    cdef bint knows(self, const vr_position *position, float *chances) noexcept nogil:
        cdef int result = outcome(&self.rule_set.rules, position)
        if result:
            exact_chances(result, chances)
            return True
        if self.bears_off and reaches(position):
            self.table.find_chances(position, chances)
            return True
        return False

    cdef int64_t play(self, const vr_position *position, int die1, int die2, Workspace *workspace) noexcept nogil:
        workspace.children.size = 0
        begin(&workspace.parent, position)
        if append_roll(self, position, die1, die2, workspace) < 0 or judge_children(self, position, workspace) < 0:
            return -1
        return least(&self.rule_set.rules, workspace, 0, workspace.children.size)

    cdef int play_every_roll(self, const vr_position *position, Workspace *workspace) noexcept nogil:
        cdef int64_t ends[ROLL_COUNT]
        cdef int64_t first = 0
        cdef int large, small, k = 0
        workspace.children.size = 0
        begin(&workspace.parent, position)
        for large in range(1, 7):
            for small in range(1, large + 1):
                if append_roll(self, position, large, small, workspace) < 0:
                    return -1
                ends[k] = workspace.children.size
                k += 1
        if judge_children(self, position, workspace) < 0:
            return -1
        for k in range(ROLL_COUNT):
            workspace.best[k] = least(&self.rule_set.rules, workspace, first, ends[k])
            first = ends[k]
        return 0

    cdef void average(self, const Workspace *workspace, double *chances) noexcept nogil:
        cdef const float *row
        cdef int large, small, k, roll = 0
        for k in range(OUTPUTS):
            chances[k] = 0
        for large in range(1, 7):
            for small in range(1, large + 1):
                row = workspace.chances + OUTPUTS * workspace.best[roll]
                for k in range(OUTPUTS):
                    chances[k] += (1 if large == small else 2) * <double>row[k]
                roll += 1
        for k in range(OUTPUTS):
            chances[k] /= 36

    def __repr__(self):
        return f"<Judge {self.network.name} for {self.rule_set.variant.name}>"


cdef inline bint all_known(Judge self, const vr_position *position) noexcept nogil:
    """Whether the table reaches every child."""
    return self.bears_off and reaches(position)


cdef inline int append_roll(
    Judge self, const vr_position *position, int die1, int die2, Workspace *workspace
) noexcept nogil:
    """Adds the children of a roll, if there is a filter only those that it passes. -1 without memory."""
    cdef const Rules *rules = &self.rule_set.rules
    cdef int64_t passed[PASSED]
    cdef int64_t first = workspace.children.size
    cdef vr_position *found
    cdef int kept, k
    if append_children(rules, position, die1, die2, &workspace.children, &workspace.scratch) < 0:
        return -1
    # Whoever may finish with this roll shall see that he can.
    if (
        self.filters and workspace.children.size - first > PASSED
        and slot_count(position.own, OFF) + 4 < rules.checkers and not all_known(self, position)
    ):
        found = workspace.children.items + first
        kept = self.incremental.choose(&workspace.parent, found, workspace.children.size - first, passed)
        for k in range(kept):
            found[k] = found[passed[k]]
        workspace.children.size = first + kept
    return 0


cdef inline int judge_children(Judge self, const vr_position *position, Workspace *workspace) noexcept nogil:
    """The chances of all children. -1 without memory."""
    cdef const vr_position *children = workspace.children.items
    cdef int64_t count = workspace.children.size, i
    cdef float *row
    if count > workspace.capacity:
        row = <float *>realloc(workspace.chances, <size_t>count * 2 * OUTPUTS * sizeof(float))
        if row == NULL:
            return -1
        workspace.chances = row
        workspace.capacity = 2 * count
    if self.incremental is not None and not all_known(self, position):
        self.incremental.judge(&workspace.parent, children, count, workspace.chances)
    for i in range(count):
        row = workspace.chances + OUTPUTS * i
        if not self.knows(&children[i], row):
            if self.plain is not None:
                estimate(&self.plain.weights, &children[i], row)
            settle(&self.rule_set.rules, &children[i], row)
    return 0


cdef inline int64_t least(const Rules *rules, const Workspace *workspace, int64_t first, int64_t end) noexcept nogil:
    """The child with the least equity of the player on roll, the first one of equals."""
    cdef int64_t i, best = first
    cdef double value, lowest = equity(workspace.chances + OUTPUTS * first, rules.points)
    for i in range(first + 1, end):
        value = equity(workspace.chances + OUTPUTS * i, rules.points)
        if value < lowest:
            lowest = value
            best = i
    return best
