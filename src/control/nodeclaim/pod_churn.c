#include "control/nodeclaim/pod_churn.h"

#include <stdlib.h>

#include "base/nanoseconds.h"
#include "control/state/cluster.h"
#include "model/reading/pod.h"

#define WAITS_UNTIL_QUIET   10 // times consolidateAfter
#define WAITS_UNTIL_WRITTEN 2

struct pod_churn {
    struct control *control;
    struct map *since; // int64_t by UID of the NodeClaim: nanoseconds since the epoch
};

struct pod_churn *pod_churn_create(struct control *control)
{
    struct pod_churn *pod_churn = memory_allocate(sizeof *pod_churn);
    pod_churn->control = control;
    pod_churn->since = map_create();
    mirror_on_change(control->manager.mirror, KIND_NODE_CLAIM, forget_object, pod_churn->since);
    return pod_churn;
}

void pod_churn_destroy(struct pod_churn *pod_churn)
{
    if (pod_churn == NULL)
        return;
    map_destroy(pod_churn->since, free);
    free(pod_churn);
}

static json_t *annotation_patch(const struct node_claim *claim, const char *value)
{
    json_t *patch = json_locked((const struct object *)claim);
    json_object_set_new(json_metadata(patch, "annotations"), ANNOTATION_RESTLESS_SINCE,
                        value != NULL ? json_string(value) : json_null());
    return patch;
}

// An unreadable annotation counts as none: it is written anew.
static bool annotated_since(const struct node_claim *claim, int64_t *since)
{
    const char *text = object_annotation((const struct object *)claim, ANNOTATION_RESTLESS_SINCE);
    struct error error = {0};
    return text != NULL && instant_parse(text, since, &error);
}

static int64_t *remember(struct pod_churn *pod_churn, const struct node_claim *claim, int64_t since)
{
    int64_t *remembered = map_get(pod_churn->since, claim->meta.uid);
    if (remembered != NULL)
        return remembered;
    int64_t annotated;
    remembered = memory_allocate(sizeof *remembered);
    *remembered = annotated_since(claim, &annotated) && annotated < since ? annotated : since;
    map_set(pod_churn->since, claim->meta.uid, remembered);
    return remembered;
}

// The time until all pods that would move are `after` old; 0: they are, INT64_MAX: it is unknown,
// or there are none.
static int64_t until_settled(const struct control *control, const struct node_claim *claim,
                             int64_t after, int64_t now)
{
    const struct node *node = cluster_node_of(control->cluster, claim, NULL);
    const struct pod_list *pods =
        cluster_pods(control->cluster, node != NULL ? node->meta.name : NULL);
    int64_t left = 0;
    bool any = false;
    for (uint32_t i = 0; i < pods->count; i++) {
        const struct pod *pod = pods->items[i];
        if (!pod_needs_place(pod))
            continue;
        any = true;
        int64_t bound_at = pod_bound_at(pod);
        if (bound_at == 0)
            return INT64_MAX;
        int64_t own = ns_subtract(ns_add(bound_at, after), now);
        left = own > left ? own : left;
    }
    return any ? left : INT64_MAX;
}

struct pod_churn_result pod_churn_evaluate(struct pod_churn *pod_churn,
                                           const struct node_claim *claim,
                                           const struct node_pool *pool, bool rested, int64_t since)
{
    const struct control *control = pod_churn->control;
    struct pod_churn_result churn = {.recheck_ns = INT64_MAX};
    const char *written =
        object_annotation((const struct object *)claim, ANNOTATION_RESTLESS_SINCE);
    if (rested || control->manager.settings->quiet_by_node || claim->meta.uid == NULL) {
        if (claim->meta.uid != NULL)
            free(map_remove(pod_churn->since, claim->meta.uid));
        churn.patch = written != NULL ? annotation_patch(claim, NULL) : NULL;
        return churn;
    }
    int64_t now = manager_now(&control->manager),
            after = pool->spec.disruption.consolidate_after.nanoseconds;
    int64_t first = *remember(pod_churn, claim, since);
    int64_t written_at = ns_add(first, ns_multiply(WAITS_UNTIL_WRITTEN, after));
    int64_t quiet_at = ns_add(first, ns_multiply(WAITS_UNTIL_QUIET, after));
    char text[INSTANT_TEXT_MAX];
    instant_format(first, text);
    if (now < written_at)
        churn.recheck_ns = ns_subtract(written_at, now);
    else if (!text_equal(written, text))
        churn.patch = annotation_patch(claim, text);
    if (now < quiet_at) {
        churn.recheck_ns = ns_subtract(quiet_at, now) < churn.recheck_ns
                               ? ns_subtract(quiet_at, now)
                               : churn.recheck_ns;
        return churn;
    }
    int64_t left = until_settled(control, claim, after, now);
    churn.quiet = left == 0;
    churn.recheck_ns = left > 0 && left < churn.recheck_ns ? left : churn.recheck_ns;
    return churn;
}
