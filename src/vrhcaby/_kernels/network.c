/* Compiled once for each instruction set: the build defines VR_ROW, the name of the set. */
#include "network.h"
#include "lanes.h"

#define VR_JOIN_(a, b) a##b
#define VR_JOIN(a, b) VR_JOIN_(a, b)
#define VR_TEXT_(a) #a
#define VR_TEXT(a) VR_TEXT_(a)

/* TILE: units of each half of the first layer that are added up at a time, as many as the registers hold. */
enum { TILE = LANES > 8 ? 64 : 32, TILE_ROWS = TILE / LANES, UNIT_ROWS = VR_UNITS / LANES, SUM_ROWS = VR_UNITS / SUMS };

/* The columns by which a child differs from its parent: 26 slots a side can differ, each by two columns. */
typedef struct {
    int added, taken;
    const int16_t *add[VR_COUNT_SLOTS];
    const int16_t *take[VR_COUNT_SLOTS];
} changes;

static inline int lowest_bit(uint64_t word) { /* word != 0 */
#if defined(_MSC_VER) && !defined(__clang__)
    unsigned long index;
    _BitScanForward64(&index, word);
    return (int)index;
#else
    return __builtin_ctzll(word);
#endif
}

/* Bit k = the sides differ in slot k. */
static inline uint64_t different_slots(const uint64_t before[2], const uint64_t after[2]) {
    const uint64_t different[2] = {before[0] ^ after[0], before[1] ^ after[1]};
    uint32_t any, two;
    vr_slot_masks(different, &any, &two);
    return any & ((1u << VR_COUNT_SLOTS / 2) - 1);
}

/* An empty slot has no column: what was noted for it is overwritten. */
static inline void find_changes(
    const int16_t *columns, int width, const vr_position *before, const vr_position *after, changes *found
) {
    const uint64_t was[4] = {before->own[0], before->own[1], before->opp[0], before->opp[1]};
    const uint64_t is[4] = {after->own[0], after->own[1], after->opp[0], after->opp[1]};
    uint64_t different = different_slots(before->own, after->own) | different_slots(before->opp, after->opp) << 32;
    int added = 0, taken = 0;
    while (different) {
        const int place = lowest_bit(different), word = place >> 4, shift = 4 * (place & 15);
        const int slot = place - (place >> 5) * (32 - VR_COUNT_SLOTS / 2);
        const int old = (int)(was[word] >> shift & 15), new = (int)(is[word] >> shift & 15);
        different &= different - 1;
        found->add[added] = columns + (size_t)(slot * VR_COUNTS + new) * width;
        found->take[taken] = columns + (size_t)(slot * VR_COUNTS + old) * width;
        added += new != 0;
        taken += old != 0;
    }
    found->added = added;
    found->taken = taken;
}

static const vr_position nothing;

static void first_layer(
    const int16_t *columns, const int16_t *bias, int width, const vr_position *position, int16_t *out
) {
    changes all;
    int unit, k;
    find_changes(columns, width, &nothing, position, &all);
    for (unit = 0; unit < width; unit += LANES) {
        lanes x = load_lanes(bias + unit);
        for (k = 0; k < all.added; k++)
            x = add_lanes(x, load_lanes(all.add[k] + unit));
        store_lanes(out + unit, x);
    }
}

static inline lanes cut_off(lanes x) { return smaller_lanes(larger_lanes(x, same_lanes(0)), same_lanes(1023)); }

/* The products of a child. A tile stays in registers while the columns that differ are added to it. */
static inline void products(const vr_part *part, const int16_t *parent, const changes *change, int16_t *out) {
    const int half = part->width / 2;
    int unit, k, row;
    for (unit = 0; unit < half; unit += TILE) {
        lanes a[TILE_ROWS], b[TILE_ROWS];
        for (row = 0; row < TILE_ROWS; row++) {
            a[row] = load_lanes(parent + unit + LANES * row);
            b[row] = load_lanes(parent + half + unit + LANES * row);
        }
        for (k = 0; k < change->added; k++)
            for (row = 0; row < TILE_ROWS; row++) {
                a[row] = add_lanes(a[row], load_lanes(change->add[k] + unit + LANES * row));
                b[row] = add_lanes(b[row], load_lanes(change->add[k] + half + unit + LANES * row));
            }
        for (k = 0; k < change->taken; k++)
            for (row = 0; row < TILE_ROWS; row++) {
                a[row] = subtract_lanes(a[row], load_lanes(change->take[k] + unit + LANES * row));
                b[row] = subtract_lanes(b[row], load_lanes(change->take[k] + half + unit + LANES * row));
            }
        for (row = 0; row < TILE_ROWS; row++)
            store_lanes(out + unit + LANES * row, product_lanes(cut_off(a[row]), cut_off(b[row])));
    }
}

