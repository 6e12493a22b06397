/* Prints a checksum of what the kernels of one instruction set, VR_ROW, say of networks and positions by a rule: the
 * same number wherever they are right. See tools/kernels_elsewhere. */
#include "network.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define ROW JOIN(vr_kernels_, VR_ROW)
extern const vr_kernels ROW;

enum { PARENTS = 200, CHILDREN = 37 };

static uint64_t state = 1, checksum = 14695981039346656037u;

static uint32_t below(uint32_t limit) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)((state >> 32) * limit >> 32);
}

static int around_zero(uint32_t limit) { return (int)below(2 * limit + 1) - (int)limit; }

static void note(const void *data, size_t size) {
    const unsigned char *bytes = data;
    while (size--)
        checksum = (checksum ^ *bytes++) * 1099511628211u;
}

static void *memory(size_t size) {
    void *found = malloc(size);
    if (!found)
        abort();
    return found;
}

static const int16_t *shorts(int count, uint32_t limit) {
    int16_t *numbers = memory((size_t)count * sizeof *numbers);
    int k;
    for (k = 0; k < count; k++)
        numbers[k] = (int16_t)around_zero(limit);
    return numbers;
}

static const int32_t *longs(int count, uint32_t limit) {
    int32_t *numbers = memory((size_t)count * sizeof *numbers);
    int k;
    for (k = 0; k < count; k++)
        numbers[k] = around_zero(limit);
    return numbers;
}

static const float *floats(int count, float limit) {
    float *numbers = memory((size_t)count * sizeof *numbers);
    int k;
    for (k = 0; k < count; k++)
        numbers[k] = (float)around_zero(1024) * (limit / 1024);
    return numbers;
}

static vr_part some_part(int width, int buckets) {
    vr_part part;
    part.width = width;
    part.inputs = width / 2 + VR_DENSE;
    part.buckets = buckets;
    part.columns = shorts(VR_COUNT_SLOTS * VR_COUNTS * width, 250);
    part.bias = shorts(width, 1000);
    part.weights2 = shorts(buckets * part.inputs * VR_UNITS, 1500);
    part.bias2 = longs(buckets * VR_UNITS, 1 << 21);
    part.weights3 = floats(buckets * VR_UNITS * VR_UNITS, 0.25f);
    part.bias3 = floats(buckets * VR_UNITS, 0.5f);
    part.weights4 = floats(buckets * VR_UNITS * VR_CHANCE_LANES, 0.25f);
    part.bias4 = floats(buckets * VR_CHANCE_LANES, 1.0f);
    return part;
}

static vr_filter some_filter(int buckets) {
    vr_filter filter;
    filter.buckets = buckets;
    filter.columns = shorts(VR_COUNT_SLOTS * VR_COUNTS * VR_UNITS, 250);
    filter.bias = shorts(VR_UNITS, 1000);
    filter.weights = shorts(buckets * VR_UNITS, 4000);
    filter.offset = longs(buckets, 1 << 21);
    return filter;
}

/* Fifteen checkers of each side, anywhere or on one part of the way, some on the bar; no point held by both. */
static vr_position some_position(int contrary) {
    vr_position position = {{0, 0}, {0, 0}};
    int taken[26] = {0}, checker, side;
    const uint32_t lowest = below(14), range = 1 + below(25 - lowest);
    for (side = 0; side < 2; side++) {
        uint64_t *words = side ? position.opp : position.own;
        for (checker = 0; checker < 15;) {
            const int slot = (int)(below(3) ? lowest + below(range) : below(26));
            const int there = contrary ? 25 - slot : (slot + 11) % 24 + 1, on_point = slot % 25 != 0;
            if ((slot == 25 && !contrary) || (on_point && side && taken[there]))
                continue;
            words[slot >> 4] += (uint64_t)1 << (4 * (slot & 15));
            taken[slot] |= on_point && !side;
            checker++;
        }
    }
    return position;
}

static void judge_some(int contrary) {
    static vr_parent parent;
    static vr_position children[CHILDREN];
    static float chances[CHILDREN * VR_CHANCES];
    int64_t passed[VR_PASSED];
    const int buckets = contrary ? VR_BUCKETS : 1;
    vr_network network;
    int family, k;
    network.contrary = contrary;
    network.contact = some_part(512, buckets);
    network.race = some_part(128, 1);
    network.filter = some_filter(buckets);
    for (family = 0; family < PARENTS; family++) {
        const vr_position position = some_position(contrary);
        for (k = 0; k < CHILDREN; k++)
            children[k] = some_position(contrary);
        vr_begin(&parent, &position);
        ROW.judge(&network, &parent, children, CHILDREN, chances);
        note(chances, sizeof chances);
        note(passed, (size_t)ROW.pass(&network, &parent, children, CHILDREN, passed) * sizeof *passed);
    }
}

int main(void) {
    vr_features_init();
    judge_some(1);
    judge_some(0);
    printf("%016" PRIx64 "\n", checksum);
    return 0;
}
