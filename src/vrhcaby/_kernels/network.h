/* A network whose first layer is updated from a position to its children instead of being computed anew.
 *
 * First layer: for each of the 52 slots (own 0..25, then the opponent's, each side in its own numbering) a column of
 * `width` numbers for each count of checkers, added to the bias: 16 bits, 1024 = 1. Between the first half of the units
 * and the second go products of pairs, each unit cut off at 0 and 1; after them the figures of position_features.h.
 * Second layer: 32 units, 16-bit weights (2048 = 1), 32-bit sums. From there on 32-bit floating point in a fixed order:
 * 32 units, then five chances. The later layers have weights for each bucket of positions. */
#ifndef VRHCABY_NETWORK_H
#define VRHCABY_NETWORK_H

#include "position_features.h"

enum {
    VR_COUNT_SLOTS = 52,
    VR_COUNTS = 16,
    VR_UNITS = 32,          /* of the second and of the third layer, and of a filter */
    VR_CHANCES = 5,
    VR_CHANCE_LANES = 8,    /* the row of an output weight: five chances and padding */
    VR_MAX_WIDTH = 1024,
    VR_WIDTH_STEP = 128,    /* a width is a multiple of it */
    VR_PASSED = 8           /* children that a filter lets through */
};

typedef struct {
    int width;              /* 0 = there is no such part */
    int inputs;             /* of the second layer: half the width, and the figures of the position if there are any */
    int buckets;
    const int16_t *columns; /* (52, 16, width) */
    const int16_t *bias;    /* (width) */
    const int16_t *weights2;/* (buckets, inputs / 2, 32, 2): pairs of inputs side by side */
    const int32_t *bias2;   /* (buckets, 32) */
    const float *weights3;  /* (buckets, 32, 32), input by unit */
    const float *bias3;
    const float *weights4;  /* (buckets, 32, 8), input by chance */
    const float *bias4;     /* (buckets, 8) */
} vr_part;

/* One layer of 32 units, each cut off at 0 and 1, and their weighted sum: equity of the player on roll, in 2**-21. */
typedef struct {
    int buckets;            /* 0 = there is no filter */
    const int16_t *columns; /* (52, 16, 32) */
    const int16_t *bias;    /* (32) */
    const int16_t *weights; /* (buckets, 32) */
    const int32_t *offset;  /* (buckets) */
} vr_filter;

typedef struct {
    int contrary;
    vr_part contact;
    vr_part race;
    vr_filter filter;
} vr_network;

/* The first layers of a position as its children start from them: with the sides exchanged, since in a child the other
 * player is on roll. Each is filled when it is first needed. */
typedef struct {
    vr_position turned;
    int contact_known, race_known, filter_known;
    int16_t contact[VR_MAX_WIDTH];
    int16_t race[VR_MAX_WIDTH];
    int16_t filter[VR_UNITS];
} vr_parent;

static inline void vr_begin(vr_parent *parent, const vr_position *position) {
    parent->turned.own[0] = position->opp[0];
    parent->turned.own[1] = position->opp[1];
    parent->turned.opp[0] = position->own[0];
    parent->turned.opp[1] = position->own[1];
    parent->contact_known = parent->race_known = parent->filter_known = 0;
}

typedef struct {
    const char *name;
    /* Chances (count, 5) of the player on roll in each child. */
    void (*judge)(const vr_network *, vr_parent *, const vr_position *children, int64_t count, float *chances);
    /* The children, at most VR_PASSED, in which the filter sees the least for the player on roll, in rising order of
     * their place; of equals the first ones. Returns how many. */
    int (*pass)(const vr_network *, vr_parent *, const vr_position *children, int64_t count, int64_t *passed);
} vr_kernels;

/* The sets of instructions that this build has, the best one last; those that the processor has. */
int vr_kernels_count(void);
const vr_kernels *vr_kernels_at(int index);
int vr_kernels_usable(int index);

#endif
