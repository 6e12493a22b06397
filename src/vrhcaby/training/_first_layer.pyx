"""The first layer of a network in training: positions in, the inputs of the second layer out, and the gradients back.

A position sets about sixteen of the 832 pairs of a slot and a count, so that adding up their columns costs a sixth of a
dense product. The units are cut into blocks whose columns and gradients stay in the cache nearest to the processor, and
threads share the blocks, never the positions: a sum has the same order with any number of workers.
"""

cimport numpy as cnp
from libc.stdint cimport int8_t, int16_t, int64_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

from vrhcaby._arrays cimport checked, new_array, position_array, shape_of
from vrhcaby._position cimport SLOTS, lowest_bit, slot_count, slot_masks, vr_position

import numpy as np

from vrhcaby._threads import check_workers, run_blocks

cnp.import_array()

# The definitions too: what they need is small, and the network's own extension is not asked for anything.
cdef extern from "position_features.c" nogil:
    enum:
        VR_DENSE
    void features_init "vr_features_init"()
    int has_contact "vr_has_contact"(const vr_position *position, int contrary)
    int bucket_of "vr_bucket"(const vr_position *position)
    void dense_contrary "vr_dense_contrary"(const vr_position *position, int16_t *out)
    void dense_parallel "vr_dense_parallel"(const vr_position *position, int16_t *out)

features_init()

__all__ = ["COUNT_FEATURES", "DENSE", "UNITS_PER_BLOCK", "backward", "encode", "forward"]

cdef enum:
    COUNTS = 16
    FEATURES = 6                            # of a count, so that counts that are rare learn from their neighbours
    COLUMNS = 2 * SLOTS * COUNTS
    INPUTS = 2 * SLOTS * FEATURES
    WIDEST = 1024
    ROW = 32                                # of the list of columns of a position: their number, then at most 30
    LANES = 16
    BLOCK = 2 * LANES                       # a block has units of both halves of the layer, which are multiplied
    BLOCKS_OF_ROWS = 1024

DENSE = VR_DENSE
UNITS_PER_BLOCK = BLOCK

# [borne off or not][count]: thresholds, and a term that grows with the count.
cdef float features[2][COUNTS][FEATURES]


def _fill_features():
    cdef int count, k
    cdef int[5] off_thresholds = [1, 4, 8, 11, 13]
    for count in range(COUNTS):
        for k in range(5):
            features[0][count][k] = count > k
            features[1][count][k] = count >= off_thresholds[k]
        features[0][count][5] = <float>0.3 * (count - 5) if count > 5 else 0
        features[1][count][5] = <float>0.2 * count


_fill_features()


def _slot_features():
    table = np.empty((2 * SLOTS, COUNTS, FEATURES), np.float32)
    for slot in range(2 * SLOTS):
        for count in range(COUNTS):
            for k in range(FEATURES):
                table[slot, count, k] = features[slot % SLOTS == 0][count][k]
    table.flags.writeable = False
    return table


# (52, 16, 6): for each slot, the opponent's after the own ones, and each count what the layer is told of it.
COUNT_FEATURES = _slot_features()


cdef inline void list_side(const uint64_t *side, int first, uint16_t *row) noexcept nogil:
    cdef uint32_t occupied, two
    cdef int slot
    slot_masks(side, &occupied, &two)
    occupied &= (<uint32_t>1 << SLOTS) - 1
    while occupied and row[0] < ROW - 1:    # a position has at most 30
        slot = lowest_bit(occupied)
        occupied &= occupied - 1
        row[0] += 1
        row[row[0]] = <uint16_t>(COUNTS * (first + slot) + slot_count(side, slot))


cdef class Encoding:
    """One call of `encode`."""

    cdef const vr_position *positions
    cdef uint16_t *rows
    cdef float *dense
    cdef int8_t *buckets
    cdef cnp.npy_bool *contact
    cdef int64_t size
    cdef bint contrary

    def run(self, int64_t first):
        """Fills the rows of the block that begins at `first`."""
        cdef vr_position position
        cdef int16_t figures[VR_DENSE]
        cdef int64_t i
        cdef int k
        with nogil:
            for i in range(first, min(first + BLOCKS_OF_ROWS, self.size)):
                position = self.positions[i]
                memset(self.rows + ROW * i, 0, ROW * sizeof(uint16_t))
                list_side(position.own, 0, self.rows + ROW * i)
                list_side(position.opp, SLOTS, self.rows + ROW * i)
                if self.contrary:
                    dense_contrary(&position, figures)
                else:
                    dense_parallel(&position, figures)
                for k in range(VR_DENSE):
                    self.dense[VR_DENSE * i + k] = figures[k] * <float>(1.0 / 1024.0)
                self.buckets[i] = <int8_t>bucket_of(&position) if self.contrary else 0
                self.contact[i] = has_contact(&position, self.contrary) != 0


