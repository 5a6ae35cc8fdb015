#include "control/provisioning/workload_bursts.h"

#include <stdlib.h>
#include <string.h>

#include "base/nanoseconds.h"
#include "control/command/disruption_command.h"
#include "control/provisioning/wave_pace.h"
#include "control/state/cluster.h"
#include "control/state/cluster_plans.h"
#include "model/reading/pod.h"
#include "model/reading/workload_counts.h"

#define WANTED_UNKNOWN (-1)
#define STALLED_NS     (5 * SECOND)  // without a new pod: no further pods are planned
#define GIVEN_UP_NS    MINUTE        // the same: planned places are released
#define DRAINED_NS     (10 * SECOND) // after an eviction for a command: its successor has a place
#define FIRST_NS       (5 * SECOND)  // the wait for the first pod of a workload
#define SETTLE_GAPS    5 // the wait for the next workload, in pauses between those of the wave
#define SETTLE_SHARE   2 // the least wait, as a part of the idle time
#define ALONE_SHARE    4 // the same with a single workload
#define SLOW_NS        (15 * SECOND) // a wave that needs longer for its rest comes slowly
#define STAYS_SLOW_NS  (4 * SECOND)  // a slow one stays so until its rest needs less

static const enum kind_id kinds[] = {KIND_REPLICA_SET, KIND_STATEFUL_SET, KIND_JOB};

struct workload { // kept while it wants pods or has some
    int64_t wanted;
    uint32_t pods;
    bool is_listed;
    bool is_failing;          // its controller is refused
    bool is_numbered;         // a StatefulSet: pods may have volumes of their own
    const struct pod *sample; // kept while it is listed; NULL: no pod was created since
    int64_t changed_ns;       // monotonic: of the counts
    int64_t drained_ns;       // monotonic: the last pod that left a node of a command; 0: none did
    char uid[];
};

struct workload_bursts {
    struct control *control;
    struct map *workloads; // by UID
    VECTOR(struct workload *)
    under_way;                         // candidates: the next review drops those that are complete
    bool is_told[ARRAY_LENGTH(kinds)]; // the log says that the kind cannot be seen
    struct wave_pace pace;             // of new pods
    bool is_slow;                      // the present wave, at the last look
    int64_t loose_ns;                  // when the last pod without a counted workload came
    int64_t grown_ns, gap_ns; // monotonic: when a workload joined last, the longest pause before
    void (*changed)(void *context);
    void *context;
};

static void on_pod(void *context, enum mirror_change change, const struct object *old_object,
                   const struct object *new_object);
static void on_workload(void *context, enum mirror_change change, const struct object *old_object,
                        const struct object *new_object);

struct workload_bursts *workload_bursts_create(struct control *control)
{
    struct workload_bursts *waves = memory_allocate(sizeof *waves);
    waves->control = control;
    waves->workloads = map_create();
    waves->loose_ns = INT64_MIN / 2;
    mirror_on_change(control->manager.mirror, KIND_POD, on_pod, waves);
    for (size_t i = 0; i < ARRAY_LENGTH(kinds); i++)
        mirror_on_change(control->manager.mirror, kinds[i], on_workload, waves);
    return waves;
}

static void workload_destroy(void *value)
{
    struct workload *workload = value;
    object_release((const struct object *)workload->sample);
    free(workload);
}

void workload_bursts_on_change(struct workload_bursts *waves, void (*changed)(void *context),
                               void *context)
{
    waves->changed = changed;
    waves->context = context;
}

void workload_bursts_destroy(struct workload_bursts *waves)
{
    if (waves == NULL)
        return;
    map_destroy(waves->workloads, workload_destroy);
    vector_free(&waves->under_way);
    free(waves);
}

void workload_bursts_watch(struct mirror *mirror)
{
    for (size_t i = 0; i < ARRAY_LENGTH(kinds); i++)
        mirror_watch_view(mirror, workload_counts_kind(kinds[i]));
}

