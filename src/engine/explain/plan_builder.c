#include "engine/explain/plan_builder.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/quantity.h"
#include "engine/explain/claim_types.h"
#include "engine/explain/concentration.h"
#include "engine/explain/explain.h"
#include "engine/explain/explain_choice.h"
#include "engine/explain/unschedulable.h"
#include "engine/placement/place_devices.h"
#include "engine/problem/host_ports.h"
#include "engine/problem/node_terms.h"
#include "engine/templates/claim_object.h"
#include "engine/templates/node_cost.h"
#include "engine/templates/templates.h"
#include "engine/templates/type_table.h"
#include "model/schema/drift_hash.h"

struct finisher {
    struct pass *pass;
    struct plan *plan;
    enum explain_level explain;
    struct memo contents; // (template, final set) -> claim with the same requirements and labels
    struct memo lists;    // (final set, hash of the rows) -> claim that may have the same types
    const struct claim **sources; // by plan claim
    const char **hashes;          // by template: hash of its NodePool, or NULL
};

uint32_t claim_launch_set(struct pass *pass, const struct claim *claim)
{
    struct problem *problem = pass->problem;
    uint32_t set = claim->set;
    if (bitset_empty(claim->reservations))
        return set;
    struct requirement reserved =
        requirement_in(pass->arena, problem->keys.capacity_type,
                       vocabulary_value(problem->vocabulary, CAPACITY_TYPE_RESERVED));
    set = set_replace(problem->sets, set, &reserved);
    uint32_t *values =
        arena_allocate_array(pass->arena, problem->catalog.reservations_count, sizeof *values);
    uint32_t count = 0, key = 0;
    bitset_for_each (r, claim->reservations) {
        values[count++] = problem->catalog.reservations[r].value;
        key = problem->catalog.reservations[r].key;
    }
    struct requirement ids = requirement_in_values(pass->arena, key, values, count);
    return set_add(problem->sets, set, &ids);
}

// --- types and price -----------------------------------------------------------------------------

static bool same_types(const struct claim *a, const struct claim *b)
{
    bool same_load =
        (a->template->bursts == NULL && b->template->bursts == NULL) ||
        (a->template == b->template && a->requests[DIMENSION_CPU] == b->requests[DIMENSION_CPU]);
    return a->template->table == b->template->table && a->final_set == b->final_set && same_load &&
           memcmp(a->rows.words, b->rows.words, bitset_words(a->rows.bits) * 8) == 0;
}

// Claims with equal types share one list.
static bool share_types(struct finisher *finisher, const struct claim *claim, uint32_t index,
                        struct plan_claim *out)
{
    uint32_t hash = (uint32_t)hash_bytes(claim->rows.words, bitset_words(claim->rows.bits) * 8);
    uint32_t before = memo_get(&finisher->lists, claim->final_set, hash);
    if (before != MEMO_NONE && same_types(finisher->sources[before], claim)) {
        out->types = finisher->plan->claims.items[before].types;
        out->price = finisher->plan->claims.items[before].price;
        out->costs = finisher->plan->claims.items[before].costs;
        return true;
    }
    memo_set(&finisher->lists, claim->final_set, hash, index);
    return false;
}

// Sorted by the list prices that `set` leaves; types without a price are left out.
static void finish_types(struct finisher *finisher, const struct claim *claim, uint32_t set,
                         struct plan_claim *out)
{
    out->types.items = arena_allocate_array(finisher->plan->arena, bitset_count(claim->rows) + 1,
                                            sizeof *out->types.items);
    out->types.count =
        claim_types_list(finisher->pass->problem, claim, set, out->types.items, &out->costs);
    out->price = out->costs.list;
}

// SCH-384: with Strict minValues the first 600 types must satisfy them.
static bool truncation_keeps_min_values(struct finisher *finisher, const struct claim *claim,
                                        const struct plan_claim *out, struct text *error)
{
    struct problem *problem = finisher->pass->problem;
    if (!claim->template->has_min_values || problem->settings->min_values_best_effort ||
        out->types.count <= LAUNCH_TYPES_MAX)
        return true;
    CLEANUP_ARENA struct arena *scratch = arena_create(1024);
    const struct type_table *table = claim->template->table;
    struct bitset rows = bitset_create(scratch, table->count);
    const struct row_filter *prices =
        type_table_prices(problem, claim->template->table, claim->final_set);
    for (uint32_t i = 0, taken = 0; i < table->count && taken < LAUNCH_TYPES_MAX; i++)
        if (bitset_has(claim->rows, prices->by_price[i])) {
            bitset_set(rows, prices->by_price[i]);
            taken++;
        }
    uint32_t *keys =
        arena_allocate_array(scratch, problem->sets->sets[claim->final_set].count, sizeof *keys);
    uint32_t unmet = unmet_min_values(problem, table, rows, claim->final_set, keys);
    if (unmet == 0)
        return true;
    add_cut_off_min_values(error, problem, claim->template, keys, unmet);
    return false;
}

