#include "engine/explain/unschedulable.h"
#include "engine/devices/devices.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/explain/culprits.h"
#include "engine/explain/explain.h"
#include "engine/explain/explain_help.h"
#include "engine/pass/pass_state.h"
#include "engine/placement/new_claim.h"
#include "engine/pods/relaxation.h"
#include "engine/problem/volume_validation.h"
#include "engine/topology/topology.h"
#include "engine/topology/topology_record.h"

static struct plan_unschedulable *add(struct plan *plan, const struct pod *pod, const char *message)
{
    struct plan_unschedulable *out = &plan->unschedulable.items[plan->unschedulable.count++];
    *out =
        (struct plan_unschedulable){.pod = pod, .message = arena_copy_string(plan->arena, message)};
    return out;
}

void unschedulable_add_min_values(struct plan *plan, const struct pod *pod, const char *message,
                                  const struct node_pool *pool, bool explain)
{
    struct plan_unschedulable *out = add(plan, pod, message);
    if (!explain)
        return;
    out->reasons.items = arena_allocate(plan->arena, sizeof *out->reasons.items);
    out->reasons.items[out->reasons.count++] =
        (struct plan_reason){REASON_MIN_VALUES, pool->meta.name, out->message};
}

// SCH-520 part 1: counts nodes by their first failed check.
static void reasons_of_nodes(struct pass *pass, uint32_t class, struct plan *plan,
                             struct explained *out)
{
    uint32_t refused[REASON_COUNT] = {0};
    explain_nodes(pass, class, plan->arena, refused, out->explanation);
    for (uint32_t code = 0; code < REASON_COUNT; code++) {
        if (refused[code] == 0)
            continue;
        char detail[60];
        snprintf(detail, sizeof detail, "%" PRIu32 " existing node(s)", refused[code]);
        explained_add_reason(plan->arena, out, code, NULL, detail);
    }
}

static void reasons_of_pools(struct pass *pass, uint32_t class, struct plan *plan,
                             struct explained *out)
{
    const struct problem *problem = pass->problem;
    uint32_t next = 0;
    vector_for_each (refusal, &pass->refusal.templates) {
        const struct node_template *template = problem->templates.items[refusal->template];
        enum reason_code code = explain_code(pass, template, class, refusal->code);
        const char *culprits =
            culprits_of_class(pass, template, class, code, refusal->text, plan->arena);
        explained_add_reason(plan->arena, out, code, template->pool->meta.name,
                             culprits != NULL ? culprits : refusal->text);
        next = refusal->template + 1;
    }
    for (; pass->last.reserved_error && next < problem->templates.count; next++) // SCH-222
        explained_add_reason(plan->arena, out, REASON_NOT_TRIED,
                             problem->templates.items[next]->pool->meta.name,
                             "reserved capacity of a pool before this one may come free");
    for (uint32_t i = 0; i < problem->templates.pools_count; i++) {
        const struct pool_state *pool = &problem->templates.pools[i];
        if (pool->template != NULL)
            continue;
        const char *culprits = culprits_of_pool(pass->problem, pool, plan->arena);
        explained_add_reason(plan->arena, out, pool->reason, pool->pool->meta.name,
                             culprits != NULL ? culprits : pool->message);
    }
}

static void clear_refusals(struct pass *pass)
{
    vector_for_each (refusal, &pass->refusal.templates)
        free(refusal->text);
    pass->refusal.templates.count = 0;
}

static void explain_in_full(struct pass *pass, uint32_t own, uint32_t last, struct plan *plan,
                            struct explained *out)
{
    bool kept = pass->last.reserved_error;
    explain_funnels(pass, last, plan->arena, out->explanation);
    explain_given_up(pass, own, last, plan->arena, out->explanation);
    explain_help(pass, last, plan->arena, out->explanation);
    pass->last.reserved_error = kept;
}

// Repeats the last, most relaxed attempt with its errors (SCH-156).
static void explain_class(struct pass *pass, uint32_t own, enum explain_level level,
                          struct plan *plan, struct explained *out)
{
    struct text why = {0};
    pass->current.mode = PLACE_EXPLAIN;
    uint32_t last = own;
    for (uint32_t class = own; class != NONE; class = class_relax(pass->problem, class)) {
        if (!pass_class(pass, class)->prepared)
            topology_prepare(pass, class);
        text_clear(&why);
        clear_refusals(pass);
        pass->refusal.why = &why;
        place_on_new_claim(pass, 0, class);
        pass->refusal.why = NULL;
        last = class;
        if (pass->last.reserved_error)
            break;
    }
    out->deferred = pass->last.reserved_error;
    if (pass->problem->templates.count == 0)
        out->message = "nodepool requirements filtered out all available instance types";
    else
        out->message = arena_copy_string(plan->arena, why.data != NULL ? why.data : "");
    if (level >= EXPLAIN_REASONS) {
        pass->last.reserved_error = out->deferred;
        reasons_of_nodes(pass, last, plan, out);
        reasons_of_pools(pass, last, plan, out);
    }
    if (level == EXPLAIN_FULL)
        explain_in_full(pass, own, last, plan, out);
    clear_refusals(pass);
    pass->current.mode = PLACE;
    text_free(&why);
}

