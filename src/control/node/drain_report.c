#include "control/node/drain_report.h"

#include <stdlib.h>

#include "base/nanoseconds.h"
#include "control/node/drain.h"
#include "control/node/eviction_queue.h"
#include "model/reading/pod.h"

#define NAMES_MAX 5
#define LATE_NS   (10 * SECOND) // past its grace period a pod needs a moment to be gone

static void write_budgets(const struct control *control, const struct pod *pod, struct text *out)
{
    struct mirror_iterator iterator = {0};
    const char *separator = "PodDisruptionBudget ";
    for (const struct pod_disruption_budget *budget;
         (budget = next_budget_of(control, pod, &iterator)) != NULL;) {
        text_format(out, "%s%s", separator, budget->meta.name);
        separator = ", ";
    }
}

// Nothing if the pod is terminating, or about to be evicted.
static void write_cause(const struct control *control, const struct eviction_queue *evictions,
                        const struct pod *pod, int64_t now, struct text *out)
{
    int64_t until;
    enum do_not_disrupt protection = pod_protection(pod, now, &until);
    if (!pod_is_active(pod)) {
        if (ns_subtract(now, pod->meta.deletion_timestamp) > LATE_NS)
            text_add(out, "has outlived its grace period");
    } else if (pod->meta.unreadable != NULL) {
        text_format(out, "cannot be read: %s", pod->meta.unreadable);
    } else if (protection == PROTECTED) {
        text_add(out, "do-not-disrupt");
    } else if (protection == PROTECTED_UNTIL) {
        char text[INSTANT_TEXT_MAX];
        instant_format(until, text);
        text_format(out, "do-not-disrupt until %s", text);
    } else if (eviction_queue_refused(evictions, pod)) {
        write_budgets(control, pod, out);
        if (out->data == NULL)
            text_add(out, "eviction refused");
    }
}

static void add_pod(struct text *out, uint32_t *count, const struct pod *pod, const char *why)
{
    if ((*count)++ >= NAMES_MAX)
        return;
    text_join(out, ", ", pod->meta.namespace);
    text_format(out, "/%s", pod->meta.name);
    if (why != NULL)
        text_format(out, " (%s)", why);
}

static void add_others(struct text *out, uint32_t count)
{
    if (count > NAMES_MAX)
        text_format(out, " and %u other(s)", count - NAMES_MAX);
}

void drain_blockers(const struct control *control, const struct eviction_queue *evictions,
                    const struct pod_list *pods, int64_t now, struct text *out)
{
    uint32_t count = 0;
    struct text why = {0};
    for (uint32_t i = 0; i < pods->count; i++) {
        if (!pod_is_waiting(pods->items[i], now))
            continue;
        text_free(&why);
        write_cause(control, evictions, pods->items[i], now, &why);
        if (why.data != NULL)
            add_pod(out, &count, pods->items[i], why.data);
    }
    text_free(&why);
    add_others(out, count);
}

void drain_stuck(const struct pod_list *pods, int64_t now, struct text *out)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < pods->count; i++) {
        const struct pod *pod = pods->items[i];
        if (!pod_is_terminal(pod) && !pod_tolerates_disruption(pod) && !pod_owned_by_node(pod) &&
            !pod_is_waiting(pod, now))
            add_pod(out, &count, pod, NULL);
    }
    add_others(out, count);
}
