#include "position_features.h"

uint8_t vr_escapes[4096];
uint8_t vr_least_escapes[32768];

void vr_features_init(void) {
    int closed, a, b;
    for (closed = 0; closed < 4096; closed++) {
        int rolls = 0;
        for (a = 1; a <= 6; a++)
            for (b = 1; b <= 6; b++) {
                const int past_a = !(closed >> (a - 1) & 1), past_b = !(closed >> (b - 1) & 1);
                rolls += (past_a || past_b) && !(closed >> (a + b - 1) & 1);
            }
        vr_escapes[closed] = (uint8_t)rolls;
    }
    for (closed = 0; closed < 32768; closed++) {
        int least = 36, place;
        for (place = 0; place < 4; place++)
            least = vr_at_most(vr_escapes[closed >> place & 0xfff], least);
        vr_least_escapes[closed] = (uint8_t)least;
    }
}
