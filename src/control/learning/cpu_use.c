#include "control/learning/cpu_use.h"

#include <assert.h>
#include <stdlib.h>

#include "base/nanoseconds.h"
#include "base/quantity.h"
#include "cloud/port/provider_record.h"
#include "control/learning/cpu_use_estimate.h"
#include "control/learning/cpu_use_sample.h"
#include "control/learning/pod_usage.h"
#include "kube/path.h"
#include "model/reading/settings_read.h"

#define SETTING       "EXPECTED_CPU_USE"
#define METRICS_PATH  "/apis/metrics.k8s.io/v1beta1/namespaces/"
#define PERIOD_NS     (5 * MINUTE)
#define FAILED_NS     (15 * MINUTE)
#define NEXT_POD_NS   SECOND
#define SAVED_NS      HOUR
#define PODS_MIN      10   // measured ones, for a round to count
#define REQUESTED_MIN 1000 // millicores of them
#define NANO_IN_MILLI 1e6

struct cpu_use { // all instants are monotonic
    struct control *control;
    struct provider_publisher *publisher; // NULL: nothing is kept
    struct cpu_use_estimate estimate;
    bool learns, told_absent, told_forbidden;
    struct timer *next; // step of the round
    // The round under way.
    struct cpu_use_sample sample;
    uint32_t asked, measured;
    int64_t used, requested; // nanocores, millicores
    int64_t begun_ns;
    int64_t measured_ns; // the last round that counts; 0: none
    int64_t saved_ns;
};

static void step(void *context);

static void show(const struct cpu_use *use)
{
    struct settings settings = *use->control->manager.settings;
    cpu_use_apply(use, &settings);
    metric_set(use->control->metrics.expected_cpu_use, settings.expected_cpu_use);
    if (use->estimate.measured > 0)
        metric_set(use->control->metrics.measured_cpu_use, use->estimate.average);
}

struct cpu_use *cpu_use_create(struct control *control, bool measures)
{
    const struct settings *settings = control->manager.settings;
    struct cpu_use *use = memory_allocate(sizeof *use);
    use->control = control;
    use->learns =
        measures && control->strategy->learns_cpu_use && !settings_given(settings, SETTING);
    use->next = timer_create_on(control->manager.loop, step, use);
    cpu_use_estimate_begin(&use->estimate, settings->expected_cpu_use);
    return use;
}

void cpu_use_destroy(struct cpu_use *use)
{
    if (use == NULL)
        return;
    kube_cancel(use->control->manager.client, use);
    timer_destroy(use->next);
    cpu_use_sample_clear(&use->sample);
    free(use);
}

bool cpu_use_learns(const struct cpu_use *use)
{
    return use->learns;
}

void cpu_use_start(struct cpu_use *use, struct provider_publisher *publisher)
{
    use->publisher = publisher;
    show(use);
    if (use->learns)
        timer_start(use->next, PERIOD_NS);
}

void cpu_use_apply(const struct cpu_use *use, struct settings *settings)
{
    char value[CPU_USE_TEXT_MAX];
    struct error error = {0};
    cpu_use_estimate_format(&use->estimate, value);
    bool fine = value[0] == '\0' || settings_learn(settings, SETTING, value, &error);
    assert(fine);
}

// --- what is kept --------------------------------------------------------------------------------

void cpu_use_restore(void *context, const char *learned)
{
    struct cpu_use *use = context;
    assert(use->learns);
    json_t *json = json_loads(learned, 0, NULL);
    bool is_new = use->estimate.measured <= 0; // its own measurements say more
    if (is_new && cpu_use_estimate_decode(&use->estimate, json_object_get(json, SETTING),
                                          manager_now(&use->control->manager)))
        show(use);
    json_decref(json);
}

static void save(struct cpu_use *use)
{
    use->saved_ns = loop_monotonic_ns(use->control->manager.loop);
    if (use->publisher == NULL)
        return;
    json_t *json =
        json_pack("{s:o}", SETTING,
                  cpu_use_estimate_encode(&use->estimate, manager_now(&use->control->manager)));
    CLEANUP_FREE char *text =
        json_dumps(json, JSON_COMPACT | JSON_SORT_KEYS | JSON_REAL_PRECISION(9));
    provider_publisher_learn(use->publisher, text);
    json_decref(json);
}

// --- a round -------------------------------------------------------------------------------------

static void wait_for_next(struct cpu_use *use, int64_t period_ns)
{
    int64_t now_ns = loop_monotonic_ns(use->control->manager.loop);
    cpu_use_sample_clear(&use->sample);
    timer_start(use->next, ns_subtract(ns_add(use->begun_ns, period_ns), now_ns));
}

