/* What a network is told of a position beside the counts of checkers: whether there is contact left, which weights
 * serve, and a few figures that a player would look at, all from sets of points. Integers only: the same on every
 * machine.
 *
 * Sets are in path coordinates: bit i = the point at distance i from the bar of the side that moves (0 = bar,
 * 1..24 = points, 25 = borne off). In contrary variants the slots of the other side are these same bits; in parallel
 * variants the other side's path is half a turn away. */
#ifndef VRHCABY_POSITION_FEATURES_H
#define VRHCABY_POSITION_FEATURES_H

#include "portable.h"

enum {
    VR_BUCKETS = 9,     /* of contact positions in contrary variants */
    VR_DENSE = 20,      /* figures of a position, each 0..1024 */
    VR_PATH_POINTS = 0x1fffffe
};

/* For twelve points in front of a checker, bit 0 the nearest: with how many of the 36 rolls it can move both dice
 * (doubles: two of the four steps) if the points of the set are closed. Filled by vr_features_init. */
extern uint8_t vr_escapes[4096];
/* The least of four places one after another, by the fifteen points in front of the first. */
extern uint8_t vr_least_escapes[32768];
void vr_features_init(void);

/* The sets that everything below looks at, of one side as the mover and the other as the one in the way. */
typedef struct {
    uint32_t any;       /* where the mover has checkers, 0..24 */
    uint32_t made;      /* where he has two or more, 1..24 */
    uint32_t other_any; /* where the other has checkers, 1..24, in the mover's coordinates */
    uint32_t other_made;
    int rear;           /* the mover's last checker; 25 = none left */
} vr_view;

static inline int vr_count_at(const uint64_t side[2], int slot) {
    return (int)(side[slot >> 4] >> (4 * (slot & 15)) & 15);
}

static inline uint32_t vr_half_turn(uint32_t points) { return (points << 12 | points >> 12) & VR_PATH_POINTS; }

static inline vr_view vr_view_contrary(const uint64_t side[2], const uint64_t other[2]) {
    vr_view view;
    uint32_t off = 1u << 25;
    vr_path_masks(side, &view.any, &view.made);
    vr_slot_masks(other, &view.other_any, &view.other_made);
    view.any &= off - 1;
    view.made &= VR_PATH_POINTS;
    view.other_any &= VR_PATH_POINTS;
    view.other_made &= VR_PATH_POINTS;
    view.rear = vr_lowest_bit(view.any | off);
    return view;
}

static inline vr_view vr_view_parallel(const uint64_t side[2], const uint64_t other[2]) {
    vr_view view;
    vr_path_masks(side, &view.any, &view.made);
    vr_path_masks(other, &view.other_any, &view.other_made);
    view.any &= VR_PATH_POINTS;
    view.made &= VR_PATH_POINTS;
    view.other_any = vr_half_turn(view.other_any & VR_PATH_POINTS);
    view.other_made = vr_half_turn(view.other_made & VR_PATH_POINTS);
    view.rear = vr_lowest_bit(view.any | 1u << 25);
    return view;
}

/* Whether a checker of one side can still meet one of the other. */
static inline int vr_has_contact(const vr_position *position, int contrary) {
    uint32_t own, opp, made, bar = 1, off = 1u << 25;
    int own_rear, opp_rear;
    vr_path_masks(position->own, &own, &made);
    vr_path_masks(position->opp, &opp, &made);
    own &= VR_PATH_POINTS | bar;
    opp &= VR_PATH_POINTS | bar;
    if (!own || !opp)
        return 0;
    own_rear = vr_lowest_bit(own | off);
    opp_rear = vr_lowest_bit(opp | off);
    /* parallel: each is past the half of his way where the other starts, so that their ways are apart */
    return contrary ? own_rear + opp_rear < 25 : own_rear < 13 || opp_rear < 13;
}

/* 0, 1, 2: at most one checker, two, or more in the other's home board or on the bar (slots 19..25). */
static inline int vr_back_class(const uint64_t side[2]) {
    uint64_t back = side[1] & 0xfffffff000u;
    int count;
    back = (back & 0x0f0f0f0f0f0f0f0fu) + ((back >> 4) & 0x0f0f0f0f0f0f0f0fu);
    count = (int)((back * 0x0101010101010101u) >> 56);
    return count < 2 ? 0 : count == 2 ? 1 : 2;
}

