#include "engine/unplaced.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/place.h"
#include "engine/topology.h"

struct explanation { // of a class: the same for all its pods
    const char *message;
    bool deferred;
    LIST(struct plan_reason) reasons;
};

void unplaced_add(struct plan *plan, const struct pod *pod, const char *message)
{
    plan->unschedulable.items[plan->unschedulable.count++] =
        (struct plan_unschedulable){.pod = pod, .message = arena_copy_string(plan->arena, message)};
}

static void add_reason(struct plan *plan, struct explanation *explanation, enum reason_code code,
                       const char *node_pool, const char *detail)
{
    struct plan_reason *items =
        arena_allocate_array(plan->arena, explanation->reasons.count + 1, sizeof *items);
    if (explanation->reasons.count > 0)
        memcpy(items, explanation->reasons.items, explanation->reasons.count * sizeof *items);
    items[explanation->reasons.count++] =
        (struct plan_reason){code, node_pool, arena_copy_string(plan->arena, detail)};
    explanation->reasons.items = items;
}

// SCH-520 part 1: how many nodes refused by which first check.
static void explain_nodes(struct pass *pass, uint32_t class, struct plan *plan,
                          struct explanation *explanation)
{
    uint32_t refused[REASON_COUNT] = {0};
    struct text why = {0};
    pass->why = &why;
    for (uint32_t i = 0; i < pass->problem->nodes.count; i++)
        if (pass->slots[i].usable && node_check(pass, i, class) != ACCEPTED)
            refused[pass->code]++;
    pass->why = NULL;
    text_free(&why);
    for (uint32_t code = 0; code < REASON_COUNT; code++) {
        if (refused[code] == 0)
            continue;
        char detail[60];
        snprintf(detail, sizeof detail, "%" PRIu32 " existing node(s)", refused[code]);
        add_reason(plan, explanation, code, NULL, detail);
    }
}

static void explain_pools(struct pass *pass, struct plan *plan, struct explanation *explanation)
{
    vector_for_each (refusal, &pass->refusals)
        add_reason(plan, explanation, refusal->code,
                   pass->problem->templates[refusal->template]->pool->meta.name, refusal->text);
    for (uint32_t i = 0; i < pass->problem->pools_count; i++)
        if (pass->problem->pools[i].template == NULL)
            add_reason(plan, explanation, pass->problem->pools[i].reason,
                       pass->problem->pools[i].pool->meta.name, pass->problem->pools[i].message);
}

static void clear_refusals(struct pass *pass)
{
    vector_for_each (refusal, &pass->refusals)
        free(refusal->text);
    pass->refusals.count = 0;
}

// The last, most relaxed attempt once more, this time with its errors (SCH-156).
static void explain_class(struct pass *pass, uint32_t own, bool explain, struct plan *plan,
                          struct explanation *out)
{
    struct text why = {0};
    pass->explain_only = true;
    uint32_t last = own;
    for (uint32_t class = own; class != NONE; class = class_relax(pass->problem, class)) {
        if (!pass_class(pass, class)->prepared)
            topology_prepare(pass, class);
        text_clear(&why);
        clear_refusals(pass);
        pass->why = &why;
        place_on_new_claim(pass, 0, class);
        pass->why = NULL;
        last = class;
        if (pass->reserved_error)
            break;
    }
    out->deferred = pass->reserved_error;
    if (pass->problem->templates_count == 0)
        out->message = "nodepool requirements filtered out all available instance types";
    else
        out->message = arena_copy_string(plan->arena, why.data != NULL ? why.data : "");
    if (explain) {
        explain_nodes(pass, last, plan, out);
        explain_pools(pass, plan, out);
    }
    clear_refusals(pass);
    pass->explain_only = false;
    text_free(&why);
}

static const char *barred_message(const struct pass *pass, const struct pod_class *class,
                                  enum reason_code *code)
{
    if (pass->problem->pools_count == 0) {
        *code = REASON_NO_POOL;
        return "no dynamic nodepools found";
    }
    if (class->refusal != NULL) {
        *code = class->volumes != NULL ? REASON_VOLUME_INVALID : REASON_REQUIREMENT_MISMATCH;
        return class->refusal;
    }
    if (class->volumes != NULL && class->volumes->error != NULL) {
        *code = REASON_VOLUME_INVALID;
        return class->volumes->error;
    }
    if (class->resource_claims && pass->problem->settings->ignore_dra_requests) {
        *code = REASON_DYNAMIC_RESOURCES;
        return "pod has Dynamic Resource Allocation requirements that are not yet supported by "
               "Karpenter";
    }
    return NULL;
}

static int compare_unschedulable(const void *a, const void *b)
{
    const struct pod *x = ((const struct plan_unschedulable *)a)->pod;
    const struct pod *y = ((const struct plan_unschedulable *)b)->pod;
    int order = strcmp(x->meta.namespace, y->meta.namespace);
    return order != 0 ? order : strcmp(x->meta.name, y->meta.name);
}

void unplaced_finish(struct pass *pass, bool explain, struct plan *plan)
{
    uint32_t classes = pass->problem->classes.count;
    struct explanation **known = memory_allocate_array(classes + 1, sizeof *known);
    for (uint32_t i = 0; i < pass->input.queue_count; i++) {
        if (pass->placements[i].kind != NOT_PLACED)
            continue;
        const struct queued_pod *queued = pass_pod(pass, i);
        const struct pod_class *class = class_at(pass->problem, queued->class);
        struct explanation *explanation = known[queued->class];
        if (explanation == NULL) {
            explanation = known[queued->class] = arena_allocate(plan->arena, sizeof *explanation);
            enum reason_code code;
            const char *barred = barred_message(pass, class, &code);
            if (barred == NULL)
                explain_class(pass, queued->class, explain, plan, explanation);
            else
                explanation->message = arena_copy_string(plan->arena, barred);
            if (barred != NULL && explain)
                add_reason(plan, explanation, code, NULL, barred);
        }
        struct plan_unschedulable *out = &plan->unschedulable.items[plan->unschedulable.count++];
        *out = (struct plan_unschedulable){.pod = queued->pod,
                                           .message = explanation->message,
                                           .deferred = explanation->deferred,
                                           .ignored = class->refusal != NULL};
        out->reasons.items = explanation->reasons.items;
        out->reasons.count = explanation->reasons.count;
    }
    free(known);
    qsort(plan->unschedulable.items, plan->unschedulable.count, sizeof *plan->unschedulable.items,
          compare_unschedulable);
}
