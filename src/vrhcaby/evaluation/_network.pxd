"""The arithmetic of the network, one position at a time: used by the evaluator and by the training.

The same bits on every machine: only additions, multiplications and divisions in an order that is fixed here,
without contraction (a compiler flag) and without a mathematics library. Loops run over the lanes of a row, so that
a compiler can vectorise them without changing the order in which a lane adds.
"""

from libc.math cimport fabsf
from libc.stdint cimport uint32_t, uint64_t

from vrhcaby._position cimport SLOTS, lowest_bit, side_total, slot_count, slot_masks, vr_position
from vrhcaby._steps cimport WIN_ALL, WIN_NONE, Rules, outcome

cdef enum:
    FEATURES = 4                            # of a slot: one checker, two, three or more, half of those beyond three
    INPUTS = 2 * SLOTS * FEATURES           # own slots, then the opponent's, each side in its own numbering
    LANES = 16                              # the number of hidden units is a multiple of this
    MAX_HIDDEN = 256

# The chances, for the player on roll.
cdef enum:
    WIN
    WIN_GAMMON
    WIN_BACKGAMMON
    LOSE_GAMMON
    LOSE_BACKGAMMON
    OUTPUTS

ctypedef struct Weights:
    int hidden
    float *inputs                           # (INPUTS, hidden)
    float *hidden_bias                      # (hidden,)
    float *outputs                          # (OUTPUTS, hidden)
    float *output_bias                      # (OUTPUTS,)

ctypedef struct ActiveInputs:
    # The inputs that are not zero: units are 1, fractions have a value.
    int units
    int fractions
    int unit[2 * SLOTS]
    int fraction[2 * SLOTS]
    float value[2 * SLOTS]


cdef inline void find_side(const uint64_t *side, int first, ActiveInputs *active) noexcept nogil:
    cdef uint32_t occupied, two
    cdef int slot, count, input
    slot_masks(side, &occupied, &two)
    occupied &= (<uint32_t>1 << SLOTS) - 1
    while occupied:
        slot = lowest_bit(occupied)
        occupied &= occupied - 1
        count = slot_count(side, slot)
        input = first + FEATURES * slot
        active.unit[active.units] = input + (count if count < 3 else 3) - 1
        active.units += 1
        active.fraction[active.fractions] = input + 3
        active.value[active.fractions] = <float>0.5 * (count - 3)
        active.fractions += count > 3


cdef inline void find_inputs(const vr_position *position, ActiveInputs *active) noexcept nogil:
    active.units = 0
    active.fractions = 0
    find_side(position.own, 0, active)
    find_side(position.opp, SLOTS * FEATURES, active)


cdef inline float softsign(float x) noexcept nogil:
    """The hidden units: as good as an S-curve by exponentials, and far cheaper."""
    return x / (<float>1 + fabsf(x))


cdef inline float logistic(float x) noexcept nogil:
    """The outputs: 1 / (1 + exp(-x)), beyond +-16 as at +-16; exp(y) as exp(y / 32) ** 32, the inner by its series."""
    cdef float y = (fabsf(x - 16) - fabsf(x + 16)) * <float>(1.0 / 64.0)
    cdef float e = <float>1.0 + y * (<float>1.0 + y * (<float>0.5 + y * (
        <float>(1.0 / 6.0) + y * (<float>(1.0 / 24.0) + y * <float>(1.0 / 120.0)))))
    e *= e
    e *= e
    e *= e
    e *= e
    e *= e
    return <float>1.0 / (<float>1.0 + e)


