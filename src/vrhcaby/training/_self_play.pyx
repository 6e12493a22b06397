"""Games of a network against itself, from which it learns, and duels that measure it. No GIL, no NumPy inside."""

from libc.math cimport fabsf, sqrt
from libc.stdint cimport int64_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memset

from vrhcaby._core cimport Position, RuleSet, append_children, rule_set
from vrhcaby._dice cimport choose, roll
from vrhcaby._position cimport OFF, slot_count, vr_position
from vrhcaby._steps cimport Rules, outcome
from vrhcaby._turns cimport Buffer, Scratch, free_scratch
from vrhcaby.evaluation._network cimport (
    FEATURES,
    LOSE_BACKGAMMON,
    LOSE_GAMMON,
    MAX_HIDDEN,
    OUTPUTS,
    WIN,
    WIN_BACKGAMMON,
    WIN_GAMMON,
    ActiveInputs,
    Network,
    Weights,
    equity,
    estimate,
    find_inputs,
    hidden_layer,
    output_layer,
    settle,
)

from vrhcaby._core import Position as _Position

__all__ = ["SelfPlay", "duel"]

cdef enum:
    # Two random players need a few hundred turns. A game that is not over by then teaches nothing.
    MAX_TURNS = 4096

cdef enum:
    DONE
    UNFINISHED
    NO_MEMORY


cdef inline void turn_round(float *chances) noexcept nogil:
    """The same chances as the other player sees them."""
    chances[WIN] = 1 - chances[WIN]
    chances[WIN_GAMMON], chances[LOSE_GAMMON] = chances[LOSE_GAMMON], chances[WIN_GAMMON]
    chances[WIN_BACKGAMMON], chances[LOSE_BACKGAMMON] = chances[LOSE_BACKGAMMON], chances[WIN_BACKGAMMON]


cdef int64_t best_child(
    const Weights *net, const Rules *rules, const Buffer *children, float *best_chances
) noexcept nogil:
    """The child that is best for the player who has moved, the first one of equals, and his chances there."""
    cdef float chances[OUTPUTS]
    cdef int64_t i, best = -1
    cdef int k
    cdef double value, best_value = 0
    for i in range(children.size):
        estimate(net, &children.items[i], chances)
        settle(rules, &children.items[i], chances)
        turn_round(chances)
        value = equity(chances, rules.points)
        if best < 0 or value > best_value:
            best = i
            best_value = value
            for k in range(OUTPUTS):
                best_chances[k] = chances[k]
    return best


cdef void learn(Weights *net, const vr_position *position, const float *target, float rate) noexcept nogil:
    """One step down the gradient of the cross entropy between target and output."""
    cdef ActiveInputs active
    cdef float hidden[MAX_HIDDEN]
    cdef float step[MAX_HIDDEN]
    cdef float error[OUTPUTS]
    cdef float slope, shared
    cdef float *row
    cdef int k, lane, found, count, units = net.hidden
    find_inputs(position, &active)
    hidden_layer(net, &active, hidden)
    output_layer(net, hidden, error)
    for k in range(OUTPUTS):
        error[k] = rate * (target[k] - error[k])
    # Gammons that the rules exclude are set to 0 later, whatever the network says: nothing to learn there.
    if slot_count(position.opp, OFF):
        error[WIN_GAMMON] = 0
        error[WIN_BACKGAMMON] = 0
    if slot_count(position.own, OFF):
        error[LOSE_GAMMON] = 0
        error[LOSE_BACKGAMMON] = 0
    for lane in range(units):
        step[lane] = 0
    for k in range(OUTPUTS):
        row = net.outputs + k * units
        for lane in range(units):
            step[lane] = step[lane] + error[k] * row[lane]
        for lane in range(units):
            row[lane] = row[lane] + error[k] * hidden[lane]
        net.output_bias[k] = net.output_bias[k] + error[k]
    for lane in range(units):
        slope = 1 - fabsf(hidden[lane])
        step[lane] = step[lane] * (slope * slope)
        net.hidden_bias[lane] = net.hidden_bias[lane] + step[lane]
    # One, two, and three or more checkers have a row each, but learn as if the inputs were "at least one, at least
    # two, at least three": what is rare, such as three on the bar, learns from what is frequent.
    for k in range(active.units):
        found = active.unit[k] % FEATURES + 1
        for count in range(1, 4):
            row = net.inputs + (active.unit[k] - found + count) * units
            shared = min(count, found)
            for lane in range(units):
                row[lane] = row[lane] + shared * step[lane]
    for k in range(active.fractions):
        row = net.inputs + active.fraction[k] * units
        for lane in range(units):
            row[lane] = row[lane] + active.value[k] * step[lane]