static inline void second_layer(const vr_part *part, int bucket, const int16_t *inputs, float *out) {
    const int16_t *weights = part->weights2 + (size_t)bucket * part->inputs * VR_UNITS;
    const floats scale = same_floats(1.0f / (1024 * 2048)), zero = same_floats(0);
    const int16_t *end = inputs + part->inputs;
    sums total[SUM_ROWS];
    int k, row;
    for (row = 0; row < SUM_ROWS; row++)
        total[row] = load_sums(part->bias2 + bucket * VR_UNITS + SUMS * row);
    for (; inputs < end; inputs += 4) /* as many are a multiple of four */
        for (k = 0; k < 4; k += 2, weights += 2 * VR_UNITS) {
            int32_t pair;
            memcpy(&pair, inputs + k, sizeof pair);
            for (row = 0; row < SUM_ROWS; row++)
                total[row] = add_sums(total[row], multiply_pairs(same_pair(pair), load_lanes(weights + LANES * row)));
        }
    for (row = 0; row < SUM_ROWS; row++)
        store_floats(out + SUMS * row, larger_floats(multiply_floats(floats_of_sums(total[row]), scale), zero));
}

/* The order of the additions is part of the result: even inputs from the bias on, odd inputs, then both. */
static inline void third_layer(const vr_part *part, int bucket, const float *inputs, float *out) {
    const float *weights = part->weights3 + (size_t)bucket * VR_UNITS * VR_UNITS;
    const float *bias = part->bias3 + bucket * VR_UNITS;
    floats even[SUM_ROWS], odd[SUM_ROWS];
    int k, row;
    for (row = 0; row < SUM_ROWS; row++) {
        even[row] = load_floats(bias + SUMS * row);
        odd[row] = same_floats(0);
    }
    for (k = 0; k < VR_UNITS; k += 2, inputs += 2, weights += 2 * VR_UNITS)
        for (row = 0; row < SUM_ROWS; row++) {
            even[row] = add_floats(
                even[row], multiply_floats(same_floats(inputs[0]), load_floats(weights + SUMS * row))
            );
            odd[row] = add_floats(
                odd[row], multiply_floats(same_floats(inputs[1]), load_floats(weights + VR_UNITS + SUMS * row))
            );
        }
    for (row = 0; row < SUM_ROWS; row++)
        store_floats(out + SUMS * row, larger_floats(add_floats(even[row], odd[row]), same_floats(0)));
}

/* 1 / (1 + exp(-x)), beyond +-16 as at +-16; exp(y) as exp(y / 32) ** 32, the inner one by its series. */
static inline eight logistic(eight x) {
    static const float series[5] = {1.0f / 24, 1.0f / 6, 0.5f, 1.0f, 1.0f};
    const eight cut = smaller_eight(larger_eight(x, same_eight(-16.0f)), same_eight(16.0f));
    const eight y = multiply_eight(cut, same_eight(-1.0f / 32)), one = same_eight(1.0f);
    eight e = same_eight(1.0f / 120);
    int k;
    for (k = 0; k < 5; k++)
        e = add_eight(same_eight(series[k]), multiply_eight(y, e));
    for (k = 0; k < 5; k++)
        e = multiply_eight(e, e);
    return divide_eight(one, add_eight(one, e));
}

/* Here the additions go in four chains, every fourth input in each, the bias in the first; then the first two, the last
 * two, and both. */
static inline void output_layer(const vr_part *part, int bucket, const float *inputs, float *chances) {
    const float *weights = part->weights4 + (size_t)bucket * VR_UNITS * VR_CHANCE_LANES;
    float results[VR_CHANCE_LANES];
    eight chain[4];
    int k, first;
    chain[0] = load_eight(part->bias4 + bucket * VR_CHANCE_LANES);
    chain[1] = chain[2] = chain[3] = same_eight(0);
    for (first = 0; first < VR_UNITS; first += 4, inputs += 4, weights += 4 * VR_CHANCE_LANES)
        for (k = 0; k < 4; k++)
            chain[k] = add_eight(
                chain[k], multiply_eight(same_eight(inputs[k]), load_eight(weights + k * VR_CHANCE_LANES))
            );
    store_eight(results, logistic(add_eight(add_eight(chain[0], chain[1]), add_eight(chain[2], chain[3]))));
    memcpy(chances, results, VR_CHANCES * sizeof *chances);
}

/* Children are judged by the block: first the first layer of all, then the later layers of those with the same weights,
 * so that these stay in the nearest cache. */
enum { BLOCK = 16, WEIGHT_SETS = 2 * VR_BUCKETS };

