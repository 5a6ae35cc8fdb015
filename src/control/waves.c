#include "control/waves.h"

#include <stdlib.h>
#include <string.h>

#include "base/nanoseconds.h"
#include "model/workload_counts.h"

#define WANTED_UNKNOWN (-1)

static const enum kind_id kinds[] = {KIND_REPLICA_SET, KIND_STATEFUL_SET, KIND_JOB};

struct workload { // kept while it wants pods or has some
    int64_t wanted;
    uint32_t pods, undecided;
    bool is_listed;
    int64_t changed_ns; // any of the above
    char uid[];
};

struct waves {
    struct control *control;
    struct map *workloads;               // by UID
    VECTOR(struct workload *) under_way; // perhaps: what is not is dropped at the next look
    bool is_told[ARRAY_LENGTH(kinds)];   // that the kind cannot be seen
    int64_t loose_ns;                    // when the last of those that nobody counts came
    void (*changed)(void *context);
    void *context;
};

static void on_pod(void *context, enum mirror_change change, const struct object *old_object,
                   const struct object *new_object);
static void on_workload(void *context, enum mirror_change change, const struct object *old_object,
                        const struct object *new_object);

struct waves *waves_create(struct control *control, void (*changed)(void *context), void *context)
{
    struct waves *waves = memory_allocate(sizeof *waves);
    waves->control = control;
    waves->changed = changed;
    waves->context = context;
    waves->workloads = map_create();
    waves->loose_ns = INT64_MIN / 2;
    mirror_on_change(control->mirror, KIND_POD, on_pod, waves);
    for (size_t i = 0; i < ARRAY_LENGTH(kinds); i++)
        mirror_on_change(control->mirror, kinds[i], on_workload, waves);
    return waves;
}

void waves_destroy(struct waves *waves)
{
    if (waves == NULL)
        return;
    map_destroy(waves->workloads, free);
    vector_free(&waves->under_way);
    free(waves);
}

void waves_watch(struct mirror *mirror)
{
    for (size_t i = 0; i < ARRAY_LENGTH(kinds); i++)
        mirror_watch_view(mirror, workload_counts_kind(kinds[i]));
}

// --- one workload --------------------------------------------------------------------------------
static bool is_complete(const struct workload *workload)
{
    if (workload->pods == 0 && workload->wanted <= 0)
        return true;
    return workload->wanted != WANTED_UNKNOWN && workload->pods >= workload->wanted &&
           workload->undecided == 0;
}

static bool is_under_way(const struct waves *waves, const struct workload *workload, int64_t now)
{
    return !is_complete(workload) &&
           ns_subtract(now, workload->changed_ns) < waves->control->settings->batch_idle_duration;
}

static struct workload *workload_of(struct waves *waves, const char *uid)
{
    struct workload *workload = map_get(waves->workloads, uid);
    if (workload != NULL)
        return workload;
    size_t length = strlen(uid) + 1;
    workload = memory_allocate(sizeof *workload + length);
    memcpy(workload->uid, uid, length);
    workload->wanted = WANTED_UNKNOWN;
    map_set(waves->workloads, uid, workload);
    return workload;
}

static void note_change(struct waves *waves, struct workload *workload)
{
    workload->changed_ns = loop_monotonic_ns(waves->control->loop);
    if (!workload->is_listed && !is_complete(workload)) {
        workload->is_listed = true;
        vector_push(&waves->under_way, workload);
    }
    if (!workload->is_listed && workload->pods == 0 && workload->wanted <= 0) {
        map_remove(waves->workloads, workload->uid);
        free(workload);
    }
}

// --- what the mirror tells -----------------------------------------------------------------------
static const struct owner_reference *counted_owner(const struct pod *pod, size_t *kind)
{
    const struct owner_reference *owner = object_controller_owner((const struct object *)pod);
    for (size_t i = 0; owner != NULL && i < ARRAY_LENGTH(kinds); i++) {
        const struct kind *facts = workload_counts_kind(kinds[i]);
        if (text_equal(owner->kind, facts->name) &&
            text_equal(owner->api_version, facts->api_version)) {
            *kind = i;
            return owner;
        }
    }
    return NULL;
}