void add_cut_off_min_values(struct text *text, const struct problem *problem,
                            const struct node_template *template, const uint32_t *keys,
                            uint32_t count)
{
    text_add(text, "pod didn\xe2\x80\x99t schedule because NodePool couldn\xe2\x80\x99t meet "
                   "minValues requirements, validating minValues, minValues requirement is not "
                   "met for label(s) (label(s)=[");
    for (uint32_t i = 0; i < count; i++)
        text_format(text, "%s%s", i > 0 ? " " : "",
                    vocabulary_key_text(problem->vocabulary, keys[i]));
    text_format(text, "]) (NodePool=%s)", template->pool->meta.name);
}

// --- requests (SCH-372) --------------------------------------------------------------------------

static void finish_requests(struct finisher *finisher, const struct claim *claim,
                            struct plan_claim *out)
{
    struct problem *problem = finisher->pass->problem;
    int64_t *total = memory_allocate_array(problem->dimensions.count, sizeof *total);
    for (uint32_t d = 0; d < problem->dimensions.count; d++) {
        int64_t least = INT64_MAX;
        for (uint32_t g = 0; g < claim->template->groups_count; g++) {
            const struct overhead_group *group = &claim->template->groups[g];
            uint64_t any = 0;
            for (uint32_t w = 0; w < bitset_words(claim->rows.bits); w++)
                any |= claim->rows.words[w] & group->rows.words[w];
            if (any != 0 && group->overhead[d] < least)
                least = group->overhead[d];
        }
        total[d] = quantity_add(claim->requests[d], least == INT64_MAX ? 0 : least);
    }
    out->requests = vector_to_map(problem, finisher->plan->arena, total);
    list_for_each (entry, &out->requests)
        ((struct resource_quantity *)(uintptr_t)entry)->name =
            arena_copy_string(finisher->plan->arena, entry->name);
    free(total);
}

// --- annotations ---------------------------------------------------------------------------------

static void overlays_used(const struct claim *claim, const struct plan_claim *out, bool *price,
                          bool *capacity)
{
    const struct type_table *table = claim->template->table;
    *price = *capacity = false;
    for (uint32_t r = 0; r < table->count && out->types.count > 0; r++) {
        if (!bitset_has(claim->rows, r))
            continue;
        *price = *price || table->rows[r].price_overlaid;
        *capacity = *capacity || table->rows[r].capacity_overlaid;
    }
}

// SCH-371. LIF-64 waits for these drivers.
static void add_drivers(struct finisher *finisher, const struct claim *claim,
                        struct plan_claim *out)
{
    struct text names = {0};
    CLEANUP_ARENA struct arena *scratch = arena_create(512);
    struct string_list drivers = devices_drivers(finisher->pass, scratch, claim);
    for (uint32_t i = 0; i < drivers.count; i++)
        text_join(&names, ",", drivers.items[i]);
    if (drivers.count > 0)
        pairs_put(&out->annotations, ANNOTATION_DRA_DRIVERS,
                  arena_copy_string(finisher->plan->arena, names.data));
    text_free(&names);
}

static void finish_annotations(struct finisher *finisher, const struct claim *claim,
                               struct plan_claim *out)
{
    struct arena *arena = finisher->plan->arena;
    const struct node_pool *pool = claim->template->pool;
    const char **hash = &finisher->hashes[claim->template->index];
    if (*hash == NULL) {
        char text[24];
        node_pool_hash(pool, text);
        *hash = arena_copy_string(arena, text);
    }
    claim_object_annotations(pool, *hash, arena, &out->annotations);
    pairs_put(&out->annotations, ANNOTATION_MIN_VALUES_RELAXED,
              claim->min_values_relaxed ? "true" : "false");
    overlays_used(claim, out, &out->price_overlaid, &out->capacity_overlaid);
    if (out->price_overlaid)
        pairs_put(&out->annotations, "karpenter.sh/price-overlay-applied", "true");
    if (out->capacity_overlaid)
        pairs_put(&out->annotations, "karpenter.sh/capacity-overlay-applied", "true");
    add_drivers(finisher, claim, out);
    pairs_sort(&out->annotations);
}

