/* Which instruction sets this build has, and which of them the processor and the system support. */
#include "network.h"

extern const vr_kernels vr_kernels_base;

#if defined(__x86_64__) || defined(_M_X64)
extern const vr_kernels vr_kernels_avx2;
extern const vr_kernels vr_kernels_avx512;

static const vr_kernels *const rows[] = {&vr_kernels_base, &vr_kernels_avx2, &vr_kernels_avx512};

#if defined(_MSC_VER) && !defined(__clang__)
#include <intrin.h>
static void cpuid(int leaf, int out[4]) { __cpuidex(out, leaf, 0); }
static uint64_t saved_state(void) { return _xgetbv(0); }
#else
#include <cpuid.h>
static void cpuid(int leaf, int out[4]) {
    unsigned a = 0, b = 0, c = 0, d = 0;
    __get_cpuid_count((unsigned)leaf, 0, &a, &b, &c, &d);
    out[0] = (int)a, out[1] = (int)b, out[2] = (int)c, out[3] = (int)d;
}
static uint64_t saved_state(void) {
    uint32_t low, high;
    __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return (uint64_t)high << 32 | low;
}
#endif

static int has(int registers, int bit) { return registers >> bit & 1; }

/* Each row needs every feature that its compiler flags allow (setup.py), and registers that the system saves. */
static int supported(int index) {
    int leaf1[4] = {0}, leaf7[4] = {0};
    uint64_t saved;
    if (index == 0)
        return 1;
    cpuid(1, leaf1);
    cpuid(7, leaf7);
    if (!has(leaf1[2], 27) || !has(leaf1[2], 28) || !has(leaf7[1], 5)) /* osxsave, avx, avx2 */
        return 0;
    saved = saved_state();
    if ((saved & 6) != 6)
        return 0;
    if (index == 1)
        return 1;
    return has(leaf7[1], 16) && has(leaf7[1], 17) && has(leaf7[1], 30) && has(leaf7[1], 31) /* f, dq, bw, vl */
           && (saved & 0xe6) == 0xe6;
}
#else
static const vr_kernels *const rows[] = {&vr_kernels_base};
static int supported(int index) { return index == 0; }
#endif

int vr_kernels_count(void) { return (int)(sizeof rows / sizeof rows[0]); }
const vr_kernels *vr_kernels_at(int index) { return rows[index]; }
int vr_kernels_usable(int index) { return supported(index); }