def encode(positions, *, direction, workers=1):
    """What a network is told of positions.

    Parameters
    ----------
    positions : (n, 4) uint64
        Packed positions. What is no position gets some encoding.
    direction : "contrary" or "parallel"
        How the players run, which decides what the dense inputs are.
    workers : int or None
        Number of threads; None = all usable cores.

    Returns
    -------
    rows : (n, 32) uint16
        The columns of the first layer to be added up: their number, then ``16 * slot + count`` of each slot that holds
        something, the opponent's slots after the 26 own ones.
    dense : (n, 20) float32
        What is told to the second layer, from 0 to 1.
    buckets : (n,) int8
        Which weights of the later layers judge the position, from 0 to 8; always 0 in parallel games.
    contact : (n,) bool
        Whether a checker of one side can still meet one of the other.

    Raises
    ------
    TypeError, ValueError
        A wrong shape, dtype, direction or number of workers.

    >>> from vrhcaby import Position, pack
    >>> rows, dense, buckets, contact = encode(pack([Position.start()]), direction="contrary")
    >>> rows[0, :5].tolist(), dense.shape, buckets.tolist(), contact.tolist()
    ([8, 101, 131, 213, 386], (1, 20), [4], [True])
    """
    cdef cnp.ndarray array = position_array(positions, "positions")
    cdef Encoding job = Encoding.__new__(Encoding)
    cdef int threads = check_workers(workers)
    if direction not in ("contrary", "parallel"):
        raise ValueError(f"direction = {direction!r}: must be 'contrary' or 'parallel'")
    job.contrary = direction == "contrary"
    job.size = cnp.PyArray_DIM(array, 0)
    cdef cnp.ndarray rows = new_array(cnp.NPY_UINT16, job.size, ROW)
    cdef cnp.ndarray dense = new_array(cnp.NPY_FLOAT32, job.size, VR_DENSE)
    cdef cnp.ndarray buckets = new_array(cnp.NPY_INT8, job.size)
    cdef cnp.ndarray contact = new_array(cnp.NPY_BOOL, job.size)
    job.positions = <const vr_position *>cnp.PyArray_DATA(array)
    job.rows = <uint16_t *>cnp.PyArray_DATA(rows)
    job.dense = <float *>cnp.PyArray_DATA(dense)
    job.buckets = <int8_t *>cnp.PyArray_DATA(buckets)
    job.contact = <cnp.npy_bool *>cnp.PyArray_DATA(contact)
    for _ in run_blocks(job.run, range(0, job.size, BLOCKS_OF_ROWS), threads if job.size > BLOCKS_OF_ROWS else 1):
        pass
    return rows, dense, buckets, contact


cdef inline float clamped(float x) noexcept nogil:
    x = x if x > 0 else 0
    return x if x < 1 else 1


