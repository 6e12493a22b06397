"""The network as a Python object, and what the rules know better than any evaluator."""

cimport numpy as cnp
from libc.stdint cimport int64_t

from vrhcaby._arrays cimport checked, new_array, position_array, shape_of
from vrhcaby._core cimport RuleSet, rule_set
from vrhcaby._position cimport vr_position

import numpy as np

cnp.import_array()

__all__ = ["Network", "apply_rules"]

# No trained network comes near; the bound keeps every sum finite.
LARGEST_WEIGHT = 1000.0


cdef class Network:
    """A network with one hidden layer, small and quick to teach: what self-play begins with.

    The inputs are, for each of the 26 slots of each side (own slots first, then the opponent's; 0 = borne off,
    1..24 = points, 25 = bar, each side in its own numbering): exactly one checker, exactly two, three or more, and
    half of the number beyond three. A hidden unit is ``x / (1 + |x|)``, an output ``1 / (1 + exp(-x))``. The
    results are the same bits on every machine and for every division into batches.

    Parameters
    ----------
    parameters : mapping of name to array of float32
        ``input_weights`` (208, hidden), ``hidden_bias`` (hidden,), ``output_weights`` (5, hidden), ``output_bias``
        (5,). The number of hidden units is a multiple of 16 and at most 256. Copied.
    variants : sequence of str
        The names of the variants that it was made for.
    name : str
        What reports call it.

    Raises
    ------
    ValueError
        An array is missing, has another shape or dtype, or holds a value that is not finite or beyond 1000.

    >>> shapes = {"input_weights": (208, 16), "hidden_bias": (16,), "output_weights": (5, 16), "output_bias": (5,)}
    >>> zeros = {name: np.zeros(shape, np.float32) for name, shape in shapes.items()}
    >>> Network(zeros, ["backgammon"], name="undecided")
    <Network undecided for backgammon>
    """

    def __cinit__(self, parameters, variants, *, name):
        hidden = _hidden_units(parameters)
        shapes = {
            "input_weights": (INPUTS, hidden),
            "hidden_bias": (hidden,),
            "output_weights": (OUTPUTS, hidden),
            "output_bias": (OUTPUTS,),
        }
        self.arrays = {key: _checked(key, parameters.get(key), shape) for key, shape in shapes.items()}
        self.variants = tuple(variants)
        self.name = name
        self.weights.hidden = hidden
        self.weights.inputs = _floats(self.arrays["input_weights"])
        self.weights.hidden_bias = _floats(self.arrays["hidden_bias"])
        self.weights.outputs = _floats(self.arrays["output_weights"])
        self.weights.output_bias = _floats(self.arrays["output_bias"])

    @property
    def parameters(self):
        """Copies of the arrays that it was made of."""
        return {key: array.copy() for key, array in self.arrays.items()}

    def evaluate(self, positions):
        """Chances of the player on roll, before he rolls.

        Parameters
        ----------
        positions : (n, 4) uint64
            Packed positions of a variant that the network was made for. What is no position gets some number.

        Returns
        -------
        (n, 5) float32
            Win, win gammon, win backgammon, lose gammon, lose backgammon; a backgammon is counted as a gammon too.
            Estimates, also if the game is over: `vrhcaby.evaluate` knows the rules.

        Raises
        ------
        TypeError, ValueError
            Not a C-contiguous array of this shape and dtype.

        >>> from vrhcaby import Position, pack
        >>> shapes = {"input_weights": (208, 16), "hidden_bias": (16,), "output_weights": (5, 16), "output_bias": (5,)}
        >>> zeros = {name: np.zeros(shape, np.float32) for name, shape in shapes.items()}
        >>> undecided = Network(zeros, ["backgammon"], name="undecided")
        >>> undecided.evaluate(pack([Position.start()])).tolist()
        [[0.5, 0.5, 0.5, 0.5, 0.5]]
        """
        cdef cnp.ndarray array = position_array(positions, "positions")
        cdef int64_t i, count = cnp.PyArray_DIM(array, 0)
        cdef cnp.ndarray chances = new_array(cnp.NPY_FLOAT32, count, OUTPUTS)
        cdef const vr_position *items = <const vr_position *>cnp.PyArray_DATA(array)
        cdef float *rows = <float *>cnp.PyArray_DATA(chances)
        cdef vr_position position
        with nogil:
            for i in range(count):
                position = items[i]         # a copy: another thread may change the array meanwhile
                estimate(&self.weights, &position, rows + OUTPUTS * i)
                make_consistent(&position, rows + OUTPUTS * i)
        return chances

    def __repr__(self):
        return f"<Network {self.name} for {', '.join(self.variants)}>"


