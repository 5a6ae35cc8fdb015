#include "control/provisioning/wave_pace.h"

#include "base/nanoseconds.h"

#define SLICE_NS (100 * MILLISECOND)
#define SPAN_NS  SECOND       // over which the pace is taken; less while the wave is young
#define PAUSE_NS (2 * SECOND) // without a pod: the next one begins another wave

// Slices without pods are cleared up to now.
static void advance(struct wave_pace *pace, int64_t now_ns)
{
    int64_t slice = now_ns / SLICE_NS;
    if (slice - pace->slice > WAVE_PACE_SLICES)
        pace->slice = slice - WAVE_PACE_SLICES;
    while (pace->slice < slice)
        pace->pods[++pace->slice % WAVE_PACE_SLICES] = 0;
}

void wave_pace_note(struct wave_pace *pace, int64_t now_ns)
{
    advance(pace, now_ns);
    pace->pods[pace->slice % WAVE_PACE_SLICES]++;
    if (pace->last_ns == 0 || ns_subtract(now_ns, pace->last_ns) >= PAUSE_NS)
        pace->begun_ns = now_ns;
    pace->last_ns = now_ns;
}

// The slice under way does not count, nor does the first half of a young wave.
int64_t wave_pace_left_ns(struct wave_pace *pace, int64_t now_ns, uint32_t missing)
{
    advance(pace, now_ns);
    int64_t age_ns = ns_subtract(now_ns, pace->begun_ns);
    int64_t slices = ns_minimum(age_ns / 2, SPAN_NS) / SLICE_NS;
    if (missing == 0 || slices == 0 || pace->last_ns == 0)
        return 0;
    uint32_t came = 0;
    for (int64_t i = 1; i <= slices; i++)
        came += pace->pods[(pace->slice - i) % WAVE_PACE_SLICES];
    return ns_multiply(missing, ns_multiply(slices, SLICE_NS)) / (came > 0 ? came : 1);
}