cdef inline void hidden_layer(const Weights *net, const ActiveInputs *active, float *hidden) noexcept nogil:
    cdef float sums[LANES]
    cdef const float *row
    cdef float value
    cdef int block, lane, k, first
    for block in range(net.hidden // LANES):
        first = block * LANES
        row = net.hidden_bias + first
        for lane in range(LANES):
            sums[lane] = row[lane]
        for k in range(active.units):
            row = net.inputs + active.unit[k] * net.hidden + first
            for lane in range(LANES):
                sums[lane] = sums[lane] + row[lane]
        for k in range(active.fractions):
            row = net.inputs + active.fraction[k] * net.hidden + first
            value = active.value[k]
            for lane in range(LANES):
                sums[lane] = sums[lane] + value * row[lane]
        for lane in range(LANES):
            hidden[first + lane] = softsign(sums[lane])


cdef inline void output_layer(const Weights *net, const float *hidden, float *outputs) noexcept nogil:
    cdef float sums[LANES]
    cdef const float *row
    cdef int k, lane, block
    for k in range(OUTPUTS):
        row = net.outputs + k * net.hidden
        for lane in range(LANES):
            sums[lane] = 0
        for block in range(net.hidden // LANES):
            for lane in range(LANES):
                sums[lane] = sums[lane] + hidden[block * LANES + lane] * row[block * LANES + lane]
        for lane in range(8):
            sums[lane] = sums[lane] + sums[lane + 8]
        for lane in range(4):
            sums[lane] = sums[lane] + sums[lane + 4]
        outputs[k] = net.output_bias[k] + ((sums[0] + sums[1]) + (sums[2] + sums[3]))
    for k in range(OUTPUTS):
        outputs[k] = logistic(outputs[k])


cdef inline void make_consistent(const vr_position *position, float *chances) noexcept nogil:
    """No gammon against a side that has borne off, no more gammons than games, no more backgammons than gammons."""
    if position.opp[0] & 15:
        chances[WIN_GAMMON] = 0
    if position.own[0] & 15:
        chances[LOSE_GAMMON] = 0
    chances[WIN_GAMMON] = min(chances[WIN_GAMMON], chances[WIN])
    chances[WIN_BACKGAMMON] = min(chances[WIN_BACKGAMMON], chances[WIN_GAMMON])
    chances[LOSE_GAMMON] = min(chances[LOSE_GAMMON], 1 - chances[WIN])
    chances[LOSE_BACKGAMMON] = min(chances[LOSE_BACKGAMMON], chances[LOSE_GAMMON])


cdef inline void exact_chances(int result, float *chances) noexcept nogil:
    """Of a game that is over: 1, 2, 3 = won, won with a gammon, with a backgammon; negative = lost."""
    chances[WIN] = result > 0
    chances[WIN_GAMMON] = result >= 2
    chances[WIN_BACKGAMMON] = result >= 3
    chances[LOSE_GAMMON] = result <= -2
    chances[LOSE_BACKGAMMON] = result <= -3


cdef inline bint all_behind(const uint64_t *side, int checkers) noexcept nogil:
    """Whether all checkers of a side are in the other's home board or on the bar: slots 19..25."""
    cdef uint64_t behind[2]
    behind[0] = 0
    behind[1] = side[1] & <uint64_t>0xfffffff000
    return side_total(behind) == checkers


cdef inline void settle(const Rules *rules, const vr_position *position, float *chances) noexcept nogil:
    """What the rules know, in the place of estimates."""
    cdef int result = outcome(rules, position)
    if result:
        exact_chances(result, chances)
        return
    if rules.backgammon == WIN_NONE or rules.backgammon == WIN_ALL:
        # Networks learn from games in which one checker behind is enough. Where it takes all of them, a side that has
        # one elsewhere loses a backgammon so rarely that no chance is the better estimate.
        if rules.backgammon == WIN_NONE or not all_behind(position.opp, rules.checkers):
            chances[WIN_BACKGAMMON] = 0
        if rules.backgammon == WIN_NONE or not all_behind(position.own, rules.checkers):
            chances[LOSE_BACKGAMMON] = 0
    make_consistent(position, chances)


cdef inline void estimate(const Weights *net, const vr_position *position, float *chances) noexcept nogil:
    """What the network says, as it is."""
    cdef ActiveInputs active
    cdef float hidden[MAX_HIDDEN]
    find_inputs(position, &active)
    hidden_layer(net, &active, hidden)
    output_layer(net, hidden, chances)


cdef inline double equity(const float *chances, const int *points) noexcept nogil:
    """Mean points of the player on roll, if a single win, a gammon and a backgammon are worth these points."""
    return (
        points[0] * (2 * <double>chances[WIN] - 1)
        + (points[1] - points[0]) * (<double>chances[WIN_GAMMON] - chances[LOSE_GAMMON])
        + (points[2] - points[1]) * (<double>chances[WIN_BACKGAMMON] - chances[LOSE_BACKGAMMON])
    )


cdef class Network:
    cdef Weights weights
    cdef dict arrays                        # what the pointers of `weights` point to: never given away
    cdef readonly tuple variants
    cdef readonly str name
