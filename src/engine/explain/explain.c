#include "engine/explain/explain.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/explain/culprits.h"
#include "engine/explain/explain_miss.h"
#include "engine/explain/funnel_cuts.h"
#include "engine/pass/pass_state.h"
#include "engine/placement/node_check.h"
#include "engine/placement/place_claim.h"
#include "engine/placement/place_node.h"
#include "engine/pods/relaxation.h"
#include "engine/templates/type_table.h"
#include "engine/topology/topology.h"
#include "model/schema/condition_types.h"

void explained_add_reason(struct arena *arena, struct explained *out, enum reason_code code,
                          const char *node_pool, const char *detail)
{
    struct plan_reason *items = arena_allocate_array(arena, out->reasons.count + 1, sizeof *items);
    if (out->reasons.count > 0)
        memcpy(items, out->reasons.items, out->reasons.count * sizeof *items);
    items[out->reasons.count++] =
        (struct plan_reason){code, node_pool, arena_copy_string(arena, detail)};
    out->reasons.items = items;
}

// --- existing nodes ------------------------------------------------------------------------------

struct node_group {
    enum reason_code code;
    uint32_t dimension; // of insufficient resources, or NONE
    uint32_t count;
};
typedef VECTOR(struct node_group) node_groups;

static void count_node(node_groups *groups, enum reason_code code, uint32_t dimension)
{
    for (uint32_t i = 0; i < groups->count; i++)
        if (groups->items[i].code == code && groups->items[i].dimension == dimension) {
            groups->items[i].count++;
            return;
        }
    vector_push(groups, (struct node_group){code, dimension, 1});
}

// The first insufficient resource: cpu, memory, then by name.
static uint32_t short_dimension(const struct problem *problem, const struct shape *shape,
                                const int64_t *free)
{
    uint32_t found = NONE;
    for (uint32_t d = 0; d < problem->dimensions.count; d++) {
        if (free[d] >= 0 && shape->requests[d] <= free[d])
            continue;
        if (d <= DIMENSION_MEMORY)
            return d;
        if (found == NONE || strcmp(symbols_text(problem->dimensions.names, d),
                                    symbols_text(problem->dimensions.names, found)) < 0)
            found = d;
    }
    return found;
}

static const char *group_text(const struct problem *problem, struct arena *arena,
                              const struct node_group *group)
{
    static const char *const texts[REASON_COUNT] = {
        [REASON_TAINT_NOT_TOLERATED] = "taints not tolerated",
        [REASON_REQUIREMENT_MISMATCH] = "requirements not met",
        [REASON_UNKNOWN_LABEL] = "without the label",
        [REASON_HOST_PORT_CONFLICT] = "host ports taken",
        [REASON_VOLUME_INVALID] = "volumes that cannot be counted",
        [REASON_VOLUME_ZONE] = "out of the volumes' zones",
        [REASON_VOLUME_LIMIT] = "volume limits reached",
        [REASON_TOPOLOGY_SPREAD] = "topology spread not met",
        [REASON_POD_AFFINITY] = "pod affinity not met",
        [REASON_POD_ANTI_AFFINITY] = "pod anti-affinity not met",
        [REASON_EXISTING_ANTI_AFFINITY] = "anti-affinity of pods there",
        [REASON_NOT_TRIED] = "being removed",
    };
    if (group->dimension != NONE)
        return arena_format(arena, "insufficient %s",
                            symbols_text(problem->dimensions.names, group->dimension));
    return texts[group->code] != NULL ? texts[group->code] : "refused";
}

static int compare_refusals(const void *a, const void *b)
{
    const struct plan_node_refusal *x = a, *y = b;
    return x->count != y->count ? (x->count > y->count ? -1 : 1) : strcmp(x->detail, y->detail);
}

static void report_nodes(const struct problem *problem, struct arena *arena,
                         const node_groups *groups, struct plan_explanation *explanation)
{
    struct text summary = {0};
    explanation->nodes = problem->nodes.count;
    explanation->refused.items =
        arena_allocate_array(arena, groups->count + 1, sizeof *explanation->refused.items);
    vector_for_each (group, groups)
        explanation->refused.items[explanation->refused.count++] = (struct plan_node_refusal){
            group->code, group->count, group_text(problem, arena, group)};
    qsort(explanation->refused.items, explanation->refused.count,
          sizeof *explanation->refused.items, compare_refusals);
    uint32_t taking = explanation->nodes;
    list_for_each (refusal, &explanation->refused)
        taking -= refusal->count;
    text_format(&summary, "%" PRIu32 "/%" PRIu32 " nodes", taking, explanation->nodes);
    list_for_each (refusal, &explanation->refused)
        text_format(&summary, "%s%" PRIu32 " %s",
                    refusal == explanation->refused.items ? ": " : ", ", refusal->count,
                    refusal->detail);
    explanation->nodes_summary = arena_copy_string(arena, summary.data);
    text_free(&summary);
}