cdef class Layer:
    """One call of `forward` or `backward`.

    What happens to a block of units is done in local arrays: the compiler cannot know that the others do not overlap.
    """

    cdef const uint16_t *rows
    cdef float *weights                     # (INPUTS, width): read by `forward`, filled with gradients by `backward`
    cdef float *bias                        # (width,): likewise
    cdef float *sums                        # (blocks, size, BLOCK)
    cdef float *outputs                     # (size, stride), or their gradients
    cdef int64_t size
    cdef int64_t width
    cdef int64_t stride
    cdef bint product

    def forward(self, int64_t block):
        """Sums and outputs of the units of a block."""
        cdef float *columns = new_columns()
        with nogil:
            self.find_columns(block, columns)
            self.add_up(block, columns)
            free(columns)

    def backward(self, int64_t block):
        """Gradients of the units of a block."""
        cdef float *columns = new_columns()
        with nogil:
            memset(columns, 0, COLUMNS * BLOCK * sizeof(float))
            self.hand_out(block, columns)
            self.collect(block, columns)
            free(columns)

    cdef void find_columns(self, int64_t block, float *columns) noexcept nogil:
        """The columns of a block side by side: for a count the sum of what its features weigh."""
        cdef int64_t slot, count, k, lane
        cdef float feature
        cdef float weights[FEATURES][BLOCK]
        cdef float column[BLOCK]
        for slot in range(2 * SLOTS):
            for k in range(FEATURES):
                load_block(self.weights + self.width * (FEATURES * slot + k), block, self.width, weights[k])
            for count in range(COUNTS):
                for lane in range(BLOCK):
                    column[lane] = 0
                for k in range(FEATURES):
                    feature = features[slot % SLOTS == 0][count][k]
                    for lane in range(BLOCK):
                        column[lane] = column[lane] + feature * weights[k][lane]
                memcpy(columns + BLOCK * (COUNTS * slot + count), column, BLOCK * sizeof(float))

    cdef void add_up(self, int64_t block, const float *columns) noexcept nogil:
        cdef int64_t i, lane
        cdef int k
        cdef const uint16_t *row
        cdef float *outputs
        cdef float bias[BLOCK]
        cdef float total[BLOCK]
        cdef float cut[BLOCK]
        load_block(self.bias, block, self.width, bias)
        for i in range(self.size):
            row = self.rows + ROW * i
            for lane in range(BLOCK):
                total[lane] = bias[lane]
            for k in range(row[0]):
                add(total, columns + BLOCK * row[k + 1])
            memcpy(self.sums + BLOCK * (self.size * block + i), total, BLOCK * sizeof(float))
            for lane in range(BLOCK):
                cut[lane] = clamped(total[lane])
            outputs = self.outputs + self.stride * i
            if self.product:
                for lane in range(LANES):
                    cut[lane] = cut[lane] * cut[LANES + lane]
                memcpy(outputs + LANES * block, cut, LANES * sizeof(float))
            else:
                store_block(cut, block, self.width, outputs)

    cdef void hand_out(self, int64_t block, float *columns) noexcept nogil:
        """Adds the gradient of each sum to the bias and to the columns that it was added up from."""
        cdef int64_t i, lane
        cdef int k
        cdef const uint16_t *row
        cdef float *column
        cdef const float *outputs
        cdef float sums[BLOCK]
        cdef float cut[BLOCK]
        cdef float step[BLOCK]
        cdef float total[BLOCK]
        for lane in range(BLOCK):
            total[lane] = 0
        for i in range(self.size):
            row = self.rows + ROW * i
            memcpy(sums, self.sums + BLOCK * (self.size * block + i), BLOCK * sizeof(float))
            outputs = self.outputs + self.stride * i
            for lane in range(BLOCK):
                cut[lane] = clamped(sums[lane])
            if self.product:
                memcpy(step, outputs + LANES * block, LANES * sizeof(float))
                for lane in range(LANES):
                    step[LANES + lane] = step[lane] * cut[lane]
                for lane in range(LANES):
                    step[lane] = step[lane] * cut[LANES + lane]
            else:
                load_block(outputs, block, self.width, step)
            # Where a sum is cut off its output does not follow it.
            for lane in range(BLOCK):
                step[lane] = step[lane] if sums[lane] == cut[lane] else 0
            for lane in range(BLOCK):
                total[lane] = total[lane] + step[lane]
            for k in range(row[0]):
                column = columns + BLOCK * row[k + 1]
                for lane in range(BLOCK):
                    column[lane] = column[lane] + step[lane]
        store_block(total, block, self.width, self.bias)

    cdef void collect(self, int64_t block, const float *columns) noexcept nogil:
        """The gradients of what the features weigh, from those of the columns."""
        cdef int64_t slot, count, k, lane
        cdef const float *column
        cdef float feature
        cdef float weights[BLOCK]
        for slot in range(2 * SLOTS):
            for k in range(FEATURES):
                for lane in range(BLOCK):
                    weights[lane] = 0
                for count in range(COUNTS):
                    feature = features[slot % SLOTS == 0][count][k]
                    column = columns + BLOCK * (COUNTS * slot + count)
                    for lane in range(BLOCK):
                        weights[lane] = weights[lane] + feature * column[lane]
                store_block(weights, block, self.width, self.weights + self.width * (FEATURES * slot + k))


cdef inline void add(float *total, const float *column) noexcept nogil:
    cdef int lane
    # Two loops: of one over all lanes gcc 12 carries results over to the next column, in scalars and four times slower.
    for lane in range(LANES):
        total[lane] = total[lane] + column[lane]
    for lane in range(LANES, BLOCK):
        total[lane] = total[lane] + column[lane]


