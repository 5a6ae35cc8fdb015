#include "control/provisioning/wave_pace.h"

#include "base/nanoseconds.h"

#define PART_NS  (100 * MILLISECOND)
#define SPAN_NS  SECOND       // over which the pace is taken; less while the wave is young
#define PAUSE_NS (2 * SECOND) // without a pod: the next one begins another wave

// Parts without pods are cleared up to now.
static void advance(struct wave_pace *pace, int64_t now_ns)
{
    int64_t part = now_ns / PART_NS;
    if (part - pace->part > WAVE_PACE_PARTS)
        pace->part = part - WAVE_PACE_PARTS;
    while (pace->part < part)
        pace->pods[++pace->part % WAVE_PACE_PARTS] = 0;
}

void wave_pace_note(struct wave_pace *pace, int64_t now_ns)
{
    advance(pace, now_ns);
    pace->pods[pace->part % WAVE_PACE_PARTS]++;
    if (pace->last_ns == 0 || ns_subtract(now_ns, pace->last_ns) >= PAUSE_NS)
        pace->begun_ns = now_ns;
    pace->last_ns = now_ns;
}

// The part under way does not count, nor does the first half of a young wave.
int64_t wave_pace_time(struct wave_pace *pace, int64_t now_ns, uint32_t missing)
{
    advance(pace, now_ns);
    int64_t age_ns = ns_subtract(now_ns, pace->begun_ns);
    int64_t parts = ns_minimum(age_ns / 2, SPAN_NS) / PART_NS;
    if (missing == 0 || parts == 0 || pace->last_ns == 0)
        return 0;
    uint32_t came = 0;
    for (int64_t i = 1; i <= parts; i++)
        came += pace->pods[(pace->part - i) % WAVE_PACE_PARTS];
    return ns_multiply(missing, ns_multiply(parts, PART_NS)) / (came > 0 ? came : 1);
}
