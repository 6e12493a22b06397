"""The network that is updated from a position to its children, as a Python object, and its instruction sets."""

import os

cimport cython
cimport numpy as cnp
from libc.stdint cimport int16_t, int32_t, int64_t
from libc.string cimport memset

from vrhcaby._arrays cimport checked, new_array, position_array, shape_of
from vrhcaby._position cimport vr_position
from vrhcaby.evaluation._network cimport OUTPUTS, make_consistent

import numpy as np

from vrhcaby.evaluation._network import LARGEST_WEIGHT

cnp.import_array()

__all__ = ["IncrementalNetwork", "kernels", "use_kernels"]


cdef extern from "network.h" nogil:
    void vr_features_init()
    int vr_kernels_count()
    const vr_kernels *vr_kernels_at(int index)
    int vr_kernels_usable(int index)


# What `kernels` returns; one pointer, so that a change is complete for threads that read it meanwhile.
cdef const vr_kernels *in_use


def kernels():
    """The name of the instruction set that networks use: ``"base"``, ``"avx2"``, ``"avx512"``.

    ``base`` is x86-64-v2, NEON on 64-bit ARM, and plain C elsewhere. At import the best one is chosen that the
    processor has, or the one that the environment variable ``VRHCABY_KERNELS`` names. Results are the same bits with
    all of them.

    >>> kernels() in ("base", "avx2", "avx512")
    True
    """
    return in_use.name.decode()


def use_kernels(name):
    """Make networks use another instruction set, in all threads.

    Parameters
    ----------
    name : str or None
        One of those that `kernels` lists; None = the best one.

    Raises
    ------
    ValueError
        This build or this processor does not have it. The message lists those that can be used.

    >>> use_kernels("base")
    >>> kernels()
    'base'
    >>> use_kernels(None)
    """
    global in_use
    usable = {
        vr_kernels_at(k).name.decode(): k for k in range(vr_kernels_count()) if vr_kernels_usable(k)
    }
    if name is None:
        in_use = vr_kernels_at(max(usable.values()))
    elif name in usable:
        in_use = vr_kernels_at(usable[name])
    else:
        raise ValueError(f"kernels {name!r}: this machine has {', '.join(usable)}")


cdef use_kernels_of_environment():
    try:
        use_kernels(os.environ.get("VRHCABY_KERNELS") or None)
    except ValueError as error:
        raise ValueError(f"environment variable VRHCABY_KERNELS: {error}") from None


vr_features_init()
use_kernels_of_environment()

# The arrays of each part, and of the filter.
PART = ("columns", "bias", "weights2", "bias2", "weights3", "bias3", "weights4", "bias4")
FILTER = PART[:4]


@cython.internal
@cython.final
cdef class Families:
    """Positions and their children, checked: those of parent i are from ends[i] to ends[i + 1]."""
    cdef cnp.ndarray before, after, bounds
    cdef int64_t count
    cdef const vr_position *parents
    cdef const vr_position *children
    cdef const int64_t *ends


cdef Families families_of(parents, children, offsets):
    cdef Families self = Families.__new__(Families)
    self.before = position_array(parents, "parents")
    self.after = position_array(children, "children")
    self.bounds = checked(offsets, "offsets", cnp.NPY_INT64, "int64", False)
    self.count = cnp.PyArray_DIM(self.before, 0)
    total = cnp.PyArray_DIM(self.after, 0)
    if shape_of(self.bounds) != (self.count + 1,):
        raise ValueError(f"offsets has shape {shape_of(self.bounds)}: must be {(self.count + 1,)}")
    self.bounds = self.bounds.copy()        # checked and used from there: another thread may change it meanwhile
    if self.bounds[0] != 0 or self.bounds[self.count] != total or (np.diff(self.bounds) < 0).any():
        raise ValueError(f"offsets must rise from 0 to the number of children, {total}")
    self.parents = <const vr_position *>cnp.PyArray_DATA(self.before)
    self.children = <const vr_position *>cnp.PyArray_DATA(self.after)
    self.ends = <const int64_t *>cnp.PyArray_DATA(self.bounds)
    return self