// --- one workload --------------------------------------------------------------------------------
static bool is_complete(const struct workload *workload)
{
    if (workload->pods == 0 && workload->wanted <= 0)
        return true;
    return workload->wanted != WANTED_UNKNOWN && workload->pods >= workload->wanted;
}

static bool has_own_volumes(const struct pod *pod)
{
    list_for_each (volume, &pod->spec.volumes)
        if (volume->persistent_volume_claim != NULL)
            return true;
    return false;
}

// Pods that its controller has yet to create, as far as that is known.
static uint32_t lacking(const struct workload *workload)
{
    return workload->wanted == WANTED_UNKNOWN || is_complete(workload)
               ? 0
               : (uint32_t)(workload->wanted - workload->pods);
}

// Of them: pods that may still come, and whose needs are known.
static uint32_t missing_of(const struct workload *workload, int64_t now_ns)
{
    if (workload->sample == NULL || ns_subtract(now_ns, workload->changed_ns) >= GIVEN_UP_NS ||
        (workload->is_numbered && has_own_volumes(workload->sample)))
        return 0;
    return lacking(workload);
}

// The places of the pods that leave are the command's business.
static bool is_drained(const struct workload *workload, int64_t now_ns)
{
    return workload->drained_ns != 0 && ns_subtract(now_ns, workload->drained_ns) < DRAINED_NS;
}

static bool makes_progress(const struct workload *workload, int64_t now_ns)
{
    return !workload->is_failing && ns_subtract(now_ns, workload->changed_ns) < STALLED_NS;
}

// More of its pods may come; their number is not known.
static bool is_under_way(const struct workload_bursts *waves, const struct workload *workload,
                         int64_t now_ns)
{
    bool is_first = workload->pods == 0 && workload->sample == NULL && !workload->is_failing;
    int64_t patience_ns =
        is_first ? FIRST_NS : waves->control->manager.settings->batch_idle_duration;
    return !is_complete(workload) && missing_of(workload, now_ns) == 0 &&
           ns_subtract(now_ns, workload->changed_ns) < patience_ns;
}

static struct workload *workload_of(struct workload_bursts *waves, const char *uid)
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

static void note_growth(struct workload_bursts *waves)
{
    int64_t now_ns = loop_monotonic_ns(waves->control->manager.loop);
    int64_t gap_ns = ns_subtract(now_ns, waves->grown_ns);
    if (gap_ns >= waves->control->manager.settings->batch_idle_duration)
        waves->gap_ns = 0; // another wave
    else if (gap_ns > waves->gap_ns)
        waves->gap_ns = gap_ns;
    waves->grown_ns = now_ns;
}

static void note_change(struct workload_bursts *waves, struct workload *workload)
{
    cluster_set_missing(waves->control->cluster, workload->uid,
                        workload->is_failing ? 0 : lacking(workload));
    workload->changed_ns = loop_monotonic_ns(waves->control->manager.loop);
    if (!workload->is_listed && !is_complete(workload)) {
        workload->is_listed = true;
        vector_push(&waves->under_way, workload);
        note_growth(waves);
    }
    if (!workload->is_listed && workload->pods == 0 && workload->wanted <= 0) {
        map_remove(waves->workloads, workload->uid);
        workload_destroy(workload);
    }
}

static void keep_sample(struct workload_bursts *waves, struct workload *workload,
                        const struct pod *pod)
{
    if (!workload->is_listed || workload->sample != NULL)
        return;
    workload->sample = (const struct pod *)object_acquire((const struct object *)pod);
    note_growth(waves);
}

// --- changes in the mirror -----------------------------------------------------------------------
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

bool workload_bursts_account_for(const struct pod *pod)
{
    size_t kind;
    return counted_owner(pod, &kind) != NULL;
}

struct share {                           // of one pod in the counts of its workload
    const struct owner_reference *owner; // NULL: in none
    size_t kind;
};