static inline void first_layer_of_child(
    const vr_network *network, const vr_part *part, vr_parent *parent, const vr_position *child, int16_t *inputs
) {
    const int race = part == &network->race, half = part->width / 2;
    int *known = race ? &parent->race_known : &parent->contact_known;
    int16_t *units = race ? parent->race : parent->contact;
    changes change;
    if (!*known) {
        first_layer(part->columns, part->bias, part->width, &parent->turned, units);
        *known = 1;
    }
    find_changes(part->columns, part->width, &parent->turned, child, &change);
    products(part, units, &change, inputs);
    if (part->inputs > half) {
        if (network->contrary)
            vr_dense_contrary(child, inputs + half);
        else
            vr_dense_parallel(child, inputs + half);
    }
}

static void judge(
    const vr_network *network, vr_parent *parent, const vr_position *children, int64_t count, float *chances
) {
    int16_t inputs[BLOCK][VR_MAX_WIDTH / 2 + VR_DENSE];
    float second[BLOCK][VR_UNITS], third[BLOCK][VR_UNITS];
    int64_t first;
    for (first = 0; first < count; first += BLOCK) {
        const int size = count - first < BLOCK ? (int)(count - first) : BLOCK;
        uint32_t members[WEIGHT_SETS] = {0}; /* of the race part the upper half */
        int i, set;
        for (i = 0; i < size; i++) {
            const vr_position *child = children + first + i;
            const int race = network->race.width && !vr_has_contact(child, network->contrary);
            const vr_part *part = race ? &network->race : &network->contact;
            first_layer_of_child(network, part, parent, child, inputs[i]);
            members[race * VR_BUCKETS + (part->buckets == VR_BUCKETS ? vr_bucket(child) : 0)] |= 1u << i;
        }
        for (set = 0; set < WEIGHT_SETS; set++) {
            const vr_part *part = set < VR_BUCKETS ? &network->contact : &network->race;
            const int bucket = set % VR_BUCKETS;
            uint32_t left;
            for (left = members[set]; left; left &= left - 1)
                second_layer(part, bucket, inputs[vr_lowest_bit(left)], second[vr_lowest_bit(left)]);
            for (left = members[set]; left; left &= left - 1)
                third_layer(part, bucket, second[vr_lowest_bit(left)], third[vr_lowest_bit(left)]);
            for (left = members[set]; left; left &= left - 1) {
                i = vr_lowest_bit(left);
                output_layer(part, bucket, third[i], chances + VR_CHANCES * (first + i));
            }
        }
    }
}

static inline int32_t score(const vr_filter *filter, const vr_parent *parent, const vr_position *child) {
    const int bucket = filter->buckets == VR_BUCKETS ? vr_bucket(child) : 0;
    int32_t part[SUMS];
    int32_t total = filter->offset[bucket];
    changes change;
    sums sum;
    int row, k;
    find_changes(filter->columns, VR_UNITS, &parent->turned, child, &change);
    for (row = 0; row < UNIT_ROWS; row++) {
        lanes x = load_lanes(parent->filter + LANES * row);
        sums more;
        for (k = 0; k < change.added; k++)
            x = add_lanes(x, load_lanes(change.add[k] + LANES * row));
        for (k = 0; k < change.taken; k++)
            x = subtract_lanes(x, load_lanes(change.take[k] + LANES * row));
        more = multiply_pairs(cut_off(x), load_lanes(filter->weights + bucket * VR_UNITS + LANES * row));
        sum = row ? add_sums(sum, more) : more;
    }
    store_sums(part, sum);
    for (k = 0; k < SUMS; k++)
        total += part[k];
    return total;
}

static int pass(
    const vr_network *network, vr_parent *parent, const vr_position *children, int64_t count, int64_t *passed
) {
    int32_t scores[VR_PASSED];
    int64_t i;
    int kept = 0, place;
    if (count <= VR_PASSED || !network->filter.buckets) {
        for (i = 0; i < count && i < VR_PASSED; i++)
            passed[i] = i;
        return (int)i;
    }
    if (!parent->filter_known) {
        first_layer(network->filter.columns, network->filter.bias, VR_UNITS, &parent->turned, parent->filter);
        parent->filter_known = 1;
    }
    for (i = 0; i < count; i++) {
        const int32_t found = score(&network->filter, parent, children + i);
        if (kept == VR_PASSED && found >= scores[VR_PASSED - 1])
            continue;
        place = kept < VR_PASSED ? kept++ : VR_PASSED - 1;
        for (; place > 0 && scores[place - 1] > found; place--) {
            scores[place] = scores[place - 1];
            passed[place] = passed[place - 1];
        }
        scores[place] = found;
        passed[place] = i;
    }
    for (place = 1; place < kept; place++) {
        const int64_t moved = passed[place];
        int to = place;
        for (; to > 0 && passed[to - 1] > moved; to--)
            passed[to] = passed[to - 1];
        passed[to] = moved;
    }
    return kept;
}

extern const vr_kernels VR_JOIN(vr_kernels_, VR_ROW);
const vr_kernels VR_JOIN(vr_kernels_, VR_ROW) = {VR_TEXT(VR_ROW), judge, pass};