@cython.final
cdef class IncrementalNetwork:
    """A network whose wide first layer is updated from a position to the positions that follow one roll.

    Parameters
    ----------
    arrays : mapping of name to array
        The parts ``contact`` and, if there is one, ``race`` (which judges positions without contact): of each
        ``NAME_columns`` (52, 16, width) and ``NAME_bias`` (width,) int16 in 1024ths, ``NAME_weights2`` (buckets, width
        / 2 + figures, 32) int16 in 2048ths and ``NAME_bias2`` (buckets, 32) int32 in 2**-21, ``NAME_weights3``
        (buckets, 32, 32), ``NAME_bias3`` (buckets, 32), ``NAME_weights4`` (buckets, 32, 5) and ``NAME_bias4`` (buckets,
        5) float32.
        The width is a multiple of 128 up to 1024, the figures of a position are 0 or 20, the buckets 1 or 9. A filter,
        if there is one, has ``filter_columns``, ``filter_bias`` of width 32, ``filter_weights2`` (buckets, 32, 1) int16
        and ``filter_bias2`` (buckets, 1) int32. Copied.
    variants : sequence of str
        The names of the variants that it was made for.
    inputs : str
        The figures of a position: ``"contrary"`` or ``"parallel"``.
    name : str
        What reports call it.

    Raises
    ------
    ValueError
        An array is missing or one too many, has another shape or dtype, holds a number that is not finite or a float
        beyond 1000, or weights for which a sum could leave its 16 or 32 bits.

    >>> from vrhcaby.evaluation import load_evaluator
    >>> load_evaluator("backgammon").inputs
    'contrary'
    """

    def __cinit__(self, arrays, variants, *, inputs="contrary", name):
        if inputs not in ("contrary", "parallel"):
            raise ValueError(f"inputs {inputs!r}: must be 'contrary' or 'parallel'")
        self.arrays = dict(arrays)
        self.memory = []
        self.variants = tuple(variants)
        self.inputs = inputs
        self.name = name
        self.network.contrary = inputs == "contrary"
        known = [f"{part}_{key}" for part in ("contact", "race") for key in PART] + [f"filter_{key}" for key in FILTER]
        unknown = [key for key in self.arrays if key not in known]
        if unknown:
            raise ValueError(f"{unknown[0]!r}: a network has no such array")
        add_part(self, "contact", &self.network.contact)
        if any(key.startswith("race_") for key in self.arrays):
            add_part(self, "race", &self.network.race)
        if any(key.startswith("filter_") for key in self.arrays):
            add_filter(self)
        for key, array in self.arrays.items():
            self.arrays[key] = array.copy()

    @property
    def parameters(self):
        """Copies of the arrays that it was made of."""
        return {key: array.copy() for key, array in self.arrays.items()}

    def __reduce__(self):
        return _made, (self.parameters, self.variants, self.inputs, self.name)

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
        >>> from vrhcaby.evaluation import load_evaluator
        >>> load_evaluator("backgammon").evaluate(pack([Position.start()])).shape
        (1, 5)
        """
        cdef cnp.ndarray array = position_array(positions, "positions")
        cdef int64_t i, count = cnp.PyArray_DIM(array, 0)
        cdef cnp.ndarray chances = new_array(cnp.NPY_FLOAT32, count, OUTPUTS)
        cdef const vr_position *items = <const vr_position *>cnp.PyArray_DATA(array)
        cdef float *rows = <float *>cnp.PyArray_DATA(chances)
        cdef vr_position position, empty
        cdef Parent parent
        memset(&empty, 0, sizeof(vr_position))
        begin(&parent, &empty)              # from an empty board, every checker is a difference
        with nogil:
            for i in range(count):
                position = items[i]         # a copy: another thread may change the array meanwhile
                self.judge(&parent, &position, 1, rows + OUTPUTS * i)
        return chances

    def evaluate_children(self, parents, children, offsets):
        """Chances of the player on roll in the children of positions, as `vrhcaby.legal_moves` returns them.

        Parameters
        ----------
        parents : (n, 4) uint64
            Packed positions.
        children : (m, 4) uint64
            Of parent i those from ``offsets[i]`` to ``offsets[i + 1]``, the next player on roll.
        offsets : (n + 1,) int64
            Rising, from 0 to m.

        Returns
        -------
        (m, 5) float32
            As `evaluate` returns them, the same bits; faster, the more children a parent has.

        Raises
        ------
        TypeError, ValueError
            A wrong dtype or shape, or offsets that do not rise from 0 to m.

        >>> from vrhcaby import Position, legal_moves, pack
        >>> from vrhcaby.evaluation import load_evaluator
        >>> start = pack([Position.start()])
        >>> load_evaluator("backgammon").evaluate_children(start, *legal_moves(start, (3, 1))).shape
        (16, 5)
        """
        cdef Families families = families_of(parents, children, offsets)
        cdef cnp.ndarray chances = new_array(cnp.NPY_FLOAT32, families.ends[families.count], OUTPUTS)
        cdef float *rows = <float *>cnp.PyArray_DATA(chances)
        cdef int64_t i, first
        cdef Parent parent
        with nogil:
            for i in range(families.count):
                first = families.ends[i]
                begin(&parent, &families.parents[i])
                self.judge(&parent, families.children + first, families.ends[i + 1] - first, rows + OUTPUTS * first)
        return chances

    def passes(self, parents, children, offsets):
        """Which children the filter lets through: of each parent the eight that it finds best for who moved.

        Parameters
        ----------
        parents, children, offsets
            As `evaluate_children` takes them, but the children of one parent those of one roll.

        Returns
        -------
        (m,) bool
            Of equals the first ones pass. All, if a parent has no more than eight or the network no filter.

        Raises
        ------
        TypeError, ValueError
            As `evaluate_children`.

        >>> from vrhcaby import Position, legal_moves, pack
        >>> from vrhcaby.evaluation import load_evaluator
        >>> start = pack([Position.start()])
        >>> int(load_evaluator("backgammon").passes(start, *legal_moves(start, (3, 1))).sum())
        8
        """
        cdef Families families = families_of(parents, children, offsets)
        if not self.network.filter.buckets:
            return np.ones(families.ends[families.count], np.bool_)
        cdef cnp.ndarray chosen = np.zeros(families.ends[families.count], np.bool_)
        cdef char *marks = <char *>cnp.PyArray_DATA(chosen)
        cdef int64_t[PASSED] places
        cdef int64_t i, first
        cdef int k
        cdef Parent parent
        with nogil:
            for i in range(families.count):
                first = families.ends[i]
                begin(&parent, &families.parents[i])
                for k in range(self.choose(&parent, families.children + first, families.ends[i + 1] - first, places)):
                    marks[first + places[k]] = True
        return chosen

    cdef void judge(
        self, Parent *parent, const vr_position *children, int64_t count, float *chances
    ) noexcept nogil:
        cdef int64_t i
        in_use.judge(&self.network, parent, children, count, chances)
        for i in range(count):
            make_consistent(&children[i], chances + OUTPUTS * i)

    cdef int choose(
        self, Parent *parent, const vr_position *children, int64_t count, int64_t *passed
    ) noexcept nogil:
        return in_use.pass_(&self.network, parent, children, count, passed)

    def __repr__(self):
        return f"<IncrementalNetwork {self.name} for {', '.join(self.variants)}>"


cdef add_part(IncrementalNetwork self, name, vr_part *part):
    width = _size(self.arrays, f"{name}_bias", 0)
    buckets = _size(self.arrays, f"{name}_bias2", 0)
    inputs = _size(self.arrays, f"{name}_weights2", 1)
    if not 0 < width <= VR_MAX_WIDTH or width % VR_WIDTH_STEP:
        raise ValueError(f"{name}: width {width}: must be a multiple of {VR_WIDTH_STEP} up to {VR_MAX_WIDTH}")
    if buckets != 1 and not (buckets == VR_BUCKETS and self.network.contrary):
        raise ValueError(f"{name}: {buckets} buckets: must be 1, or {VR_BUCKETS} in contrary variants")
    if inputs not in (width // 2, width // 2 + VR_DENSE):
        raise ValueError(f"{name}: {inputs} inputs of the second layer: must be {width // 2} or {VR_DENSE} more")
    part.inputs = inputs
    part.buckets = buckets
    columns, bias = first_layer(self, name, width)
    part.columns = <const int16_t *>keep(self, columns)
    part.bias = <const int16_t *>keep(self, bias)
    weights2 = array(self, f"{name}_weights2", np.int16, (buckets, inputs, VR_UNITS))
    bias2 = array(self, f"{name}_bias2", np.int32, (buckets, VR_UNITS))
    _check_sums(f"{name}_weights2", weights2, bias2)
    # pairs of inputs side by side, as the kernels multiply them
    paired = weights2.reshape(buckets, inputs // 2, 2, VR_UNITS).swapaxes(2, 3)
    part.weights2 = <const int16_t *>keep(self, paired)
    part.bias2 = <const int32_t *>keep(self, bias2)
    weights3 = array(self, f"{name}_weights3", np.float32, (buckets, VR_UNITS, VR_UNITS))
    bias3 = array(self, f"{name}_bias3", np.float32, (buckets, VR_UNITS))
    part.weights3 = <const float *>keep(self, weights3)
    part.bias3 = <const float *>keep(self, bias3)
    padding = VR_CHANCE_LANES - VR_CHANCES
    weights4 = array(self, f"{name}_weights4", np.float32, (buckets, VR_UNITS, VR_CHANCES))
    bias4 = array(self, f"{name}_bias4", np.float32, (buckets, VR_CHANCES))
    part.weights4 = <const float *>keep(self, np.pad(weights4, ((0, 0), (0, 0), (0, padding))))
    part.bias4 = <const float *>keep(self, np.pad(bias4, ((0, 0), (0, padding))))
    part.width = width


cdef add_filter(IncrementalNetwork self):
    cdef vr_filter *filter = &self.network.filter
    buckets = _size(self.arrays, "filter_bias2", 0)
    if buckets != 1 and not (buckets == VR_BUCKETS and self.network.contrary):
        raise ValueError(f"filter: {buckets} buckets: must be 1, or {VR_BUCKETS} in contrary variants")
    columns, bias = first_layer(self, "filter", VR_UNITS)
    weights = array(self, "filter_weights2", np.int16, (buckets, VR_UNITS, 1))
    offset = array(self, "filter_bias2", np.int32, (buckets, 1))
    _check_sums("filter_weights2", weights, offset)
    filter.columns = <const int16_t *>keep(self, columns)
    filter.bias = <const int16_t *>keep(self, bias)
    filter.weights = <const int16_t *>keep(self, weights)
    filter.offset = <const int32_t *>keep(self, offset)
    filter.buckets = buckets


cdef first_layer(IncrementalNetwork self, name, width):
    columns = array(self, f"{name}_columns", np.int16, (VR_COUNT_SLOTS, VR_COUNTS, width))
    bias = array(self, f"{name}_bias", np.int16, (width,))
    if columns[:, 0].any():
        raise ValueError(f"{name}_columns: an empty slot must add nothing")
    _check_first_layer(name, np.ascontiguousarray(columns), np.ascontiguousarray(bias))
    return columns, bias


cdef array(IncrementalNetwork self, key, dtype, shape):
    array = self.arrays.get(key)
    if not isinstance(array, np.ndarray):
        raise ValueError(f"{key} is {type(array).__name__}: must be an array of {np.dtype(dtype).name} {shape}")
    if array.dtype != dtype or array.shape != shape:
        raise ValueError(
            f"{key} is {array.dtype.name} {array.shape}: must be {np.dtype(dtype).name} {shape}"
        )
    if array.dtype == np.float32 and not (np.abs(array) <= LARGEST_WEIGHT).all():  # nor is what is no number
        index = np.argwhere(~(np.abs(array) <= LARGEST_WEIGHT))[0].tolist()
        raise ValueError(f"{key}{index} = {array[tuple(index)]}: must be within +-{LARGEST_WEIGHT:g}")
    return array


cdef void *keep(IncrementalNetwork self, array):
    """A copy in memory that begins with a cache line, and lives as long as the network."""
    cdef cnp.ndarray memory = np.empty(array.nbytes + 64, np.uint8)
    first = -<int64_t>cnp.PyArray_DATA(memory) & 63
    copy = memory[first:first + array.nbytes].view(array.dtype).reshape(array.shape)
    copy[...] = array
    self.memory.append(memory)
    return cnp.PyArray_DATA(copy)


def _made(arrays, variants, inputs, name):
    return IncrementalNetwork(arrays, variants, inputs=inputs, name=name)


def _size(arrays, key, axis):
    array = arrays.get(key)
    if not isinstance(array, np.ndarray) or array.ndim <= axis:
        raise ValueError(f"{key}: must be an array of at least {axis + 1} dimensions")
    return array.shape[axis]


def _check_sums(key, weights, bias):
    """No sum of the second layer leaves 32 bits: each input is 0..1024."""
    worst = 1024 * np.abs(weights.astype(np.int64)).sum(1) + np.abs(bias.astype(np.int64))
    if (worst >= 1 << 31).any():
        index = np.argwhere(worst >= 1 << 31)[0].tolist()
        bucket, unit = index
        raise ValueError(f"{key}: bucket {bucket}, unit {unit}: a sum can reach {worst[bucket, unit]}: no 32 bits")


cdef _check_first_layer(name, cnp.ndarray columns, cnp.ndarray bias):
    """No unit leaves 16 bits, whatever the arrangements of at most 15 checkers of the two sides.

    The largest and the smallest sum of a side by dynamic programming over its slots: for each number of checkers, the
    best that the slots so far can give.
    """
    cdef int64_t width = cnp.PyArray_DIM(bias, 0), unit
    cdef const int16_t *table = <const int16_t *>cnp.PyArray_DATA(columns)
    cdef const int16_t *start = <const int16_t *>cnp.PyArray_DATA(bias)
    cdef int32_t least, most
    cdef int64_t wrong = -1
    with nogil:
        for unit in range(width):
            most = start[unit] + extreme(table + unit, width, 1) + extreme(
                table + VR_COUNT_SLOTS // 2 * VR_COUNTS * width + unit, width, 1
            )
            least = start[unit] - extreme(table + unit, width, -1) - extreme(
                table + VR_COUNT_SLOTS // 2 * VR_COUNTS * width + unit, width, -1
            )
            if most > 32767 or least < -32768:
                wrong = unit
                break
    if wrong >= 0:
        raise ValueError(f"{name}: unit {wrong} can reach {least} to {most}: no 16 bits")


cdef int32_t extreme(const int16_t *column, int64_t stride, int sign) noexcept nogil:
    cdef int32_t best[VR_COUNTS]
    cdef int32_t value
    cdef int slot, count, checkers
    for checkers in range(VR_COUNTS):
        best[checkers] = 0
    for slot in range(VR_COUNT_SLOTS // 2):
        for checkers in range(VR_COUNTS - 1, 0, -1):
            for count in range(1, checkers + 1):
                value = best[checkers - count] + sign * column[(slot * VR_COUNTS + count) * stride]
                best[checkers] = max(best[checkers], value)
    return best[VR_COUNTS - 1]
