#include "engine/templates/templates.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/quantity.h"
#include "engine/problem/host_ports.h"
#include "engine/problem/volume_limits.h"
#include "engine/templates/daemons.h"
#include "engine/templates/effective_price.h"
#include "engine/templates/instance_types.h"
#include "engine/templates/node_bounds.h"
#include "engine/templates/pool_types.h"
#include "engine/templates/type_table.h"
#include "model/schema/condition_types.h"

static int compare_pools(const void *a, const void *b)
{
    const struct node_pool *x = ((const struct pool_state *)a)->pool;
    const struct node_pool *y = ((const struct pool_state *)b)->pool;
    int64_t left = x->spec.weight.present ? x->spec.weight.value : 0;
    int64_t right = y->spec.weight.present ? y->spec.weight.value : 0;
    if (left != right)
        return left > right ? -1 : 1;
    return strcmp(y->meta.name, x->meta.name);
}

// SCH-40, FMT-5: a pool without a Ready condition counts as ready.
static bool pool_is_ready(const struct node_pool *pool)
{
    const struct condition *ready = condition_find(&pool->status.conditions, CONDITION_READY);
    return ready == NULL || text_equal(ready->status, "True");
}

static void collect_pools(struct problem *problem)
{
    uint32_t total = problem->snapshot->objects[KIND_NODE_POOL].count;
    problem->templates.pools =
        arena_allocate_array(problem->arena, total + 1, sizeof *problem->templates.pools);
    for (uint32_t i = 0; i < total; i++) {
        const struct node_pool *pool =
            (const struct node_pool *)problem->snapshot->objects[KIND_NODE_POOL].items[i];
        if (pool->spec.replicas.present || object_is_deleting((const struct object *)pool))
            continue;
        if (!pool_is_ready(pool)) {
            problem_log(problem, NOTE_ERROR, (const struct object *)pool,
                        "ignoring nodepool, not ready");
            continue;
        }
        problem->templates.pools[problem->templates.pools_count++].pool = pool;
    }
    qsort(problem->templates.pools, problem->templates.pools_count,
          sizeof *problem->templates.pools, compare_pools);
}

static uint32_t with_label(struct problem *problem, uint32_t set, const char *key,
                           const char *value)
{
    CLEANUP_ARENA struct arena *scratch = arena_create(256);
    struct requirement requirement =
        requirement_in(scratch, vocabulary_key(problem->vocabulary, key),
                       vocabulary_value(problem->vocabulary, value));
    return set_add(problem->sets, set, &requirement);
}

char *node_class_label(struct arena *arena, const struct node_class_reference *reference)
{
    char *label = arena_format(arena, "%s/%s", reference->group != NULL ? reference->group : "",
                               reference->kind);
    for (char *c = strrchr(label, '/'); *c != '\0'; c++)
        if (*c >= 'A' && *c <= 'Z')
            *c = (char)(*c - 'A' + 'a');
    return label;
}

void template_make_sets(struct problem *problem, struct node_template *template)
{
    const struct node_pool *pool = template->pool;
    uint32_t set = set_from_api(problem->sets, &pool->spec.template.spec.requirements);
    set = set_meet(problem->sets, set,
                   set_from_labels(problem->sets, &pool->spec.template.metadata.labels));
    template->own_set = set;
    set = with_label(problem, set, LABEL_NODE_POOL, pool->meta.name);
    const struct node_class_reference *reference = pool->spec.template.spec.node_class_ref;
    if (reference != NULL && reference->kind != NULL)
        set = with_label(problem, set, node_class_label(problem->arena, reference),
                         reference->name != NULL ? reference->name : "");
    set = with_label(problem, set, LABEL_REGISTERED, "true");
    template->set = with_label(problem, set, LABEL_INITIALIZED, "true");
    for (uint32_t i = 0; i < problem->sets->sets[template->set].count; i++)
        if (requirement_get(problem->sets, problem->sets->sets[template->set].requirements[i])
                ->min_values > 0)
            template->has_min_values = true;
}

