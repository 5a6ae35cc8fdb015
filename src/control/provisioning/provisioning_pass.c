#include "control/provisioning/provisioning_pass.h"

#include <stdlib.h>
#include <string.h>

#include "base/nanoseconds.h"
#include "control/buffers/capacity_buffers.h"
#include "control/command/target_report.h"
#include "control/launch/launch_backoff.h"
#include "control/launch/launch_backoff_report.h"
#include "control/provisioning/preference_warnings.h"
#include "control/provisioning/shortage_replans.h"
#include "control/provisioning/snapshot_builder.h"
#include "control/provisioning/snapshot_planned.h"
#include "control/state/cluster.h"
#include "control/state/cluster_plans.h"
#include "control/state/expected_pod.h"
#include "control/state/state_node.h"
#include "engine/launch/partial_launch.h"
#include "engine/pods/placeholders.h"
#include "model/reading/pod.h"
#include "model/snapshot/strategy.h"

#define NAMED_PODS_MAX      5
#define FAILURES_LOGGED_MAX 100 // a pass; all have their event

static void dedupe_text(const struct pod *pod, const char *message, struct text *out)
{
    text_format(out, "%s-%s", pod->meta.uid != NULL ? pod->meta.uid : pod->meta.name, message);
}

struct provisioning_pass *provisioning_pass_create(const struct provisioning_pass_parts *parts,
                                                   const struct backlog_chunk_options *portion)
{
    struct control *control = parts->sources.control;
    struct provisioning_pass *pass = memory_allocate(sizeof *pass);
    pass->control = control;
    pass->parts = *parts;
    pass->started_ns = loop_monotonic_ns(control->manager.loop);
    pass->arena = arena_create(64 * 1024);
    pass->snapshot = snapshot_build(&parts->sources, &pass->errors);
    pass->left_out = backlog_chunk_choose(pass->snapshot, portion);
    pass->with_reasons = launch_backoff_any(parts->sources.launch_backoff);
    return pass;
}

void provisioning_pass_destroy(struct provisioning_pass *pass)
{
    if (pass == NULL)
        return;
    if (pass->plan != NULL)
        plan_destroy(pass->plan);
    snapshot_destroy(pass->snapshot);
    arena_destroy(pass->arena);
    text_free(&pass->errors);
    free(pass);
}

// An early pass may be replaced by a smaller plan.
static void keep_zones(struct provisioning_pass *pass)
{
    pass->zones.items =
        arena_allocate_array(pass->arena, pass->plan->zones.count + 1, sizeof *pass->zones.items);
    list_for_each (zone, &pass->plan->zones)
        pass->zones.items[pass->zones.count++] =
            (struct plan_zone){arena_copy_string(pass->arena, zone->zone), zone->pods};
}

void provisioning_pass_plan(struct provisioning_pass *pass)
{
    const struct plan_options options = {
        .zones = true, .explain = pass->with_reasons ? EXPLAIN_REASONS : EXPLAIN_NOTHING};
    bool rest = false;
    if (pass->extent != PASS_WHOLE || pass->left_out > 0)
        // Real pods first: the pods that are still to come may need the room.
        pass->snapshot->settings.gate_capacity_buffer = false;
    pass->plan = engine_plan(pass->snapshot, &options, &pass->error);
    if (pass->plan != NULL)
        keep_zones(pass);
    if (pass->plan != NULL && pass->extent == PASS_EARLY)
        pass->plan = partial_launch_choose(pass->arena, pass->snapshot, pass->plan, &rest);
    if (rest)
        pass->extent = PASS_EARLY_PART;
}

// --- reports -------------------------------------------------------------------------------------
static void describe_pods(const struct provisioning_pass *pass, struct text *out)
{
    uint32_t count = 0;
    list_for_each (claim, &pass->plan->claims)
        list_for_each (pod, &claim->pods)
            if (count++ < NAMED_PODS_MAX) {
                text_join(out, ", ", (*pod)->meta.namespace);
                text_format(out, "/%s", (*pod)->meta.name);
            }
    if (count > NAMED_PODS_MAX)
        text_format(out, " and %u other(s)", count - NAMED_PODS_MAX);
}

static uint32_t pods_on_claims(const struct plan *plan)
{
    uint32_t pods = 0;
    list_for_each (claim, &plan->claims)
        pods += claim->pods.count;
    return pods;
}

// SCH-393.
static void report_totals(const struct provisioning_pass *pass)
{
    const struct plan *plan = pass->plan;
    if (plan->claims.count == 0)
        return;
    struct text pods = {0};
    describe_pods(pass, &pods);
    log_info("found provisionable pod(s)", "s:controller", "provisioner", "s:Pods", pods.data,
             "d:duration", ns_subtract(pass->planned_ns, pass->started_ns));
    text_free(&pods);
    log_info("computed new nodeclaim(s) to fit pod(s)", "s:controller", "provisioner",
             "i:nodeclaims", (int64_t)plan->claims.count, "i:pods", (int64_t)pods_on_claims(plan));
    uint32_t placed = 0;
    list_for_each (placement, &plan->placements)
        placed += placement->pods.count;
    if (placed > 0)
        log_info("computed unready node(s) will fit pod(s)", "s:controller", "provisioner",
                 "i:nodes", (int64_t)plan->placements.count, "i:pods", (int64_t)placed);
}