cdef class SelfPlay:
    """A network that plays both sides and learns from each game.

    The player on roll takes the child with the best equity. After the game every position, from the last to the
    first, is moved towards what came next: the chances of the next position at the time or, with a share `trace`,
    what that position itself was moved towards (the lambda of TD(lambda); Sutton 1988, Tesauro 1995).

    Parameters
    ----------
    network : Network
        Where to begin; it is copied.
    variant : str or Variant
        What is played.
    seed : int
        Of the dice. Game i of a seed always has the same dice.
    trace : float
        From 0 to 1.
    played : int
        How many games the network has played already: the number of the next game.
    """

    cdef readonly int64_t played
    cdef Network network
    cdef RuleSet rules
    cdef vr_position start
    cdef uint64_t seed
    cdef float trace
    cdef Buffer children
    cdef Scratch scratch
    cdef vr_position *positions             # of one game
    cdef float *nexts                       # for each its mover's chances after his move, then its target

    def __cinit__(self, Network network not None, variant, *, uint64_t seed, float trace, int64_t played=0):
        cdef Position start = _Position.start(variant)
        if not 0 <= trace <= 1:
            raise ValueError(f"trace = {trace}: must be from 0 to 1")
        self.network = Network(network.parameters, network.variants, name=network.name)
        self.rules = rule_set(variant)
        self.start = start.packed
        self.seed = seed
        self.trace = trace
        self.played = played
        memset(&self.children, 0, sizeof(Buffer))
        memset(&self.scratch, 0, sizeof(Scratch))
        self.positions = <vr_position *>malloc(MAX_TURNS * sizeof(vr_position))
        self.nexts = <float *>malloc(MAX_TURNS * OUTPUTS * sizeof(float))
        if self.positions == NULL or self.nexts == NULL:
            raise MemoryError(f"a game of {MAX_TURNS} turns")

    def __dealloc__(self):
        free(self.children.items)
        free_scratch(&self.scratch)
        free(self.positions)
        free(self.nexts)

    @property
    def result(self):
        """A copy of the network as it is now.

        Raises
        ------
        ValueError
            The training has diverged: a weight is not finite or beyond all bounds.
        """
        return Network(self.network.parameters, self.network.variants, name=self.network.name)

    def play(self, int64_t games, float rate):
        """Play that many more games and learn from each at this rate."""
        cdef int turns = 0
        cdef int64_t _
        with nogil:
            for _ in range(games):
                turns = self.play_game(<uint64_t>self.played)
                if turns < 0:
                    break
                self.played += 1
                if turns < MAX_TURNS:
                    self.learn_game(turns, rate)
        if turns < 0:
            raise MemoryError("children of a position")

    cdef int play_game(self, uint64_t game) noexcept nogil:
        cdef vr_position position = self.start
        cdef const Rules *rules = &self.rules.rules
        cdef int turn = 0, die1 = 0, die2 = 0
        cdef int64_t best
        while turn < MAX_TURNS and outcome(rules, &position) == 0:
            roll(self.seed, game, <uint32_t>(turn + 1), &die1, &die2)
            self.children.size = 0
            if append_children(rules, &position, die1, die2, &self.children, &self.scratch) < 0:
                return -1
            self.positions[turn] = position
            best = best_child(&self.network.weights, rules, &self.children, self.nexts + OUTPUTS * turn)
            position = self.children.items[best]
            turn += 1
        return turn

    cdef void learn_game(self, int turns, float rate) noexcept nogil:
        cdef float target[OUTPUTS]
        cdef const float *next
        cdef int turn, k
        for turn in range(turns - 1, -1, -1):
            next = self.nexts + OUTPUTS * turn
            if turn == turns - 1:
                for k in range(OUTPUTS):
                    target[k] = next[k]
            else:
                turn_round(target)
                for k in range(OUTPUTS):
                    target[k] = next[k] + self.trace * (target[k] - next[k])
            learn(&self.network.weights, &self.positions[turn], target, rate)