static void set_limits(struct problem *problem, struct node_template *template)
{
    const struct resource_map *limits = &template->pool->spec.limits;
    template->has_limits = limits->count > 0;
    int64_t *vector = vector_create(problem);
    for (uint32_t d = 0; d < problem->dimensions.count; d++)
        vector[d] = INT64_MAX;
    vector_set_map(problem, vector, limits);
    template->limits = vector;
    template->has_node_limit = resource_map_has(limits, "nodes");
}

uint32_t count_values(struct problem *problem, const struct type_table *table, struct bitset rows,
                      uint32_t set, uint32_t key)
{
    assert(rows.bits <= table->count);
    CLEANUP_ARENA struct arena *scratch = arena_create(4096);
    struct bitset seen = bitset_create(scratch, symbols_count(problem->vocabulary->values));
    const struct requirement *allowed = set_get(problem->sets, set, key);
    uint32_t count = 0;
    bitset_for_each (r, rows) {
        const struct requirement *own = set_get(problem->sets, table->rows[r].set, key);
        for (uint32_t i = 0; own != NULL && !own->complement && i < own->count; i++) {
            uint32_t value = own->values[i];
            if (bitset_has(seen, value) ||
                (allowed != NULL && !requirement_has(problem->vocabulary, allowed, value)))
                continue;
            bitset_set(seen, value);
            count++;
        }
    }
    return count;
}

uint32_t unmet_min_values(struct problem *problem, const struct type_table *table,
                          struct bitset rows, uint32_t set, uint32_t *keys)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < problem->sets->sets[set].count; i++) {
        const struct requirement *requirement =
            requirement_get(problem->sets, problem->sets->sets[set].requirements[i]);
        if (requirement->min_values > 0 &&
            count_values(problem, table, rows, set, requirement->key) < requirement->min_values)
            keys[count++] = requirement->key;
    }
    for (uint32_t i = 1; i < count; i++) // insertion sort by text; there are few
        for (uint32_t j = i; j > 0 && strcmp(vocabulary_key_text(problem->vocabulary, keys[j - 1]),
                                             vocabulary_key_text(problem->vocabulary, keys[j])) > 0;
             j--) {
            uint32_t swap = keys[j];
            keys[j] = keys[j - 1];
            keys[j - 1] = swap;
        }
    assert(count <= problem->sets->sets[set].count);
    return count;
}

static bool row_has_negative(const struct problem *problem, const int64_t *amounts)
{
    for (uint32_t d = 0; d < problem->dimensions.count; d++)
        if (amounts[d] < 0)
            return true;
    return false;
}

// SCH-45. NULL, or why the pool has no types.
static const char *filter_rows(struct problem *problem, struct node_template *template)
{
    template->rows = bitset_create(problem->arena, template->table->count);
    bitset_copy(template->rows, type_table_filter(problem, template->table, template->set)->both);
    for (uint32_t r = 0; r < template->table->count; r++)
        if (bitset_has(template->rows, r) &&
            row_has_negative(problem, template->table->rows[r].allocatable))
            bitset_clear(template->rows, r);
    if (bitset_empty(template->rows))
        return "skipping, nodepool requirements filtered out all instance types";
    if (!template->has_min_values || problem->settings->min_values_best_effort)
        return NULL;
    uint32_t *keys = memory_allocate_array(problem->sets->sets[template->set].count, sizeof *keys);
    uint32_t unmet =
        unmet_min_values(problem, template->table, template->rows, template->set, keys);
    struct text text = {0};
    if (unmet > 0)
        text_add(&text, "skipping, nodepool requirements filtered out all instance types, "
                        "minValues requirement is not met for label(s) (label(s)=[");
    for (uint32_t i = 0; i < unmet; i++)
        text_format(&text, "%s%s", i > 0 ? " " : "",
                    vocabulary_key_text(problem->vocabulary, keys[i]));
    free(keys);
    if (unmet == 0)
        return NULL;
    text_add(&text, "])");
    return problem_copy(problem, &text);
}