/* Which weights of the later layers judge a contact position of a contrary variant. */
static inline int vr_bucket(const vr_position *position) {
    return 3 * vr_back_class(position->own) + vr_back_class(position->opp);
}

static inline int vr_at_most(int value, int limit) { return value < limit ? value : limit; }

/* Steps of a row of lanes, each with its own number of pips. Where no instruction shifts lanes by different amounts a
 * compiler can still multiply them. 31 pips lead off the board. */
#if defined(VR_SSE) && !defined(__AVX2__)
#define VR_ADVANCE(pips) (1u << (pips))
static inline uint32_t vr_advance(uint32_t points, uint32_t step) { return points * step; }
#else
#define VR_ADVANCE(pips) (pips)
static inline uint32_t vr_advance(uint32_t points, uint32_t step) { return points << step; }
#endif

/* How many of the 36 rolls hit one of the blots, and one of those that are also in `far`. With more than one checker on
 * the bar only entering is counted. */
static inline void vr_shots(
    const vr_view *view, uint32_t blots, uint32_t far, int on_bar, int *any_shots, int *far_shots
) {
#define S(pips) VR_ADVANCE(pips)
    /* the fifteen rolls of different dice, and the six doubles */
    static const uint32_t larger[16] = {S(2), S(3), S(3), S(4), S(4), S(4), S(5), S(5),
                                        S(5), S(5), S(6), S(6), S(6), S(6), S(6), S(31)};
    static const uint32_t smaller[16] = {S(1), S(1), S(2), S(1), S(2), S(3), S(1), S(2),
                                         S(3), S(4), S(1), S(2), S(3), S(4), S(5), S(31)};
    static const uint32_t equal[8] = {S(1), S(2), S(3), S(4), S(5), S(6), S(31), S(31)};
#undef S
    const uint32_t open = VR_PATH_POINTS & ~view->other_made;
    /* who can make the first step, and who else can move after it */
    const uint32_t first = on_bar ? 1 : view->any, others = on_bar ? view->any & ~1u : 0;
    /* where the steps after the first can lead: as many as there are dice left when all have entered */
    const uint32_t second = on_bar < 2 ? open : 0;
    const uint32_t double2 = on_bar < 4 ? open : 0, double3 = on_bar < 3 ? open : 0, double4 = on_bar < 2 ? open : 0;
    uint32_t shots = 0, k; /* the far ones in the upper half */
    for (k = 0; k < 16; k++) {
        const uint32_t a = larger[k], b = smaller[k];
        const uint32_t by_a = vr_advance(first, a), by_b = vr_advance(first, b);
        const uint32_t on_a = by_a & second, on_b = by_b & second;
        const uint32_t then_b = vr_advance(on_a | (on_a ? others : 0), b);
        const uint32_t then_a = vr_advance(on_b | (on_b ? others : 0), a);
        const uint32_t hit = (by_a | by_b | then_a | then_b) & blots;
        shots += (hit ? 2u : 0) + (hit & far ? 2u << 16 : 0);
    }
    for (k = 0; k < 8; k++) {
        const uint32_t die = equal[k];
        const uint32_t one = vr_advance(first, die) & open, two = vr_advance(one | (one ? others : 0), die) & double2;
        const uint32_t three = vr_advance(two, die) & double3, four = vr_advance(three, die) & double4;
        const uint32_t hit = (one | two | three | four) & blots;
        shots += (hit ? 1u : 0) + (hit & far ? 1u << 16 : 0);
    }
    *any_shots = (int)(shots & 0xffff);
    *far_shots = (int)(shots >> 16);
}

/* With how many rolls a checker on this point can move on. */
static inline int vr_escapes_from(uint32_t closed, int place) { return vr_escapes[closed >> (place + 1) & 0xfff]; }

/* The hardest place to escape from, between the last checker and the fifteenth point of the way: in steps of four
 * places, the last four of them in any case. */
static inline int vr_containment(uint32_t closed, int rear) {
    int least = 36, place = rear;
    for (; place < 12; place += 4)
        least = vr_at_most(vr_least_escapes[closed >> (place + 1) & 0x7fff], least);
    if (rear <= 12)
        return vr_at_most(vr_least_escapes[closed >> 13 & 0x7fff], least);
    for (; place <= 15; place++)
        least = vr_at_most(vr_escapes_from(closed, place), least);
    return least;
}