void explain_nodes(struct pass *pass, uint32_t class, struct arena *arena, uint32_t *refused,
                   struct plan_explanation *explanation)
{
    struct problem *problem = pass->problem;
    const struct shape *shape = shape_of(problem, class_at(problem, class));
    node_groups groups = {0};
    struct text why = {0};
    pass->refusal.why = &why;
    for (uint32_t i = 0; i < problem->nodes.count; i++) {
        if (!pass->slots[i].usable) {
            count_node(&groups, REASON_NOT_TRIED, NONE);
            continue;
        }
        if (node_check(pass, i, class) == ACCEPTED)
            continue;
        refused[pass->refusal.code]++;
        if (explanation != NULL)
            count_node(&groups, pass->refusal.code,
                       pass->refusal.code == REASON_INSUFFICIENT_RESOURCES
                           ? short_dimension(problem, shape, pass->slots[i].free)
                           : NONE);
    }
    pass->refusal.why = NULL;
    if (explanation != NULL)
        report_nodes(problem, arena, &groups, explanation);
    vector_free(&groups);
    text_free(&why);
}

// --- pools ---------------------------------------------------------------------------------------

// The type filter's message covers all types; the funnel covers those left by the last stage.
enum reason_code explain_code(struct pass *pass, const struct node_template *template,
                              uint32_t class, enum reason_code code)
{
    if (code != REASON_REQUIREMENT_MISMATCH && code != REASON_INSUFFICIENT_RESOURCES &&
        code != REASON_NO_OFFERING && code != REASON_TOPOLOGY_SPREAD)
        return code;
    CLEANUP_ARENA struct arena *scratch = arena_create(16384);
    struct funnel funnel;
    funnel_run(pass, template, class, scratch, &funnel);
    return funnel.emptied == STAGE_COUNT ? code : funnel.code;
}

static const struct template_refusal *refusal_of(const struct pass *pass, uint32_t template)
{
    vector_for_each (refusal, &pass->refusal.templates)
        if (refusal->template == template)
            return refusal;
    return NULL;
}

static void report_pool(struct pass *pass, const struct pool_state *pool, uint32_t class,
                        struct arena *arena, struct plan_pool_funnel *out)
{
    *out = (struct plan_pool_funnel){.node_pool = pool->pool->meta.name, .state = "considered"};
    if (pool->template == NULL) {
        out->state = "noTypes";
        const char *culprits = culprits_of_pool(pass->problem, pool, arena);
        out->detail = culprits != NULL ? culprits : arena_copy_string(arena, pool->message);
        return;
    }
    const struct template_refusal *refusal = refusal_of(pass, pool->template->index);
    if (refusal == NULL && pass->last.reserved_error) {
        out->state = "notTried";
        out->detail = "reserved capacity of a pool before this one may come free";
        return;
    }
    if (refusal != NULL && refusal->code == REASON_TAINT_NOT_TOLERATED) {
        out->state = "taintsNotTolerated";
        out->detail = arena_copy_string(arena, refusal->text);
    }
    CLEANUP_ARENA struct arena *scratch = arena_create(16384);
    struct funnel funnel;
    struct nearest_miss miss;
    funnel_run(pass, pool->template, class, scratch, &funnel);
    funnel_describe(pass, &funnel, arena, out);
    // Rules between pods, minValues and reservations do not concern single types.
    if (funnel.emptied > STAGE_RESOURCES || !funnel_nearest(pass, &funnel, &miss))
        return;
    struct text text = {0};
    funnel_describe_miss(pass, &funnel, &miss, &text);
    out->miss_type = arena_copy_string(arena, pool->template->table->rows[miss.row].type->name);
    out->miss_stage = miss.stage;
    out->miss_detail = arena_copy_string(arena, text.data);
    text_free(&text);
}