// SCH-143: the daemon runs on a node of this row.
static bool daemon_counts(struct problem *problem, const struct daemon *daemon,
                          const struct node_template *template, const struct row *row)
{
    for (uint32_t i = 0; i < daemon->terms_count; i++)
        if (sets_compatible(problem->sets, template->set, daemon->full[i], true) &&
            sets_intersect(problem->sets, row->set, daemon->full[i]))
            return true;
    return false;
}

static struct overhead_group *group_with(struct problem *problem, struct node_template *template,
                                         struct bitset *signatures, struct bitset signature)
{
    for (uint32_t g = 0; g < template->groups_count; g++)
        if (memcmp(signatures[g].words, signature.words, bitset_words(signature.bits) * 8) == 0)
            return &template->groups[g];
    struct overhead_group *group = &template->groups[template->groups_count];
    group->rows = bitset_create(problem->arena, template->table->count);
    signatures[template->groups_count] = bitset_create(problem->arena, signature.bits);
    bitset_copy(signatures[template->groups_count++], signature);
    return group;
}

static void fill_group(struct problem *problem, struct overhead_group *group,
                       struct bitset signature, const struct daemon *daemons)
{
    int64_t *overhead = vector_create(problem);
    uint32_t ports = 0;
    bitset_for_each (d, signature)
        ports += daemons[d].ports.count;
    group->ports.items = arena_allocate_array(problem->arena, ports + 1, sizeof(struct host_port));
    bitset_for_each (d, signature) {
        vector_add(problem, overhead, daemons[d].requests);
        list_for_each (port, &daemons[d].ports)
            group->ports.items[group->ports.count++] = *port;
        group->any = true;
    }
    group->overhead = overhead;
}

// SCH-145. Rows are in the order of type names, and so are the groups.
static void group_by_overhead(struct problem *problem, struct node_template *template,
                              const struct daemon *daemons, uint32_t daemons_count)
{
    CLEANUP_ARENA struct arena *scratch = arena_create(4096);
    uint32_t *tolerated = arena_allocate_array(scratch, daemons_count + 1, sizeof *tolerated);
    struct bitset *signatures =
        arena_allocate_array(scratch, template->table->count + 1, sizeof *signatures);
    struct bitset signature = bitset_create(scratch, daemons_count);
    uint32_t most = 1, rows = bitset_count(template->rows);
    for (uint32_t d = 0; d < daemons_count; d++) {
        tolerated[d] = problem_tolerates(problem, daemons[d].tolerations, template->taints);
        most = d < 10 ? 2 * most : rows;
    }
    if (most > rows)
        most = rows;
    template->groups = arena_allocate_array(problem->arena, most + 1, sizeof *template->groups);
    bitset_for_each (r, template->rows) {
        memset(signature.words, 0, bitset_words(daemons_count) * 8);
        for (uint32_t d = 0; d < daemons_count; d++)
            if (tolerated[d] &&
                daemon_counts(problem, &daemons[d], template, &template->table->rows[r]))
                bitset_set(signature, d);
        uint32_t before = template->groups_count;
        struct overhead_group *group = group_with(problem, template, signatures, signature);
        if (template->groups_count > before)
            fill_group(problem, group, signature, daemons);
        bitset_set(group->rows, r);
        assert(template->groups_count <= most);
    }
}

static int compare_amounts(const void *a, const void *b, void *context)
{
    const int64_t *net = context;
    int64_t x = net[*(const uint32_t *)a], y = net[*(const uint32_t *)b];
    return (x > y) - (x < y);
}