def apply_rules(chances, positions, variant):
    """Puts what the rules of the variant know in the place of estimates, in the array itself.

    A game that is over has its result, a side that has borne off does not lose a gammon, a variant without
    backgammons has none, and backgammons are no likelier than gammons, and gammons than wins.

    Parameters
    ----------
    chances : (n, 5) float32
        From an evaluator. Changed in place.
    positions : (n, 4) uint64
        Positions of the variant.
    variant : str or Variant

    Raises
    ------
    TypeError, ValueError
        A wrong dtype or shape, or a chance that is not from 0 to 1 (such as NaN): no evaluator may return that.
    """
    cdef RuleSet rules = rule_set(variant)
    cdef cnp.ndarray array = position_array(positions, "positions")
    cdef cnp.ndarray results = checked(chances, "chances", cnp.NPY_FLOAT32, "float32", True)
    cdef int64_t i, count = cnp.PyArray_DIM(array, 0)
    if shape_of(results) != (count, OUTPUTS):
        raise ValueError(f"chances has shape {shape_of(results)}: must be {(count, OUTPUTS)}")
    cdef const vr_position *items = <const vr_position *>cnp.PyArray_DATA(array)
    cdef float *rows = <float *>cnp.PyArray_DATA(results)
    cdef int64_t wrong = -1
    with nogil:
        for i in range(count):
            if not are_chances(rows + OUTPUTS * i):
                wrong = i
                break
            settle(&rules.rules, &items[i], rows + OUTPUTS * i)
    if wrong >= 0:
        raise ValueError(f"chances[{wrong}] = {chances[wrong].tolist()}: must be from 0 to 1")


cdef bint are_chances(const float *row) noexcept nogil:
    cdef int k
    for k in range(OUTPUTS):
        if not 0 <= row[k] <= 1:
            return False
    return True


def _hidden_units(parameters):
    bias = parameters.get("hidden_bias")
    if not isinstance(bias, np.ndarray) or bias.ndim != 1:
        raise ValueError("hidden_bias: must be an array of one dimension")
    hidden = len(bias)
    if not 0 < hidden <= MAX_HIDDEN or hidden % LANES:
        raise ValueError(f"{hidden} hidden units: must be a multiple of {LANES} from {LANES} to {MAX_HIDDEN}")
    return hidden


def _checked(key, array, shape):
    """A copy of the array in the memory order that the pointers need."""
    if not isinstance(array, np.ndarray):
        raise ValueError(f"{key} is {type(array).__name__}: must be an array of float32 {shape}")
    if array.dtype != np.float32 or array.shape != shape:
        raise ValueError(f"{key} is {array.dtype.name} {array.shape}: must be float32 {shape}")
    wrong = np.argwhere(~(np.abs(array) <= LARGEST_WEIGHT))
    if len(wrong):
        index = tuple(wrong[0].tolist())
        raise ValueError(f"{key}{list(index)} = {array[index]}: must be within +-{LARGEST_WEIGHT:g}")
    return np.array(array, dtype=np.float32, order="C")


cdef float *_floats(cnp.ndarray array):
    return <float *>cnp.PyArray_DATA(array)
