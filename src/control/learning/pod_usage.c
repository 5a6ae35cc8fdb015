#include "control/learning/pod_usage.h"

#include "base/duration.h"
#include "base/nanoseconds.h"
#include "base/quantity.h"

#define CONTAINERS_MAX 1000
#define NANOCORES_MAX  INT64_C(10000000000000) // 10,000 cores
#define AGE_MAX        (10 * MINUTE)           // also of a clock that is ahead

static bool is_recent(const json_t *metrics, int64_t now)
{
    const char *text = json_string_value(json_object_get(metrics, "timestamp"));
    int64_t time;
    if (text == NULL || !instant_parse(text, &time, NULL))
        return false;
    return ns_subtract(now, time) <= AGE_MAX && ns_subtract(time, now) <= AGE_MAX;
}

bool pod_usage_read(const json_t *metrics, int64_t now, int64_t *nanocores)
{
    const json_t *containers = json_object_get(metrics, "containers");
    size_t count = json_array_size(containers);
    *nanocores = 0;
    if (count == 0 || count > CONTAINERS_MAX || !is_recent(metrics, now))
        return false;
    for (size_t i = 0; i < count; i++) {
        const json_t *usage = json_object_get(json_array_get(containers, i), "usage");
        const char *cpu = json_string_value(json_object_get(usage, "cpu"));
        int64_t amount;
        if (cpu == NULL || !quantity_parse_scaled(cpu, 9, &amount, NULL) || amount < 0)
            return false;
        *nanocores = quantity_add(*nanocores, amount);
    }
    return *nanocores <= NANOCORES_MAX;
}