cdef int duel_game(
    const Weights *first, const Weights *second, const Rules *rules, const vr_position *start, uint64_t seed,
    uint64_t game, Buffer *children, Scratch *scratch, int *points
) noexcept nogil:
    """Points of the player who begins. A player without a network moves at random."""
    cdef vr_position position = start[0]
    cdef float chances[OUTPUTS]
    cdef const Weights *net
    cdef int turn, result, die1 = 0, die2 = 0
    for turn in range(MAX_TURNS):
        result = outcome(rules, &position)
        if result:
            points[0] = rules.points[result - 1] if result > 0 else -rules.points[-result - 1]
            if turn % 2:
                points[0] = -points[0]
            return DONE
        roll(seed, game, <uint32_t>(turn + 1), &die1, &die2)
        children.size = 0
        if append_children(rules, &position, die1, die2, children, scratch) < 0:
            return NO_MEMORY
        net = second if turn % 2 else first
        if net == NULL:
            position = children.items[choose(seed, game, <uint32_t>(turn + 1), <uint64_t>children.size)]
        else:
            position = children.items[best_child(net, rules, children, chances)]
    return UNFINISHED


def duel(Network network not None, Network opponent, variant, *, int64_t games, uint64_t seed):
    """Games between two networks without look ahead: mean points of the first, and their standard error.

    Each pair of games has the same dice, and each player begins once; the standard error is that of the pairs.

    Parameters
    ----------
    network : Network
    opponent : Network or None
        None moves at random.
    variant : str or Variant
    games : int
        An even number, at least 4.
    seed : int
        Of the dice.

    Returns
    -------
    tuple of two float
        Points a game.
    """
    cdef Position position = _Position.start(variant)
    cdef RuleSet rules = rule_set(variant)
    cdef vr_position start = position.packed
    cdef const Weights *one = &network.weights
    cdef const Weights *other = NULL if opponent is None else &opponent.weights
    cdef Buffer children
    cdef Scratch scratch
    cdef int64_t pair, pairs = games // 2, total = 0, squares = 0
    cdef int ahead = 0, behind = 0, status = DONE
    if games < 4 or games % 2:
        raise ValueError(f"games = {games}: must be an even number, at least 4")
    memset(&children, 0, sizeof(Buffer))
    memset(&scratch, 0, sizeof(Scratch))
    with nogil:
        for pair in range(pairs):
            status = duel_game(one, other, &rules.rules, &start, seed, <uint64_t>pair, &children, &scratch, &ahead)
            if status == DONE:
                status = duel_game(
                    other, one, &rules.rules, &start, seed, <uint64_t>pair, &children, &scratch, &behind
                )
            if status != DONE:
                break
            total += ahead - behind
            squares += (ahead - behind) * (ahead - behind)
        free(children.items)
        free_scratch(&scratch)
    if status == NO_MEMORY:
        raise MemoryError("children of a position")
    if status == UNFINISHED:
        raise ValueError(f"game {pair} is not over after {MAX_TURNS} turns")
    # `ahead - behind` is what two games bring.
    cdef double mean = total / <double>pairs
    cdef double variance = (squares - total * mean) / (pairs - 1)
    return mean / 2, sqrt(variance / pairs) / 2
