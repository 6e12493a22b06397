"""What native searches and games share: an evaluator under the rules of a variant, and the memory that a thread needs.

Chances are those of the player on roll: after a move, of the opponent. Whoever chooses a move takes the child with the
least equity, the first one of equals.
"""

from libc.stdint cimport int64_t
from libc.stdlib cimport free

from vrhcaby._core cimport RuleSet
from vrhcaby._position cimport vr_position
from vrhcaby._turns cimport Buffer, Scratch, free_scratch
from vrhcaby.evaluation._bearoff cimport BearOff
from vrhcaby.evaluation._incremental cimport IncrementalNetwork, Parent
from vrhcaby.evaluation._network cimport LOSE_BACKGAMMON, LOSE_GAMMON, WIN, WIN_BACKGAMMON, WIN_GAMMON, Network

cdef enum:
    ROLL_COUNT = 21                         # in the order of `ROLLS`: 1-1, 2-1, 2-2, 3-1, ... 6-6

cdef struct Workspace:
    # The children of the position that was looked at last, as far as they were worth judging, and what they are worth.
    Parent parent
    Buffer children
    Scratch scratch
    float *chances                          # (children, 5)
    int64_t capacity                        # of `chances`, in children
    int64_t best[ROLL_COUNT]                # the child that is played, of each roll


cdef inline void free_workspace(Workspace *workspace) noexcept nogil:
    free(workspace.children.items)
    free(workspace.chances)
    free_scratch(&workspace.scratch)


cdef inline int roll_index(int die1, int die2) noexcept nogil:
    """The place of a roll in `ROLLS`."""
    cdef int large = die1 if die1 > die2 else die2
    cdef int small = die2 if die1 > die2 else die1
    return large * (large - 1) // 2 + small - 1


cdef inline void turn_round(double *chances) noexcept nogil:
    """The same chances as the other player sees them."""
    chances[WIN] = 1 - chances[WIN]
    chances[WIN_GAMMON], chances[LOSE_GAMMON] = chances[LOSE_GAMMON], chances[WIN_GAMMON]
    chances[WIN_BACKGAMMON], chances[LOSE_BACKGAMMON] = chances[LOSE_BACKGAMMON], chances[WIN_BACKGAMMON]


cdef class Judge:
    cdef readonly object network
    cdef Network plain                      # the network is the one or the other
    cdef IncrementalNetwork incremental
    cdef bint filters                       # whether it has a filter
    cdef bint bears_off                     # whether `table` is there
    cdef BearOff table
    cdef RuleSet rule_set

    # Chances that need no network, of a game that is over or that the table reaches. False: there are none.
    cdef bint knows(self, const vr_position *position, float *chances) noexcept nogil

    # The child that is played without looking ahead, an index into the children of the workspace. -1 without memory.
    cdef int64_t play(self, const vr_position *position, int die1, int die2, Workspace *workspace) noexcept nogil

    # The same for every roll, into `workspace.best`. -1 without memory.
    cdef int play_every_roll(self, const vr_position *position, Workspace *workspace) noexcept nogil

    # After `play_every_roll`: the mean of what the best children are worth to their player on roll.
    cdef void average(self, const Workspace *workspace, double *chances) noexcept nogil