// A pod counts for its controller while it is neither ending nor ended.
static struct share share_of(const struct object *object)
{
    struct share share = {0};
    const struct pod *pod = (const struct pod *)object;
    if (pod != NULL && !pod_is_terminal(pod) && !object_is_deleting(object))
        share.owner = counted_owner(pod, &share.kind);
    return share;
}

static void report_absence(struct workload_bursts *waves, size_t kind)
{
    if (waves->is_told[kind] || !mirror_is_absent(waves->control->manager.mirror, kinds[kind]))
        return;
    waves->is_told[kind] = true;
    log_info("cannot see the workloads of a kind, their pods wait for the whole batch window",
             "s:controller", "provisioner", "s:kind", workload_counts_kind(kinds[kind])->name,
             "s:permissions", "get, list, watch");
}

static bool same_share(const struct share *a, const struct share *b)
{
    return (a->owner == NULL) == (b->owner == NULL) &&
           (a->owner == NULL || text_equal(a->owner->uid, b->owner->uid));
}

static void report_change(const struct workload_bursts *waves)
{
    if (waves->changed != NULL)
        waves->changed(waves->context);
}

static bool leaves_for_command(const struct control *control, const struct pod *pod)
{
    const struct node *node = pod_is_bound(pod) ? find_node(control, pod->spec.node_name) : NULL;
    return node != NULL && control->strategy->keeps_plans &&
           object_annotation((const struct object *)node, ANNOTATION_DISRUPTION_COMMAND) != NULL;
}

// The successor of a pod that a command evicts is like it. The record may be gone in the end.
static void note_departure(struct workload_bursts *waves, struct workload *workload,
                           const struct pod *pod)
{
    bool is_drained = leaves_for_command(waves->control, pod);
    bool stays = workload->wanted > 0;
    if (is_drained)
        workload->drained_ns = loop_monotonic_ns(waves->control->manager.loop);
    note_change(waves, workload);
    if (is_drained && stays)
        keep_sample(waves, workload, pod);
}

static void on_pod(void *context, enum mirror_change change, const struct object *old_object,
                   const struct object *new_object)
{
    struct workload_bursts *waves = context;
    struct share before = share_of(old_object), after = share_of(new_object);
    (void)change;
    if (same_share(&before, &after))
        return;
    if (after.owner != NULL) { // first, so that the record stays
        struct workload *workload = workload_of(waves, after.owner->uid);
        workload->pods++;
        workload->is_numbered = kinds[after.kind] == KIND_STATEFUL_SET;
        if (workload->wanted == WANTED_UNKNOWN)
            report_absence(waves, after.kind);
        note_change(waves, workload);
        if (old_object == NULL)
            wave_pace_note(&waves->pace, loop_monotonic_ns(waves->control->manager.loop));
        if (pod_is_unexamined((const struct pod *)new_object))
            keep_sample(waves, workload, (const struct pod *)new_object);
    }
    if (before.owner != NULL) {
        struct workload *workload = workload_of(waves, before.owner->uid);
        workload->pods--;
        note_departure(waves, workload, (const struct pod *)old_object);
    }
    report_change(waves);
}

static void on_workload(void *context, enum mirror_change change, const struct object *old_object,
                        const struct object *new_object)
{
    struct workload_bursts *waves = context;
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
    bool failing =
        new_object != NULL && workload_is_failing((const struct workload_counts *)new_object);
    if (wanted == workload->wanted && failing == workload->is_failing)
        return;
    workload->wanted = wanted;
    workload->is_failing = failing;
    note_change(waves, workload);
    report_change(waves);
}

// --- the review ----------------------------------------------------------------------------------
void workload_bursts_note_loose(struct workload_bursts *waves)
{
    waves->loose_ns = loop_monotonic_ns(waves->control->manager.loop);
}

