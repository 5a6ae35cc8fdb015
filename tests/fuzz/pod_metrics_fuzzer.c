// What a metrics API answers, and what a published record says was learned: whatever the bytes are,
// amounts stay within bounds, and a state that is accepted is written and read back to the same.
#include <jansson.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/duration.h"
#include "base/nanoseconds.h"
#include "cloud/port/record_settings.h"
#include "control/learning/cpu_use_estimate.h"
#include "control/learning/pod_usage.h"
#include "model/reading/settings.h"
#include "model/reading/settings_read.h"

#define NOW (INT64_C(1767225600) * SECOND) // 2026-01-01T00:00:00Z

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void estimate_again(const json_t *json)
{
    struct cpu_use_estimate estimate, again;
    char value[CPU_USE_TEXT_MAX];
    cpu_use_estimate_begin(&estimate, 0.5);
    if (!cpu_use_estimate_decode(&estimate, json, NOW))
        return;
    json_t *written = cpu_use_estimate_encode(&estimate, NOW);
    if (!cpu_use_estimate_decode(&again, written, NOW) || again.steps != estimate.steps)
        abort();
    json_decref(written);
    (void)cpu_use_estimate_add(&estimate, 0.3, HOUR);
    cpu_use_estimate_format(&estimate, value);
    if (!(estimate.average >= 0 && estimate.average <= 2))
        abort();
}

static void apply(const char *text)
{
    struct settings settings;
    settings_defaults(&settings);
    record_learned_apply(text, &settings);
    if (!(settings.expected_cpu_use >= 0 && settings.expected_cpu_use <= 1))
        abort();
    settings_free(&settings);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int64_t nanocores;
    json_t *json = json_loadb((const char *)data, size, JSON_DECODE_ANY, NULL);
    if (pod_usage_read(json, NOW, &nanocores) && (nanocores < 0 || nanocores > 10000 * SECOND))
        abort();
    estimate_again(json);
    estimate_again(json_object_get(json, "EXPECTED_CPU_USE"));
    json_decref(json);
    char *text = strndup((const char *)data, size);
    apply(text);
    free(text);
    return 0;
}
