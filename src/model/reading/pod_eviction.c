#include "model/reading/pod_eviction.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/nanoseconds.h"
#include "base/text.h"

#define RUN_TIME_MAX 9.0 // hours that count (DIS-757)

// --- pods ----------------------------------------------------------------------------------------
static double clamp(double cost)
{
    assert(!isnan(cost));
    return cost > 10 ? 10 : cost < -10 ? -10 : cost;
}

// 0 for text that is not a finite number.
static double deletion_cost(const struct pod *pod)
{
    const char *text =
        string_map_get(&pod->meta.annotations, "controller.kubernetes.io/pod-deletion-cost");
    if (text == NULL || text[0] == '\0' || strchr(" \t\n\v\f\r", text[0]) != NULL)
        return 0;
    char *end;
    errno = 0;
    double value = strtod(text, &end);
    bool too_large = errno == ERANGE && isinf(value);
    bool bare_hexadecimal = strpbrk(text, "xX") != NULL && strpbrk(text, "pP") == NULL;
    return *end != '\0' || too_large || bare_hexadecimal || isnan(value) ? 0 : value;
}

double pod_eviction_cost(const struct pod *pod)
{
    double cost = 1.0 + deletion_cost(pod) / 134217728.0;
    if (pod->spec.priority.present)
        cost += (double)pod->spec.priority.value / 33554432.0;
    return clamp(cost);
}

// DIS-757: the eviction loses the work of a Job's pod. In steps of 2^-27, like the other terms.
double pod_disruption_cost(const struct pod *pod, int64_t now)
{
    double cost = pod_eviction_cost(pod);
    int64_t started =
        pod->status.start_time != 0 ? pod->status.start_time : pod->meta.creation_timestamp;
    if (object_owner((const struct object *)pod, "batch/v1", "Job") == NULL || started == 0 ||
        !text_equal(pod->status.phase, "Running") || started >= now)
        return cost;
    double hours =
        floor((double)ns_subtract(now, started) / (double)HOUR * 134217728.0) / 134217728.0;
    return clamp(cost + (hours < RUN_TIME_MAX ? hours : RUN_TIME_MAX));
}