static const char *barred_message(struct pass *pass, const struct pod_class *class,
                                  enum reason_code *code)
{
    if (pass->problem->templates.pools_count == 0) {
        *code = REASON_NO_POOL;
        return "no dynamic nodepools found";
    }
    if (class->aside) {
        *code = REASON_PLANNING_BUDGET;
        return class->refusal;
    }
    if (class->refusal != NULL) {
        *code = text_equal(volumes_validate(pass->problem, class->sample), class->refusal)
                    ? REASON_VOLUME_INVALID
                    : REASON_REQUIREMENT_MISMATCH;
        return class->refusal;
    }
    if (class->volumes != NULL && class->volumes->error != NULL) {
        *code = REASON_VOLUME_INVALID;
        return class->volumes->error;
    }
    if (class->devices != NULL && class->devices->error != NULL) {
        *code = REASON_DYNAMIC_RESOURCES;
        return class->devices->error;
    }
    if (class->resource_claims && pass->problem->settings->ignore_dra_requests) {
        *code = REASON_DYNAMIC_RESOURCES;
        return "pod has Dynamic Resource Allocation requirements that are not yet supported by "
               "Karpenter";
    }
    return NULL;
}

static const char *detail_of(const struct problem *problem, enum reason_code code,
                             const char *barred)
{
    if (code != REASON_NO_POOL || problem->settings->compatibility_upstream)
        return barred;
    return problem->snapshot->objects[KIND_NODE_POOL].count == 0
               ? "there is no NodePool"
               : "no NodePool launches nodes for pending pods";
}

static int compare_unschedulable(const void *a, const void *b)
{
    const struct pod *x = ((const struct plan_unschedulable *)a)->pod;
    const struct pod *y = ((const struct plan_unschedulable *)b)->pod;
    int order = strcmp(x->meta.namespace, y->meta.namespace);
    return order != 0 ? order : strcmp(x->meta.name, y->meta.name);
}

static struct explained *explain_once(struct pass *pass, uint32_t class, enum explain_level level,
                                      struct plan *plan)
{
    struct explained *out = arena_allocate(plan->arena, sizeof *out);
    enum reason_code code;
    const char *barred = barred_message(pass, class_at(pass->problem, class), &code);
    if (level == EXPLAIN_FULL) {
        out->explanation = arena_allocate(plan->arena, sizeof *out->explanation);
        out->explanation->nodes = pass->problem->nodes.count;
        out->explanation->nodes_summary = "not tried";
    }
    if (barred == NULL)
        explain_class(pass, class, level, plan, out);
    else
        out->message = arena_copy_string(plan->arena, barred);
    if (barred != NULL && level >= EXPLAIN_REASONS)
        explained_add_reason(plan->arena, out, code, NULL, detail_of(pass->problem, code, barred));
    if (level >= EXPLAIN_REASONS && (barred == NULL || code == REASON_NO_POOL))
        explain_absent_pools(pass->problem, plan->arena, out);
    return out;
}

// SCH-53: the pass ended before it tried the pod.
static struct explained *explain_untried(enum explain_level level, struct plan *plan)
{
    struct explained *out = arena_allocate(plan->arena, sizeof *out);
    out->message = "not tried: the pass has used up its attempts; the next pass tries the pod";
    if (level == EXPLAIN_FULL)
        out->explanation = arena_allocate(plan->arena, sizeof *out->explanation);
    if (level == EXPLAIN_FULL)
        out->explanation->nodes_summary = "not tried";
    if (level >= EXPLAIN_REASONS)
        explained_add_reason(plan->arena, out, REASON_NOT_TRIED, NULL, out->message);
    return out;
}

static bool was_not_tried(const struct pass *pass, uint32_t index)
{
    return !pass->placements[index].tried && pass->problem->templates.pools_count > 0 &&
           class_at(pass->problem, pass_pod(pass, index)->class)->refusal == NULL;
}

void unschedulable_finish(struct pass *pass, enum explain_level level, struct plan *plan)
{
    uint32_t classes = pass->problem->interned.classes.count;
    struct explained **known = memory_allocate_array(classes + 1, sizeof *known), *untried = NULL;
    for (uint32_t i = 0; i < pass->input.queue_count; i++) {
        if (pass->placements[i].kind != NOT_PLACED)
            continue;
        const struct queued_pod *queued = pass_pod(pass, i);
        struct explained *explained = known[queued->class];
        if (was_not_tried(pass, i))
            explained = untried = untried != NULL ? untried : explain_untried(level, plan);
        else if (explained == NULL)
            explained = known[queued->class] = explain_once(pass, queued->class, level, plan);
        struct plan_unschedulable *out = &plan->unschedulable.items[plan->unschedulable.count++];
        *out = (struct plan_unschedulable){
            .pod = queued->pod,
            .message = explained->message,
            .deferred = explained->deferred,
            .ignored = class_at(pass->problem, queued->class)->refusal != NULL,
            .explanation = explained->explanation};
        out->reasons.items = explained->reasons.items;
        out->reasons.count = explained->reasons.count;
    }
    free(known);
    qsort(plan->unschedulable.items, plan->unschedulable.count, sizeof *plan->unschedulable.items,
          compare_unschedulable);
    list_for_each (entry, &plan->unschedulable) {
        struct plan_explanation *own = (struct plan_explanation *)(uintptr_t)entry->explanation;
        if (own != NULL && own->pod == NULL)
            own->pod = entry->pod;
    }
}