static void make_threshold(struct problem *problem, const struct node_template *template,
                           int64_t *net, struct threshold *threshold)
{
    uint32_t rows = template->table->count, words = bitset_words(rows), count = 0, distinct = 0;
    uint32_t *order = memory_allocate_array(rows + 1, sizeof *order);
    bitset_for_each (r, template->nonnegative)
        order[count++] = r;
    qsort_r(order, count, sizeof *order, compare_amounts, net);
    for (uint32_t i = 0; i < count; i++)
        distinct += i == 0 || net[order[i]] != net[order[i - 1]];
    assert(distinct <= rows);
    threshold->count = distinct;
    threshold->amounts =
        arena_allocate_array(problem->arena, distinct + 1, sizeof *threshold->amounts);
    threshold->words =
        arena_allocate_array(problem->arena, (size_t)distinct * words + 1, sizeof(uint64_t));
    // From the largest amount down: each set adds the rows of its own amount to the set before.
    for (uint32_t i = count, at = distinct; i-- > 0;) {
        if (i + 1 == count || net[order[i]] != net[order[i + 1]]) {
            threshold->amounts[--at] = net[order[i]];
            assert(at + 1 == distinct || threshold->amounts[at] < threshold->amounts[at + 1]);
            if (at + 1 < distinct)
                memcpy(threshold->words + (size_t)at * words,
                       threshold->words + (size_t)(at + 1) * words, words * sizeof(uint64_t));
        }
        bitset_set((struct bitset){threshold->words + (size_t)at * words, rows}, order[i]);
    }
    free(order);
}

static void make_thresholds(struct problem *problem, struct node_template *template)
{
    uint32_t rows = template->table->count;
    template->thresholds = arena_allocate_array(problem->arena, problem->dimensions.count,
                                                sizeof *template->thresholds);
    template->nonnegative = bitset_create(problem->arena, rows);
    int64_t *net = memory_allocate_array((size_t)rows * problem->dimensions.count + 1, sizeof *net);
    for (uint32_t g = 0; g < template->groups_count; g++)
        bitset_for_each (r, template->groups[g].rows) {
            bool negative = false;
            for (uint32_t d = 0; d < problem->dimensions.count; d++) {
                int64_t amount = quantity_subtract(template->table->rows[r].allocatable[d],
                                                   template->groups[g].overhead[d]);
                net[(size_t)d * rows + r] = amount;
                negative = negative || amount < 0;
            }
            if (!negative)
                bitset_set(template->nonnegative, r);
        }
    for (uint32_t d = 0; d < problem->dimensions.count; d++)
        make_threshold(problem, template, net + (size_t)d * rows, &template->thresholds[d]);
    free(net);
}

bool template_fits(const struct problem *problem, const struct node_template *template,
                   const int64_t *requests, struct bitset out)
{
    assert(out.bits == template->table->count);
    uint32_t words = bitset_words(out.bits);
    bitset_copy(out, template->nonnegative);
    for (uint32_t d = 0; d < problem->dimensions.count; d++) {
        if (requests[d] <= 0)
            continue;
        const struct threshold *threshold = &template->thresholds[d];
        uint32_t low = 0, high = threshold->count;
        while (low < high) {
            uint32_t middle = (low + high) / 2;
            if (threshold->amounts[middle] < requests[d])
                low = middle + 1;
            else
                high = middle;
        }
        if (low == threshold->count) {
            memset(out.words, 0, words * 8);
            return false;
        }
        const uint64_t *allowed = threshold->words + (size_t)low * words;
        for (uint32_t w = 0; w < words; w++)
            out.words[w] &= allowed[w];
    }
    return true;
}

// Of the rows' machines with the DaemonSets on them.
static void find_bursts(struct problem *problem, struct node_template *template)
{
    const struct price_terms *terms = &problem->catalog.prices;
    template->bursts = NULL;
    for (uint32_t g = 0; g < template->groups_count; g++)
        bitset_for_each (r, template->groups[g].rows) {
            const struct row_burst burst = price_burst(terms, template->table->rows[r].type,
                                                       template->groups[g].overhead[DIMENSION_CPU]);
            if (burst.rate > 0 && template->bursts == NULL)
                template->bursts = arena_allocate_array(problem->arena, template->table->count,
                                                        sizeof *template->bursts);
            if (burst.rate > 0)
                template->bursts[r] = burst;
        }
}

