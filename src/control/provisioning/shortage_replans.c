#include "control/provisioning/shortage_replans.h"

#include <stdlib.h>

#include "base/map.h"
#include "base/nanoseconds.h"
#include "base/text.h"
#include "control/launch/launch_backoff.h"
#include "control/state/cluster_plans.h"

struct ending {
    int64_t since_ns; // monotonic
};
struct shortage_replans {
    struct control *control;
    struct launch_backoff *backoff;
    struct map *endings; // UID of a NodeClaim that is about to go -> struct ending
    struct map *reasons; // UID of a pod -> text
};

static void on_shortage(void *context, const struct node_claim *claim, const char *answer)
{
    struct shortage_replans *replans = context;
    struct cluster *cluster = replans->control->cluster;
    if (claim->meta.uid == NULL)
        return;
    struct ending *ending = map_ensure(replans->endings, claim->meta.uid, sizeof *ending);
    ending->since_ns = loop_monotonic_ns(replans->control->manager.loop);
    struct text reason = {0};
    text_format(&reason, "nodeclaim/%s: insufficient capacity, %.300s", claim->meta.name, answer);
    text_repair(reason.data);
    uint32_t count = cluster_planned_count(cluster, claim);
    for (uint32_t i = 0; i < count; i++) {
        const struct pod *pod = cluster_planned_on(cluster, claim, i);
        if (pod == NULL || pod->meta.uid == NULL)
            continue;
        free(map_remove(replans->reasons, pod->meta.uid));
        map_set(replans->reasons, pod->meta.uid, memory_copy_string(reason.data));
    }
    text_free(&reason);
}

struct shortage_replans *shortage_replans_create(struct control *control,
                                                 struct launch_backoff *backoff)
{
    struct shortage_replans *replans = memory_allocate(sizeof *replans);
    replans->control = control;
    replans->backoff = control->strategy->replans_shortages ? backoff : NULL;
    replans->endings = map_create();
    replans->reasons = map_create();
    if (replans->backoff != NULL)
        launch_backoff_on_shortage(replans->backoff, on_shortage, replans);
    return replans;
}

void shortage_replans_destroy(struct shortage_replans *replans)
{
    if (replans->backoff != NULL)
        launch_backoff_on_shortage(replans->backoff, NULL, NULL);
    map_destroy(replans->endings, free);
    map_destroy(replans->reasons, free);
    free(replans);
}

// NodeClaims whose deletion hangs hold up no others.
static bool any_is_about_to_go(const struct shortage_replans *replans)
{
    const struct control *control = replans->control;
    int64_t oldest_ns = ns_subtract(loop_monotonic_ns(control->manager.loop),
                                    control->manager.settings->batch_idle_duration);
    for (struct map_entry *at = map_first(replans->endings); at != NULL; at = map_next(at))
        if (((const struct ending *)map_value(at))->since_ns > oldest_ns)
            return true;
    return false;
}

bool shortage_replans_ended(struct shortage_replans *replans, const char *claim_uid)
{
    struct ending *ending = claim_uid != NULL ? map_remove(replans->endings, claim_uid) : NULL;
    if (ending == NULL)
        return false;
    free(ending);
    return !any_is_about_to_go(replans);
}

char *shortage_replans_take(struct shortage_replans *replans, const struct pod *pod)
{
    return pod->meta.uid != NULL ? map_remove(replans->reasons, pod->meta.uid) : NULL;
}

void shortage_replans_forget(struct shortage_replans *replans, const char *pod_uid)
{
    free(map_remove(replans->reasons, pod_uid));
}