bool waves_account_for(const struct pod *pod)
{
    size_t kind;
    return counted_owner(pod, &kind) != NULL;
}

struct share { // of one pod in the counts of its workload
    const struct owner_reference *owner; // NULL: in none
    size_t kind;
    uint32_t undecided;
};

// A pod counts for its controller while it is neither ending nor ended. kube-scheduler has decided
// when the pod is bound, waits for others to make room, or has a condition that says why not.
static struct share share_of(const struct object *object)
{
    struct share share = {0};
    const struct pod *pod = (const struct pod *)object;
    if (pod == NULL || pod_is_terminal(pod) || object_is_deleting(object))
        return share;
    share.owner = counted_owner(pod, &share.kind);
    bool bound = pod->spec.node_name != NULL && *pod->spec.node_name != '\0';
    bool nominated =
        pod->status.nominated_node_name != NULL && *pod->status.nominated_node_name != '\0';
    share.undecided =
        !bound && !nominated && condition_find(&pod->status.conditions, "PodScheduled") == NULL;
    return share;
}

static void tell_absence(struct waves *waves, size_t kind)
{
    if (waves->is_told[kind] || !mirror_is_absent(waves->control->mirror, kinds[kind]))
        return;
    waves->is_told[kind] = true;
    log_info("cannot see the workloads of a kind, their pods wait for the whole batch window",
             "s:controller", "provisioner", "s:kind", workload_counts_kind(kinds[kind])->name,
             "s:permissions", "get, list, watch");
}

static bool same_share(const struct share *a, const struct share *b)
{
    return (a->owner == NULL) == (b->owner == NULL) && a->undecided == b->undecided &&
           (a->owner == NULL || text_equal(a->owner->uid, b->owner->uid));
}

static void on_pod(void *context, enum mirror_change change, const struct object *old_object,
                   const struct object *new_object)
{
    struct waves *waves = context;
    struct share before = share_of(old_object), after = share_of(new_object);
    (void)change;
    if (same_share(&before, &after))
        return;
    if (after.owner != NULL) { // first, lest the record go and come back
        struct workload *workload = workload_of(waves, after.owner->uid);
        workload->pods++;
        workload->undecided += after.undecided;
        if (workload->wanted == WANTED_UNKNOWN)
            tell_absence(waves, after.kind);
        note_change(waves, workload);
    }
    if (before.owner != NULL) {
        struct workload *workload = workload_of(waves, before.owner->uid);
        workload->pods--;
        workload->undecided -= before.undecided;
        note_change(waves, workload);
    }
    waves->changed(waves->context);
}

static void on_workload(void *context, enum mirror_change change, const struct object *old_object,
                        const struct object *new_object)
{
    struct waves *waves = context;
    const struct object *object = new_object != NULL ? new_object : old_object;
    (void)change;
    if (object->meta.uid == NULL)
        return;
    int64_t wanted =
        new_object != NULL ? workload_wanted((const struct workload_counts *)new_object) : 0;
    struct workload *workload = map_get(waves->workloads, object->meta.uid);
    if (workload == NULL && wanted <= 0)
        return; // one of the many old revisions of a Deployment
    workload = workload_of(waves, object->meta.uid);
    if (wanted == workload->wanted)
        return;
    workload->wanted = wanted;
    note_change(waves, workload);
    waves->changed(waves->context);
}

// --- the look ------------------------------------------------------------------------------------
void waves_note_loose(struct waves *waves)
{
    waves->loose_ns = loop_monotonic_ns(waves->control->loop);
}

static void unlist_last(struct waves *waves)
{
    struct workload *workload = waves->under_way.items[--waves->under_way.count];
    workload->is_listed = false;
    if (workload->pods > 0 || workload->wanted > 0)
        return;
    map_remove(waves->workloads, workload->uid);
    free(workload);
}

bool waves_finished(struct waves *waves)
{
    int64_t now = loop_monotonic_ns(waves->control->loop);
    while (waves->under_way.count > 0 &&
           !is_under_way(waves, waves->under_way.items[waves->under_way.count - 1], now))
        unlist_last(waves);
    return waves->under_way.count == 0 &&
           ns_subtract(now, waves->loose_ns) >= waves->control->settings->batch_idle_duration;
}