struct node_template *template_vary(struct problem *problem, const struct node_template *changed)
{
    uint32_t daemons_count;
    struct node_template *variant = arena_allocate(problem->arena, sizeof *variant);
    *variant = *changed;
    variant->domain_sets = variant->holding = (struct memo){.capacity = 0};
    variant->groups_count = 0;
    if (filter_rows(problem, variant) != NULL)
        return NULL;
    node_bounds_drop_rows(variant);
    if (bitset_empty(variant->rows))
        return NULL;
    const struct daemon *daemons = daemons_compile(problem, &daemons_count);
    group_by_overhead(problem, variant, daemons, daemons_count);
    make_thresholds(problem, variant);
    find_bursts(problem, variant);
    volumes_limit_rows(problem, variant);
    return variant;
}

void template_forget(struct node_template *variant)
{
    memo_free(&variant->domain_sets);
    memo_free(&variant->holding);
}

static void build_one(struct problem *problem, struct pool_state *state,
                      const struct daemon *daemons, uint32_t daemons_count)
{
    struct node_template *template = arena_allocate(problem->arena, sizeof *template);
    template->pool = state->pool;
    template->weight = state->pool->spec.weight.present ? state->pool->spec.weight.value : 0;
    template->taints = problem_intern_taints(problem, &state->pool->spec.template.spec.taints);
    list_for_each (taint, &state->pool->spec.template.spec.taints)
        if (text_equal(taint->effect, "PreferNoSchedule"))
            problem->templates.any_prefer_no_schedule = true;
    template->table = instance_types_for_pool(problem, state->pool);
    if (template->table == NULL) {
        state->message = "skipping, no resolved instance types found";
        state->reason = REASON_NO_OFFERING;
        problem_log(problem, NOTE_INFO, (const struct object *)state->pool, state->message);
        return;
    }
    template_make_sets(problem, template);
    set_limits(problem, template);
    node_bounds_read(problem, template);
    state->message = filter_rows(problem, template);
    if (state->message != NULL) {
        state->reason =
            bitset_empty(template->rows) ? REASON_REQUIREMENT_MISMATCH : REASON_MIN_VALUES;
        state->emptied = bitset_empty(template->rows) ? template : NULL;
        problem_log(problem, NOTE_INFO, (const struct object *)state->pool, state->message);
        problem_event(problem, EVENT_NO_COMPATIBLE_INSTANCE_TYPES,
                      (const struct object *)state->pool,
                      "NodePool requirements filtered out all compatible available instance types");
        return;
    }
    node_bounds_drop_rows(template);
    if (bitset_empty(template->rows)) {
        state->message = "no instance type has as little cpu as annotation "
                         "adze.dev/max-cpu-per-node allows";
        state->reason = REASON_INSUFFICIENT_RESOURCES;
        problem_log(problem, NOTE_INFO, (const struct object *)state->pool, state->message);
        return;
    }
    group_by_overhead(problem, template, daemons, daemons_count);
    make_thresholds(problem, template);
    find_bursts(problem, template);
    volumes_limit_rows(problem, template);
    assert(problem->templates.count < problem->templates.pools_count);
    assert(!bitset_empty(template->rows));
    template->index = problem->templates.count;
    problem->templates.items[problem->templates.count++] = template;
    state->template = template;
}

void templates_build(struct problem *problem)
{
    assert(problem->templates.items == NULL);
    uint32_t daemons_count;
    const struct daemon *daemons = daemons_compile(problem, &daemons_count);
    collect_pools(problem);
    problem->templates.items = arena_allocate_array(
        problem->arena, problem->templates.pools_count + 1, sizeof *problem->templates.items);
    for (uint32_t i = 0; i < problem->templates.pools_count; i++)
        build_one(problem, &problem->templates.pools[i], daemons, daemons_count);
}