void explain_funnels(struct pass *pass, uint32_t class, struct arena *arena,
                     struct plan_explanation *explanation)
{
    const struct problem *problem = pass->problem;
    uint32_t room = problem->snapshot->objects[KIND_NODE_POOL].count;
    explanation->funnel.items =
        arena_allocate_array(arena, room + 1, sizeof *explanation->funnel.items);
    for (uint32_t i = 0; i < problem->templates.pools_count; i++)
        report_pool(pass, &problem->templates.pools[i], class, arena,
                    &explanation->funnel.items[explanation->funnel.count++]);
}

static bool is_seen(const struct problem *problem, const struct node_pool *pool)
{
    for (uint32_t i = 0; i < problem->templates.pools_count; i++)
        if (problem->templates.pools[i].pool == pool)
            return true;
    return false;
}

static int compare_pools(const void *a, const void *b)
{
    const struct object *x = *(const struct object *const *)a;
    const struct object *y = *(const struct object *const *)b;
    return strcmp(x->meta.name, y->meta.name);
}

static void report_absent_pool(const struct node_pool *pool, struct arena *arena,
                               struct plan_pool_funnel *out)
{
    const struct condition *ready = condition_find(&pool->status.conditions, CONDITION_READY);
    *out = (struct plan_pool_funnel){.node_pool = pool->meta.name};
    if (object_is_deleting((const struct object *)pool)) {
        out->state = "deleting";
        out->detail = "the NodePool is being deleted";
    } else if (pool->spec.replicas.present) {
        out->state = "static";
        out->detail =
            "the NodePool keeps a fixed number of nodes (spec.replicas), whatever is pending";
    } else {
        bool has_message = ready != NULL && ready->message != NULL && ready->message[0] != '\0';
        out->state = "notReady";
        out->detail = arena_format(arena, "the NodePool is not ready%s%s", has_message ? ": " : "",
                                   has_message ? ready->message : "");
    }
}

void explain_absent_pools(const struct problem *problem, struct arena *arena, struct explained *out)
{
    uint32_t total = problem->snapshot->objects[KIND_NODE_POOL].count;
    if (total == problem->templates.pools_count)
        return;
    const struct object **sorted = memory_allocate_array(total, sizeof *sorted);
    memcpy(sorted, problem->snapshot->objects[KIND_NODE_POOL].items, total * sizeof *sorted);
    qsort(sorted, total, sizeof *sorted, compare_pools);
    struct plan_explanation *explanation = out->explanation;
    if (explanation != NULL && explanation->funnel.items == NULL)
        explanation->funnel.items =
            arena_allocate_array(arena, total + 1, sizeof *explanation->funnel.items);
    for (uint32_t i = 0; i < total; i++) {
        const struct node_pool *pool = (const struct node_pool *)sorted[i];
        struct plan_pool_funnel described;
        if (is_seen(problem, pool))
            continue;
        report_absent_pool(pool, arena, &described);
        if (strcmp(described.state, "static") != 0)
            explained_add_reason(arena, out, REASON_POOL_NOT_READY, described.node_pool,
                                 described.detail);
        else if (problem->templates.pools_count == 0) // nothing else is there to blame
            explained_add_reason(arena, out, REASON_NO_POOL, described.node_pool, described.detail);
        if (explanation != NULL)
            explanation->funnel.items[explanation->funnel.count++] = described;
    }
    free(sorted);
}

// --- preferences ---------------------------------------------------------------------------------

typedef VECTOR(const char *) sentences;

static const char *preference_text(struct problem *problem, const struct pod_class *class,
                                   const struct preference *preference, struct arena *arena)
{
    const struct affinity *affinity = class->sample->spec.affinity;
    struct text text = {0};
    switch (preference->kind) {
    case PREFERENCE_TAINTS:
        return "to stay off nodes with PreferNoSchedule taints";
    case PREFERENCE_SPREAD:
        return arena_format(arena, "topology spread over %s",
                            class->spreads.items[preference->index].topology_key);
    case PREFERENCE_AFFINITY:
    case PREFERENCE_ANTI_AFFINITY: {
        bool anti = preference->kind == PREFERENCE_ANTI_AFFINITY;
        const struct pod_affinity *pods =
            anti ? affinity->pod_anti_affinity : affinity->pod_affinity;
        return arena_format(
            arena, "pod %saffinity of weight %" PRId64 " over %s", anti ? "anti-" : "",
            preference->weight,
            pods->preferred.items[preference->index].pod_affinity_term.topology_key);
    }
    case PREFERENCE_NODE_AFFINITY:
        break;
    }
    text_format(&text, "node affinity of weight %" PRId64 ": ", preference->weight);
    set_add_text(
        &text, problem->sets,
        set_from_api(problem->sets, &affinity->node_affinity->preferred.items[preference->index]
                                         .preference.match_expressions));
    const char *copy = arena_copy_string(arena, text.data);
    text_free(&text);
    return copy;
}