cdef inline void load_block(const float *line, int64_t block, int64_t width, float *units) noexcept nogil:
    """The units of a block out of a line of all of them."""
    memcpy(units, line + LANES * block, LANES * sizeof(float))
    memcpy(units + LANES, line + width // 2 + LANES * block, LANES * sizeof(float))


cdef inline void store_block(const float *units, int64_t block, int64_t width, float *line) noexcept nogil:
    memcpy(line + LANES * block, units, LANES * sizeof(float))
    memcpy(line + width // 2 + LANES * block, units + LANES, LANES * sizeof(float))


cdef float *new_columns() except NULL:
    cdef float *columns = <float *>malloc(COLUMNS * BLOCK * sizeof(float))
    if columns == NULL:
        raise MemoryError("columns of the first layer")
    return columns


def forward(rows, weights, bias, *, sums, outputs, product, workers=1):
    """The first layer: what `encode` lists is added up, cut off below 0 and above 1, and the halves are multiplied.

    Parameters
    ----------
    rows : (n, 32) uint16
        From `encode`, unchanged.
    weights : (312, width) float32
        Of the six features of each of the 52 slots, see `COUNT_FEATURES`. The width is a multiple of 32.
    bias : (width,) float32
    sums : (width // 32, n, 32) float32
        Filled with the sums, which `backward` needs, block by block.
    outputs : (n, at least width // 2 or width) float32
        Filled from the left: unit i times unit i + width // 2 if `product`, else every unit.
    product : bool
        Whether the two halves are multiplied.
    workers : int or None
        Number of threads; None = all usable cores. The result does not depend on it.

    Raises
    ------
    TypeError, ValueError
        A wrong shape, dtype or number of workers.

    >>> from vrhcaby import Position, pack
    >>> rows, _, _, _ = encode(pack([Position.start()]), direction="contrary")
    >>> weights, bias = np.full((312, 32), 0.01, np.float32), np.zeros(32, np.float32)
    >>> sums, outputs = np.empty((1, 1, 32), np.float32), np.empty((1, 16), np.float32)
    >>> forward(rows, weights, bias, sums=sums, outputs=outputs, product=True)
    >>> f"{sums[0, 0, 0]:.4f} {outputs[0, 0]:.4f}"  # thirty checkers, none the sixth of its slot
    '0.3000 0.0900'
    """
    _run("forward", rows, weights, bias, sums, outputs, product, workers)


def backward(rows, *, sums, gradient, product, weights, bias, workers=1):
    """Gradients of the first layer.

    Parameters
    ----------
    rows : (n, 32) uint16
        As `forward` was given.
    sums : (width // 32, n, 32) float32
        As `forward` left them.
    gradient : (n, at least width // 2 or width) float32
        Of the outputs; columns to the right of them are not looked at.
    product : bool
        As `forward` was given.
    weights : (312, width) float32
    bias : (width,) float32
        Filled with their gradients.
    workers : int or None
        Number of threads; None = all usable cores. The result does not depend on it.

    Raises
    ------
    TypeError, ValueError
        A wrong shape, dtype or number of workers.
    """
    _run("backward", rows, weights, bias, sums, gradient, product, workers)


def _run(name, rows, weights, bias, sums, outputs, product, workers):
    cdef Layer job = Layer.__new__(Layer)
    cdef cnp.ndarray list_array = checked(rows, "rows", cnp.NPY_UINT16, "uint16", False)
    cdef cnp.ndarray weight_array = checked(weights, "weights", cnp.NPY_FLOAT32, "float32", True)
    cdef cnp.ndarray bias_array = checked(bias, "bias", cnp.NPY_FLOAT32, "float32", True)
    cdef cnp.ndarray sum_array = checked(sums, "sums", cnp.NPY_FLOAT32, "float32", True)
    cdef cnp.ndarray output_array = checked(outputs, "outputs", cnp.NPY_FLOAT32, "float32", True)
    cdef int threads = check_workers(workers)
    width = shape_of(bias_array)[0] if cnp.PyArray_NDIM(bias_array) == 1 else 0
    if not 0 < width <= WIDEST or width % BLOCK:
        raise ValueError(f"bias has shape {shape_of(bias_array)}: must be a multiple of {BLOCK} up to {WIDEST} units")
    size = len(list_array)
    for array, key, shape in (
        (list_array, "rows", (size, ROW)),
        (weight_array, "weights", (INPUTS, width)),
        (sum_array, "sums", (width // BLOCK, size, BLOCK)),
    ):
        if shape_of(array) != shape:
            raise ValueError(f"{key} has shape {shape_of(array)}: must be {shape}")
    least = width // 2 if product else width
    shape = shape_of(output_array)
    if len(shape) != 2 or shape[0] != size or shape[1] < least:
        raise ValueError(f"outputs has shape {shape}: must be ({size}, {least} or more)")
    if size and (rows[:, 0].max() >= ROW or rows[:, 1:].max() >= COLUMNS):
        raise ValueError("rows must be as `encode` returns them")
    job.rows = <const uint16_t *>cnp.PyArray_DATA(list_array)
    job.weights = <float *>cnp.PyArray_DATA(weight_array)
    job.bias = <float *>cnp.PyArray_DATA(bias_array)
    job.sums = <float *>cnp.PyArray_DATA(sum_array)
    job.outputs = <float *>cnp.PyArray_DATA(output_array)
    job.size = size
    job.width = width
    job.stride = shape[1]
    job.product = product
    for _ in run_blocks(getattr(job, name), range(width // BLOCK), threads):
        pass