// SCH-531: counts types that only the pool's limits keep from carrying the claim.
static uint32_t types_over_limits(struct finisher *finisher, const struct claim *claim)
{
    struct problem *problem = finisher->pass->problem;
    const struct type_table *table = claim->template->table;
    CLEANUP_ARENA struct arena *scratch = arena_create(1024);
    struct bitset rows = bitset_create(scratch, table->count);
    if (!claim->template->has_limits)
        return 0;
    template_fits(problem, claim->template, claim->requests, rows);
    bitset_and(rows, claim->template->rows);
    bitset_and(rows, type_table_filter(problem, claim->template->table, claim->final_set)->both);
    for (uint32_t w = 0; w < bitset_words(rows.bits); w++)
        rows.words[w] &= ~claim->rows.words[w];
    struct host_ports asked = {claim->ports.items, claim->ports.count};
    const struct host_port *existing, *wanted;
    for (uint32_t g = 0; g < claim->template->groups_count; g++)
        if (host_ports_conflict(&claim->template->groups[g].ports, &asked, &existing, &wanted))
            bitset_for_each (r, claim->template->groups[g].rows)
                bitset_clear(rows, r);
    uint32_t count = 0, last = NONE;
    bitset_for_each (r, rows) {
        count += table->rows[r].type_index != last;
        last = table->rows[r].type_index;
    }
    return count;
}

// --- pods ----------------------------------------------------------------------------------------

static int compare_pods(const void *a, const void *b)
{
    const struct pod *x = *(const struct pod *const *)a, *y = *(const struct pod *const *)b;
    int order = strcmp(x->meta.namespace, y->meta.namespace);
    return order != 0 ? order : strcmp(x->meta.name, y->meta.name);
}

static const struct pod **sorted_pods(struct finisher *finisher, const struct pod_list *list)
{
    const struct pod **pods =
        arena_allocate_array(finisher->plan->arena, list->count + 1, sizeof *pods);
    for (uint32_t i = 0; i < list->count; i++)
        pods[i] = pass_pod(finisher->pass, list->items[i])->pod;
    qsort(pods, list->count, sizeof *pods, compare_pods);
    return pods;
}

// --- claims and nodes ----------------------------------------------------------------------------

// Claims with equal requirements share their lists.
static void finish_contents(struct finisher *finisher, const struct claim *claim, uint32_t index,
                            struct plan_claim *out)
{
    uint32_t before = memo_get(&finisher->contents, claim->template->index, claim->final_set);
    if (before != MEMO_NONE) {
        const struct plan_claim *same = &finisher->plan->claims.items[before];
        out->requirements = same->requirements;
        out->labels = same->labels;
        return;
    }
    struct problem *problem = finisher->pass->problem;
    struct arena *arena = finisher->plan->arena;
    claim_object_requirements(problem, claim->final_set, arena, &out->requirements);
    claim_object_labels(problem, claim->template, claim->final_set, arena, &out->labels);
    memo_set(&finisher->contents, claim->template->index, claim->final_set, index);
}

static void add_costs(struct plan_costs *sum, const struct plan_costs *costs)
{
    *sum = (struct plan_costs){
        .list = quantity_add(sum->list, costs->list),
        .volumes = quantity_add(sum->volumes, costs->volumes),
        .address = quantity_add(sum->address, costs->address),
        .allowance = quantity_add(sum->allowance, costs->allowance),
        .interruptions = quantity_add(sum->interruptions, costs->interruptions),
        .burst = quantity_add(sum->burst, costs->burst),
    };
}

static void finish_claim(struct finisher *finisher, struct claim *claim)
{
    struct plan *plan = finisher->plan;
    uint32_t index = plan->claims.count;
    struct plan_claim *out = &plan->claims.items[index];
    *out = (struct plan_claim){.node_pool = claim->template->pool,
                               .min_values_relaxed = claim->min_values_relaxed};
    claim->final_set = claim_launch_set(finisher->pass, claim);
    finisher->sources[index] = claim;
    if (!share_types(finisher, claim, index, out))
        finish_types(finisher, claim, claim->final_set, out);
    struct text error = {0};
    if (!truncation_keeps_min_values(finisher, claim, out, &error)) {
        for (uint32_t i = 0; i < claim->pods.count; i++)
            unschedulable_add_min_values(plan, pass_pod(finisher->pass, claim->pods.items[i])->pod,
                                         error.data, claim->template->pool,
                                         finisher->explain != EXPLAIN_NOTHING);
        text_free(&error);
        return;
    }
    finish_requests(finisher, claim, out);
    finish_contents(finisher, claim, index, out);
    finish_annotations(finisher, claim, out);
    if (finisher->explain == EXPLAIN_FULL)
        out->types_over_limits = types_over_limits(finisher, claim);
    out->pods.items = sorted_pods(finisher, &claim->pods);
    out->pods.count = claim->pods.count;
    plan->pods_placed += claim->pods.count;
    plan->price = quantity_add(plan->price, out->price);
    add_costs(&plan->costs, &out->costs);
    plan->claims.count++;
}

