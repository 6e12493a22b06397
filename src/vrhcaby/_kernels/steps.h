/* What one checker step adds to the two words of a side, and what a hit adds to the words of the side that is hit.
 * Subtracting one at the source and adding one at the target never borrows across slots, as both are in range. */
#ifndef VRHCABY_STEPS_H
#define VRHCABY_STEPS_H

#include <stdint.h>

#define VR_UNIT(slot, word) ((slot) / 16 == (word) ? 1ull << 4 * ((slot) % 16) : 0ull)
#define VR_TARGET(die, index) (25 - (index) - (die) > 0 ? 25 - (index) - (die) : 0)
#define VR_WORD(die, index, word) (VR_UNIT(VR_TARGET(die, index), word) - VR_UNIT(25 - (index), word))
#define VR_PAIR(die, index) {VR_WORD(die, index, 0), VR_WORD(die, index, 1)}
#define VR_FIVE(die, i) \
    VR_PAIR(die, i), VR_PAIR(die, i + 1), VR_PAIR(die, i + 2), VR_PAIR(die, i + 3), VR_PAIR(die, i + 4)
#define VR_ROW(die) {VR_FIVE(die, 0), VR_FIVE(die, 5), VR_FIVE(die, 10), VR_FIVE(die, 15), VR_FIVE(die, 20)}

/* [die][path index of the source][word]; row 0 is not used. */
static const uint64_t vr_step[7][25][2] = {VR_ROW(0), VR_ROW(1), VR_ROW(2), VR_ROW(3), VR_ROW(4), VR_ROW(5), VR_ROW(6)};

#define VR_HIT_PAIR(slot) {VR_UNIT(25, 0) - VR_UNIT(slot, 0), VR_UNIT(25, 1) - VR_UNIT(slot, 1)}
#define VR_HIT_FOUR(i) VR_HIT_PAIR(i), VR_HIT_PAIR(i + 1), VR_HIT_PAIR(i + 2), VR_HIT_PAIR(i + 3)

/* [point of the side that is hit][word]; row 0 stands for no hit. */
static const uint64_t vr_hit[25][2] = {{0, 0},          VR_HIT_FOUR(1),  VR_HIT_FOUR(5), VR_HIT_FOUR(9),
                                       VR_HIT_FOUR(13), VR_HIT_FOUR(17), VR_HIT_FOUR(21)};

#endif