// Upstream's steps in order (SCH-160), without required terms, which are no preferences.
static void steps_between(struct problem *problem, uint32_t own, uint32_t last, struct arena *arena,
                          sentences *out)
{
    for (uint32_t class = own; class != last && class != NONE;
         class = class_relax(problem, class)) {
        const char *text = class_relaxation_text(problem, class);
        const char *what = text != NULL ? strstr(text, ": ") : NULL;
        if (what != NULL && strstr(text, ".required") == NULL)
            vector_push(out, arena_copy_string(arena, what + 2));
    }
}

void explain_given_up(struct pass *pass, uint32_t own, uint32_t last, struct arena *arena,
                      struct plan_explanation *explanation)
{
    struct problem *problem = pass->problem;
    const struct pod_class *class = class_at(problem, last);
    sentences given_up = {0};
    for (uint32_t i = 0; i < class->preferences_count && class->by_weight; i++)
        if (class->relaxation.given_up >> i & 1)
            vector_push(&given_up, preference_text(problem, class, &class->preferences[i], arena));
    if (!class->by_weight)
        steps_between(problem, own, last, arena, &given_up);
    explanation->given_up.items =
        arena_allocate_array(arena, given_up.count + 1, sizeof *explanation->given_up.items);
    explanation->given_up.count = given_up.count;
    if (given_up.count > 0)
        memcpy(explanation->given_up.items, given_up.items,
               given_up.count * sizeof *given_up.items);
    vector_free(&given_up);
}

// --- attempts ------------------------------------------------------------------------------------

const struct row *explain_cheapest(struct problem *problem, const struct node_template *template,
                                   uint32_t set, struct bitset rows, int64_t *price)
{
    const struct row_filter *prices = type_table_prices(problem, template->table, set);
    for (uint32_t i = 0; i < template->table->count; i++) {
        uint32_t row = prices->by_price[i];
        if (bitset_has(rows, row) && prices->cheapest[row] != INT64_MAX) {
            *price = prices->cheapest[row];
            return &template->table->rows[row];
        }
    }
    return NULL;
}

static void rows_within_limits(const struct pass *pass, const struct node_template *template,
                               struct bitset rows)
{
    const int64_t *remaining = pass->remaining[template->index];
    bool exhausted = template->has_node_limit && remaining[DIMENSION_NODES] <= 0;
    bitset_for_each (r, rows)
        for (uint32_t d = 0; d < pass->problem->dimensions.count; d++)
            if (exhausted || (template->limits[d] != INT64_MAX &&
                              template->table->rows[r].capacity[d] > remaining[d]))
                bitset_clear(rows, r);
}

bool explain_try_template(struct pass *pass, const struct node_template *template, uint32_t class,
                          bool ignore_limits, const char **type, int64_t *price)
{
    CLEANUP_ARENA struct arena *scratch = arena_create(1024);
    struct claim fresh = {.template = (struct node_template *)(uintptr_t) template,
                          .set = template->set,
                          .requests = pass->scratch.zero,
                          .hostname = pass->next_hostname,
                          .rows = bitset_create(scratch, template->table->count),
                          .reservations =
                              bitset_create(scratch, pass->problem->catalog.reservations_count)};
    bitset_copy(fresh.rows, template->rows);
    if (!ignore_limits && pass->remaining[template->index] != NULL)
        rows_within_limits(pass, template, fresh.rows);
    bool kept = pass->last.reserved_error;
    bool accepted = claim_check(pass, &fresh, class, true, &pass->scratch.attempt) == ACCEPTED;
    pass->last.reserved_error = kept;
    if (!accepted)
        return false;
    const struct row *row = explain_cheapest(pass->problem, template, pass->scratch.attempt.set,
                                             pass->scratch.attempt.rows, price);
    *type = row != NULL ? row->type->name : NULL;
    return row != NULL;
}