// SCH-507.
static void count_costs(const struct problem *problem, struct plan *plan)
{
    struct node_costs costs = {0};
    int64_t node_cost = problem->catalog.node_cost;
    list_for_each (claim, &plan->claims)
        node_costs_add(&costs, quantity_subtract(plan_costs_sum(&claim->costs), node_cost));
    plan->node_cost = node_costs_sum(&costs, node_cost) - costs.price;
    plan->counted = node_costs_count(&costs, node_cost);
}

static int compare_placements(const void *a, const void *b)
{
    return strcmp(((const struct plan_placement *)a)->name,
                  ((const struct plan_placement *)b)->name);
}

static void finish_nodes(struct finisher *finisher)
{
    struct pass *pass = finisher->pass;
    struct plan *plan = finisher->plan;
    uint32_t count = pass->problem->nodes.count;
    plan->placements.items =
        arena_allocate_array(plan->arena, count + 1, sizeof *plan->placements.items);
    for (uint32_t i = 0; i < count; i++) {
        const struct state_node *state = &pass->problem->nodes.items[i];
        if (pass->slots[i].pods.count == 0)
            continue;
        struct plan_placement *out = &plan->placements.items[plan->placements.count++];
        *out = (struct plan_placement){state->name, state->node, state->claim, {0}};
        out->pods.items = sorted_pods(finisher, &pass->slots[i].pods);
        out->pods.count = pass->slots[i].pods.count;
        plan->pods_placed += out->pods.count;
    }
    qsort(plan->placements.items, plan->placements.count, sizeof *plan->placements.items,
          compare_placements);
}

static void finish_notes(struct finisher *finisher)
{
    const struct problem *problem = finisher->pass->problem;
    struct plan *plan = finisher->plan;
    plan->notes.items =
        arena_allocate_array(plan->arena, problem->notes.count + 1, sizeof *plan->notes.items);
    list_for_each (note, &problem->notes) {
        struct plan_note *out = &plan->notes.items[plan->notes.count++];
        *out = *note;
        out->message = arena_copy_string(plan->arena, note->message);
    }
}

void replacement_build(struct pass *pass, struct claim *claim, uint32_t priced, struct plan *plan,
                       struct plan_claim *out)
{
    struct finisher finisher = {.pass = pass, .plan = plan};
    const char *hashes[1] = {NULL};
    finisher.hashes = hashes - claim->template->index;
    *out = (struct plan_claim){.node_pool = claim->template->pool,
                               .min_values_relaxed = claim->min_values_relaxed};
    claim->final_set = claim->set;
    finish_types(&finisher, claim, priced, out);
    // FMT-11. Listed types that can no longer be launched (DIS-179) do not count.
    claim_types_price(pass->problem, claim, priced, &out->costs);
    out->price = out->costs.list;
    finish_requests(&finisher, claim, out);
    claim_object_requirements(pass->problem, claim->set, plan->arena, &out->requirements);
    claim_object_labels(pass->problem, claim->template, claim->set, plan->arena, &out->labels);
    finish_annotations(&finisher, claim, out);
    out->pods.items = sorted_pods(&finisher, &claim->pods);
    out->pods.count = claim->pods.count;
}

void plan_build(struct pass *pass, const struct plan_options *options, struct plan *plan)
{
    struct finisher finisher = {.pass = pass, .plan = plan, .explain = options->explain};
    finisher.sources =
        arena_allocate_array(pass->arena, pass->claims.count + 1, sizeof *finisher.sources);
    finisher.hashes = arena_allocate_array(pass->arena, pass->problem->templates.count + 1,
                                           sizeof *finisher.hashes);
    plan->claims.items =
        arena_allocate_array(plan->arena, pass->claims.count + 1, sizeof *plan->claims.items);
    plan->unschedulable.items = arena_allocate_array(plan->arena, pass->input.queue_count + 1,
                                                     sizeof *plan->unschedulable.items);
    plan->lower_bound = pass->lower_bound;
    vector_for_each (claim, &pass->claims)
        finish_claim(&finisher, *claim);
    count_costs(pass->problem, plan);
    finish_nodes(&finisher);
    if (options->explain_pod != NULL)
        explain_choice(pass, options->explain_pod, plan);
    concentration_warn(pass, plan);
    unschedulable_finish(pass, options->explain, plan);
    finish_notes(&finisher);
    memo_free(&finisher.contents);
    memo_free(&finisher.lists);
}
