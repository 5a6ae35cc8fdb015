#include "control/learning/cpu_use_estimate.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/duration.h"
#include "base/nanoseconds.h"

#define STEPS          20   // of the whole: a step is 0.05
#define CLEARLY        0.8  // of a step, between the value in use and the average
#define SHARE_MAX      2.0  // of one measurement: pods without limits may use what they like
#define HORIZON_HOURS  24.0 // of the average
#define DEFAULT_HOURS  4.0  // of measurements that the default counts for
#define EVIDENCE_HOURS 2.0
#define REST_HOURS     6.0
#define GAP_HOURS      0.25 // a measurement stands for no more
#define MEASURED_MAX   1e6  // hours
#define KEPT_FOR       (7 * 24 * HOUR)

void cpu_use_estimate_begin(struct cpu_use_estimate *estimate, double default_share)
{
    assert(default_share >= 0 && default_share <= 1);
    *estimate = (struct cpu_use_estimate){.average = default_share, .weight = DEFAULT_HOURS};
}

static int nearest_steps(double share)
{
    return (int)fmax(1, fmin(STEPS, round(share * STEPS)));
}

static bool follow(struct cpu_use_estimate *estimate)
{
    int steps = nearest_steps(estimate->average);
    bool is_clear = fabs(estimate->average * STEPS - estimate->steps) > CLEARLY;
    if (estimate->measured < EVIDENCE_HOURS || steps == estimate->steps ||
        (estimate->steps != 0 && (!is_clear || estimate->rest < REST_HOURS)))
        return false;
    estimate->steps = steps;
    estimate->rest = 0;
    return true;
}

bool cpu_use_estimate_add(struct cpu_use_estimate *estimate, double share, int64_t elapsed_ns)
{
    assert(elapsed_ns >= 0);
    assert(share >= 0);
    double hours = fmin((double)elapsed_ns / (double)HOUR, GAP_HOURS);
    double kept = estimate->weight * exp(-hours / HORIZON_HOURS), added = hours;
    if (hours <= 0)
        return false;
    estimate->average =
        (estimate->average * kept + fmin(share, SHARE_MAX) * added) / (kept + added);
    estimate->weight = fmin(kept + added, HORIZON_HOURS);
    estimate->measured = fmin(estimate->measured + hours, MEASURED_MAX);
    estimate->rest = fmin(estimate->rest + hours, MEASURED_MAX);
    return follow(estimate);
}

void cpu_use_estimate_format(const struct cpu_use_estimate *estimate, char out[CPU_USE_TEXT_MAX])
{
    assert(estimate->steps >= 0 && estimate->steps <= STEPS);
    int hundredths = estimate->steps * 100 / STEPS;
    out[0] = '\0';
    if (estimate->steps > 0)
        snprintf(out, CPU_USE_TEXT_MAX, "%d.%02d", hundredths / 100, hundredths % 100);
}

// --- for the next controller ---------------------------------------------------------------------

static double thousandths(double value)
{
    return round(value * 1000) / 1000;
}

json_t *cpu_use_estimate_encode(const struct cpu_use_estimate *estimate, int64_t now)
{
    char value[CPU_USE_TEXT_MAX], time[INSTANT_TEXT_MAX];
    cpu_use_estimate_format(estimate, value);
    instant_format(ns_subtract(now, now % SECOND), time);
    json_t *json = json_pack("{s:f, s:f, s:f, s:f, s:s}", "average", thousandths(estimate->average),
                             "weightHours", thousandths(estimate->weight), "measuredHours",
                             thousandths(estimate->measured), "restHours",
                             thousandths(estimate->rest), "time", time);
    if (value[0] != '\0')
        json_object_set_new(json, "value", json_string(value));
    return json;
}

static bool read_number(const json_t *json, const char *name, double most, double *value)
{
    const json_t *number = json_object_get(json, name);
    *value = json_number_value(number);
    return json_is_number(number) && *value >= 0 && *value <= most;
}

static bool read_steps(const json_t *json, int *steps)
{
    const char *text = json_string_value(json_object_get(json, "value"));
    for (*steps = text == NULL ? 0 : 1; text != NULL && *steps <= STEPS; ++*steps) {
        char value[CPU_USE_TEXT_MAX];
        cpu_use_estimate_format(&(struct cpu_use_estimate){.steps = *steps}, value);
        if (strcmp(value, text) == 0)
            return true;
    }
    return text == NULL;
}

bool cpu_use_estimate_decode(struct cpu_use_estimate *estimate, const json_t *json, int64_t now)
{
    struct cpu_use_estimate read = {0};
    const char *time = json_string_value(json_object_get(json, "time"));
    int64_t written;
    if (time == NULL || !instant_parse(time, &written, NULL) ||
        ns_subtract(now, written) > KEPT_FOR ||
        !read_number(json, "average", SHARE_MAX, &read.average) ||
        !read_number(json, "weightHours", HORIZON_HOURS, &read.weight) ||
        !read_number(json, "measuredHours", MEASURED_MAX, &read.measured) ||
        !read_number(json, "restHours", MEASURED_MAX, &read.rest) || !read_steps(json, &read.steps))
        return false;
    *estimate = read;
    return true;
}