static bool any_runs_elsewhere(const struct plan_placement *placement)
{
    list_for_each (pod, &placement->pods)
        if ((*pod)->spec.node_name != NULL && *(*pod)->spec.node_name != '\0')
            return true;
    return false;
}

static bool any_real_pod(const struct plan_placement *placement)
{
    list_for_each (pod, &placement->pods)
        if (!pod_is_placeholder(*pod) && !pod_is_expected(*pod))
            return true;
    return false;
}

// kube-scheduler binds the pod there by itself: it needs no event.
static bool needs_no_event(const struct provisioning_pass *pass, const struct pod *pod,
                           const struct state_node *state)
{
    return snapshot_strategy_of(pass->control->manager.settings)->plans_unexamined_pods &&
           pod_is_unexamined(pod) && state != NULL && state_initialized(state);
}

static void report_nominated(const struct provisioning_pass *pass, const struct pod *pod,
                             const char *claim, const char *node)
{
    CLEANUP_FREE char *shortage = shortage_replans_take(pass->parts.shortages, pod);
    struct text key = {0}; // without a shortage the pod's UID
    dedupe_text(pod, text_or_empty(shortage), &key);
    publish_keyed(&pass->control->manager, (const struct object *)pod, EVENT_NOMINATED,
                  shortage != NULL ? key.data : pod->meta.uid,
                  "Pod should schedule on: %s%s%s%s%s%s%s", claim != NULL ? "nodeclaim/" : "",
                  claim != NULL ? claim : "", claim != NULL && node != NULL ? ", " : "",
                  node != NULL ? "node/" : "", node != NULL ? node : "",
                  shortage != NULL ? ", instead of " : "", text_or_empty(shortage));
    text_free(&key);
}

// Places on launching NodeClaims are kept for pods that are about to be created.
static void expect_on(const struct provisioning_pass *pass, const struct plan_placement *placement)
{
    struct cluster *cluster = pass->control->cluster;
    const struct state_node *state =
        cluster_state(cluster, placement->node_claim->status.provider_id);
    if (state != NULL && state_initialized(state))
        return;
    list_for_each (pod, &placement->pods)
        if (pod_is_expected(*pod))
            cluster_expect_pod(cluster, expected_pod_workload(*pod),
                               placement->node_claim->meta.name);
}

// The pod may have been replaced by another of its name during planning: its place would never be
// released.
static void plan_pod(struct control *control, const struct pod *pod, const char *claim)
{
    const struct object *now =
        mirror_get(control->manager.mirror, KIND_POD, pod->meta.namespace, pod->meta.name);
    if (now != NULL && text_equal(now->meta.uid, pod->meta.uid))
        cluster_plan_pod(control->cluster, pod, claim);
}

static void note_pods_of_claims(const struct provisioning_pass *pass)
{
    list_for_each (claim, &pass->plan->claims)
        list_for_each (pod, &claim->pods)
            if (!pod_is_placeholder(*pod) && !pod_is_expected(*pod))
                cluster_note_in_pass(pass->control->cluster, *pod);
}

// SCH-391.
static void report_placements(const struct provisioning_pass *pass)
{
    struct control *control = pass->control;
    list_for_each (placement, &pass->plan->placements) {
        if (placement->node_claim != NULL)
            expect_on(pass, placement);
        if (!any_real_pod(placement))
            continue;
        struct state_node *state =
            placement->node_claim != NULL
                ? cluster_state(control->cluster, placement->node_claim->status.provider_id)
                : NULL;
        if (state == NULL && placement->node != NULL)
            state = cluster_state_of_node(control->cluster, placement->node);
        if (state != NULL)
            cluster_nominate(control->cluster, state);
        if (state != NULL && any_runs_elsewhere(placement))
            cluster_hold(control->cluster, state, 0);
        const char *claim = placement->node_claim != NULL ? placement->node_claim->meta.name : NULL;
        // A made-up Node of the snapshot is no Node.
        const char *node = placement->node != NULL ? placement->node->meta.name : NULL;
        if (node != NULL && find_node(control, node) == NULL)
            node = NULL;
        list_for_each (pod, &placement->pods) {
            if (pod_is_placeholder(*pod) || pod_is_expected(*pod))
                continue;
            if (claim != NULL)
                plan_pod(control, *pod, claim); // SCH-394
            if (!needs_no_event(pass, *pod, state))
                report_nominated(pass, *pod, claim, node);
        }
    }
}