static void tell_change(const struct cpu_use *use, const char *before)
{
    char after[CPU_USE_TEXT_MAX];
    cpu_use_estimate_format(&use->estimate, after);
    log_info("EXPECTED_CPU_USE is learned from metrics: it is what pods use of the cpu that they "
             "request",
             "s:before", before, "s:value", after);
}

static void note_share(struct cpu_use *use, double share)
{
    int64_t now_ns = loop_monotonic_ns(use->control->manager.loop);
    int64_t elapsed_ns = use->measured_ns == 0 ? PERIOD_NS : ns_subtract(now_ns, use->measured_ns);
    struct settings settings = *use->control->manager.settings;
    char before[CPU_USE_TEXT_MAX];
    cpu_use_apply(use, &settings);
    snprintf(before, sizeof before, "%.2f", settings.expected_cpu_use);
    bool changes = cpu_use_estimate_add(&use->estimate, share, elapsed_ns);
    use->measured_ns = now_ns;
    show(use);
    if (changes)
        tell_change(use, before);
    if (changes || ns_subtract(now_ns, use->saved_ns) >= SAVED_NS)
        save(use);
}

static void end_round(struct cpu_use *use)
{
    if (use->measured >= PODS_MIN && use->requested >= REQUESTED_MIN)
        note_share(use, (double)use->used / NANO_IN_MILLI / (double)use->requested);
    wait_for_next(use, PERIOD_NS);
}

static void tell_absent(struct cpu_use *use, const struct error *error)
{
    bool is_forbidden = error->kind == ERROR_FORBIDDEN;
    if (is_forbidden && !use->told_forbidden)
        log_info("EXPECTED_CPU_USE is not learned: the ServiceAccount may not get pods of "
                 "metrics.k8s.io",
                 "s:cause", error->message);
    else if (!is_forbidden && !use->told_absent)
        log_info("EXPECTED_CPU_USE is not learned: metrics.k8s.io is not served", "s:cause",
                 error->message);
    use->told_forbidden = use->told_forbidden || is_forbidden;
    use->told_absent = use->told_absent || !is_forbidden;
}

static void take(struct cpu_use *use, const struct sampled_pod *sampled, const json_t *metrics)
{
    int64_t used;
    if (cpu_use_sample_find(sampled, use->control) == NULL ||
        !pod_usage_read(metrics, manager_now(&use->control->manager), &used))
        return;
    use->told_absent = true; // an outage later on is no news
    use->measured++;
    use->used = quantity_add(use->used, used);
    use->requested = quantity_add(use->requested, sampled->requested);
}

// Without the API its path is not found, and the answer is no Status. A pod that metrics-server
// does not know yet is told from that by its Status; many of them are as good as no API.
static void answered(void *context, const struct kube_result *result)
{
    struct cpu_use *use = context;
    enum error_kind kind = result->error.kind;
    bool is_missing = kind == ERROR_NOT_FOUND && json_is_object(result->body);
    bool is_in_vain = is_missing && use->measured == 0 && use->asked >= PODS_MIN;
    assert(use->asked > 0 && use->asked <= use->sample.count);
    if (kind == ERROR_NONE)
        take(use, &use->sample.pods[use->asked - 1], result->body);
    if ((kind != ERROR_NONE && !is_missing) || is_in_vain) {
        tell_absent(use, &result->error);
        wait_for_next(use, FAILED_NS);
    } else {
        timer_start(use->next, NEXT_POD_NS);
    }
}

static void ask(struct cpu_use *use)
{
    const struct sampled_pod *sampled = &use->sample.pods[use->asked++];
    struct text path = {0};
    text_add(&path, METRICS_PATH);
    query_escape(&path, sampled->namespace);
    text_add(&path, "/pods/");
    query_escape(&path, sampled->name);
    kube_get_path(use->control->manager.client, path.data, answered, use);
    text_free(&path);
}

static void begin_round(struct cpu_use *use)
{
    const struct manager *manager = &use->control->manager;
    use->begun_ns = loop_monotonic_ns(manager->loop);
    use->asked = use->measured = 0;
    use->used = use->requested = 0;
    if (manager->started && !manager->stopping && mirror_synced(manager->mirror))
        cpu_use_sample_choose(&use->sample, use->control);
    if (use->sample.count < PODS_MIN)
        cpu_use_sample_clear(&use->sample);
}

static void step(void *context)
{
    struct cpu_use *use = context;
    if (use->sample.count == 0)
        begin_round(use);
    while (use->asked < use->sample.count &&
           cpu_use_sample_find(&use->sample.pods[use->asked], use->control) == NULL)
        use->asked++;
    if (use->asked < use->sample.count)
        ask(use);
    else
        end_round(use);
}