/* Length of the longest row of points. */
static inline int vr_longest_row(uint32_t points) {
    int length = 0;
    for (; points; points &= points >> 1)
        length++;
    return length;
}

/* Pips that can be played before the home board, or the checkers behind it, must move: those to the six point from the
 * slots 7..last. */
static inline int vr_spare_pips(const uint64_t side[2], int last) {
    const uint64_t keep = last < 16 ? 0 : ~(uint64_t)0 >> (4 * (31 - last));
    const uint64_t outside[2] = {side[0] & ~(uint64_t)0 << 28, side[1] & keep};
    return vr_pips(outside) - 6 * vr_total(outside);
}

static inline void vr_side_contrary(const uint64_t side[2], const vr_view *view, int16_t *out) {
    const uint32_t blots = view->other_any & ~view->other_made;
    const int on_bar = vr_count_at(side, 25), pips = vr_pips(side);
    const int closed = vr_bit_count(view->other_made & 0x7e);
    int shots, far_shots;
    vr_shots(view, blots, 0x1ffe, on_bar, &shots, &far_shots); /* far: those that have come more than half way */
    out[0] = (int16_t)(6 * vr_at_most(pips, 170));
    out[1] = (int16_t)(28 * shots);
    out[2] = (int16_t)(28 * far_shots);
    out[3] = (int16_t)(28 * vr_escapes_from(view->other_made, vr_at_most(view->rear, 24)));
    out[4] = (int16_t)(28 * vr_containment(view->other_made, view->rear));
    out[5] = (int16_t)(28 * (36 - closed * closed));
    out[6] = (int16_t)(146 * vr_at_most(vr_longest_row(view->made), 7));
    out[7] = (int16_t)(10 * vr_at_most(vr_spare_pips(side, 18), 100));
    out[8] = (int16_t)(64 * vr_at_most(vr_bit_count(blots), 15));
}

static inline void vr_both_sides(const vr_position *position, int distance, int16_t *out) {
    const int ahead = vr_pips(position->opp) - vr_pips(position->own);
    out[0] = (int16_t)(42 * (distance < 0 ? 0 : vr_at_most(distance, 24)));
    out[1] = (int16_t)(512 + 5 * (ahead < -100 ? -100 : vr_at_most(ahead, 100)));
}

static inline void vr_dense_contrary(const vr_position *position, int16_t out[VR_DENSE]) {
    const vr_view own = vr_view_contrary(position->own, position->opp);
    const vr_view opp = vr_view_contrary(position->opp, position->own);
    vr_side_contrary(position->own, &own, out);
    vr_side_contrary(position->opp, &opp, out + 9);
    vr_both_sides(position, 25 - own.rear - opp.rear, out + 18);
}

/* In parallel variants one checker closes a point, and nothing is hit. */
static inline void vr_side_parallel(const uint64_t side[2], const vr_view *view, int16_t *out) {
    const uint32_t open = VR_PATH_POINTS & ~view->other_any;
    int moves = 0, dice = 0, die;
    for (die = 1; die <= 6; die++) {
        int sources = vr_bit_count(view->any << die & open);
        moves += sources;
        dice += sources != 0;
    }
    out[0] = (int16_t)(3 * vr_at_most(vr_pips(side), 340));
    out[1] = (int16_t)(12 * vr_at_most(moves, 80));
    out[2] = (int16_t)(28 * (36 - (6 - dice) * (6 - dice)));
    out[3] = (int16_t)(28 * vr_escapes_from(view->other_any, vr_at_most(view->rear, 24)));
    out[4] = (int16_t)(28 * vr_containment(view->other_any, view->rear));
    out[5] = (int16_t)(146 * vr_at_most(vr_longest_row(view->any), 7));
    out[6] = (int16_t)(68 * vr_count_at(side, 24));
    out[7] = (int16_t)(4 * vr_at_most(vr_spare_pips(side, 24), 250));
    out[8] = (int16_t)(64 * vr_at_most(vr_bit_count(view->any), 15));
}

static inline void vr_dense_parallel(const vr_position *position, int16_t out[VR_DENSE]) {
    const vr_view own = vr_view_parallel(position->own, position->opp);
    const vr_view opp = vr_view_parallel(position->opp, position->own);
    vr_side_parallel(position->own, &own, out);
    vr_side_parallel(position->opp, &opp, out + 9);
    vr_both_sides(position, 26 - own.rear - opp.rear, out + 18);
}

#endif