static void report_failed(const struct provisioning_pass *pass,
                          const struct plan_unschedulable *entry)
{
    const struct pod *pod = entry->pod;
    CLEANUP_FREE char *shortage = shortage_replans_take(pass->parts.shortages, pod);
    struct text dedupe = {0}, waits = {0};
    dedupe_text(pod, entry->message, &dedupe);
    if (pass->with_reasons && !entry->ignored)
        launch_backoff_explain(pass->parts.sources.launch_backoff, entry, &waits);
    if (shortage != NULL) {
        text_add(&dedupe, shortage);
        text_format(&waits, "; %s", shortage);
    }
    publish_keyed(&pass->control->manager, (const struct object *)pod, EVENT_FAILED_SCHEDULING,
                  dedupe.data, "%s%s%s", entry->ignored ? "" : "Failed to schedule pod, ",
                  entry->message, text_or_empty(waits.data));
    text_free(&waits);
    text_free(&dedupe);
}

// SCH-30, SCH-390.
static void report_unschedulable(const struct provisioning_pass *pass)
{
    uint32_t ignored = 0, failed = 0, logged = 0;
    list_for_each (entry, &pass->plan->unschedulable) {
        if (pod_is_expected(entry->pod))
            continue;
        ignored += entry->ignored;
        if (entry->deferred || pod_is_placeholder(entry->pod)) // LIF-465
            continue;
        failed += !entry->ignored;
        const struct pod *pod = entry->pod;
        if (entry->ignored)
            log_debug("ignoring pod", "s:controller", "provisioner", "n:Pod", pod->meta.namespace,
                      pod->meta.name, "s:error", entry->message);
        else if (logged++ < FAILURES_LOGGED_MAX)
            log_error("could not schedule pod", "s:controller", "provisioner", "n:Pod",
                      pod->meta.namespace, pod->meta.name, "s:error", entry->message);
        report_failed(pass, entry);
    }
    metric_set(pass->control->metrics.ignored_pods, ignored);
    metric_set(pass->control->metrics.unschedulable_pods, failed, "provisioner");
}

// SCH-398.
static void report_zones(const struct provisioning_pass *pass)
{
    struct metric *pods_by_zone = pass->control->metrics.pods_by_zone;
    metric_remove_all(pods_by_zone);
    list_for_each (zone, &pass->zones)
        metric_set(pods_by_zone, zone->pods, "provisioner", zone->zone);
}

static void report_note(struct control *control, const struct plan_note *note)
{
    const char *kind = note->object != NULL ? note->object->kind->name : NULL;
    struct text key = {0};
    if (kind != NULL)
        text_format(&key, "o:%s", kind);
    const char *name = note->object != NULL ? note->object->meta.name : NULL;
    switch (note->level) {
    case NOTE_DEBUG:
        log_debug(note->message, "s:controller", "provisioner", key.data, name);
        break;
    case NOTE_INFO:
        log_info(note->message, "s:controller", "provisioner", key.data, name);
        break;
    case NOTE_ERROR:
        log_error(note->message, "s:controller", "provisioner", key.data, name);
        break;
    case NOTE_EVENT:
        publish(&control->manager, note->object, note->event, "%s", note->message);
        break;
    }
    text_free(&key);
}

void provisioning_pass_report(struct provisioning_pass *pass)
{
    struct control *control = pass->control;
    if (pass->errors.data != NULL)
        log_error("skipping, unable to resolve instance types", "s:controller", "provisioner",
                  "s:error", pass->errors.data);
    if (pass->plan == NULL) {
        log_error("Reconciler error", "s:controller", "provisioner", "s:error",
                  pass->error.message);
        return;
    }
    list_for_each (note, &pass->plan->notes)
        report_note(control, note);
    preference_warnings_publish(pass->parts.preference_warnings, pass->plan);
    report_totals(pass);
    note_pods_of_claims(pass);
    report_placements(pass);
    report_unschedulable(pass);
    report_zones(pass);
    if (pass->snapshot->settings.gate_capacity_buffer) // placeholder pods were planned too
        capacity_buffers_note_plan(pass->parts.sources.buffers, pass->snapshot, pass->plan);
}

// The pod is planned for the NodeClaim.
static void note_planned(const struct provisioning_pass *pass, const struct pod *pod,
                         const char *claim)
{
    if (pod_is_placeholder(pod))
        capacity_buffers_note_claim(pass->parts.sources.buffers, pod, claim);
    else if (pod_is_expected(pod))
        cluster_expect_pod(pass->control->cluster, expected_pod_workload(pod), claim);
    else
        plan_pod(pass->control, pod, claim);
}

void provisioning_pass_uncertain(const struct provisioning_pass *pass, uint32_t index,
                                 const char *name)
{
    list_for_each (pod, &pass->plan->claims.items[index].pods)
        note_planned(pass, *pod, name);
}

void provisioning_pass_created(struct provisioning_pass *pass, uint32_t index,
                               const struct node_claim *claim)
{
    const struct plan_claim *planned = &pass->plan->claims.items[index];
    pass->created++;
    target_report_bought(pass->parts.target_report, planned, claim);
    list_for_each (pod, &planned->pods) {
        note_planned(pass, *pod, claim->meta.name);
        if (!pod_is_placeholder(*pod) && !pod_is_expected(*pod)) // SCH-391
            report_nominated(pass, *pod, claim->meta.name, NULL);
    }
}