static void unlist(struct workload_bursts *waves, uint32_t index)
{
    struct workload *workload = waves->under_way.items[index];
    waves->under_way.items[index] = waves->under_way.items[--waves->under_way.count];
    workload->is_listed = false;
    object_release((const struct object *)workload->sample);
    workload->sample = NULL;
    cluster_expect_no_more(waves->control->cluster, workload->uid);
    cluster_set_missing(waves->control->cluster, workload->uid, 0);
    if (workload->pods > 0 || workload->wanted > 0)
        return;
    map_remove(waves->workloads, workload->uid);
    workload_destroy(workload);
}

static void look_at_pace(struct workload_bursts *waves)
{
    int64_t now_ns = loop_monotonic_ns(waves->control->manager.loop);
    uint32_t missing = 0;
    vector_for_each (workload, &waves->under_way)
        if (makes_progress(*workload, now_ns))
            missing += missing_of(*workload, now_ns);
    int64_t left_ns = wave_pace_left_ns(&waves->pace, now_ns, missing);
    waves->is_slow = left_ns > (waves->is_slow ? STAYS_SLOW_NS : SLOW_NS);
}

void workload_bursts_review(struct workload_bursts *waves)
{
    int64_t now_ns = loop_monotonic_ns(waves->control->manager.loop);
    for (uint32_t i = waves->under_way.count; i-- > 0;) {
        const struct workload *workload = waves->under_way.items[i];
        if (!is_under_way(waves, workload, now_ns) && missing_of(workload, now_ns) == 0)
            unlist(waves, i);
    }
    look_at_pace(waves);
}

bool workload_bursts_is_slow(struct workload_bursts *waves)
{
    look_at_pace(waves);
    return waves->is_slow;
}

int64_t workload_bursts_begun_ns(const struct workload_bursts *waves)
{
    return waves->pace.begun_ns;
}

static bool any_is_under_way(const struct workload_bursts *waves)
{
    int64_t now_ns = loop_monotonic_ns(waves->control->manager.loop);
    vector_for_each (workload, &waves->under_way)
        if (is_under_way(waves, *workload, now_ns))
            return true;
    return false;
}

bool workload_bursts_finished(struct workload_bursts *waves)
{
    int64_t now_ns = loop_monotonic_ns(waves->control->manager.loop);
    if (any_is_under_way(waves))
        return false;
    return ns_subtract(now_ns, waves->loose_ns) >=
           waves->control->manager.settings->batch_idle_duration;
}

int64_t workload_bursts_settled_at(const struct workload_bursts *waves)
{
    int64_t idle_ns = waves->control->manager.settings->batch_idle_duration;
    if (any_is_under_way(waves))
        return INT64_MAX;
    int64_t settle_ns = ns_multiply(SETTLE_GAPS, waves->gap_ns);
    int64_t least_ns = idle_ns / (waves->under_way.count > 1 ? SETTLE_SHARE : ALONE_SHARE);
    settle_ns = settle_ns > idle_ns ? idle_ns : settle_ns;
    return ns_add(waves->grown_ns, ns_maximum(settle_ns, least_ns));
}

bool workload_bursts_next_expected(struct workload_bursts *waves, const char *after,
                                   struct expected_pods *out)
{
    int64_t now_ns = loop_monotonic_ns(waves->control->manager.loop);
    const struct workload *next = NULL;
    vector_for_each (entry, &waves->under_way) {
        const struct workload *workload = *entry;
        if (missing_of(workload, now_ns) > 0 &&
            (after == NULL || strcmp(workload->uid, after) > 0) &&
            (next == NULL || strcmp(workload->uid, next->uid) < 0))
            next = workload;
    }
    if (next == NULL)
        return false;
    *out = (struct expected_pods){next->uid, next->sample, missing_of(next, now_ns),
                                  !waves->is_slow && makes_progress(next, now_ns) &&
                                      !is_drained(next, now_ns)};
    return true;
}
