#include "engine/placement/limits.h"

#include <assert.h>
#include <string.h>

#include "base/quantity.h"
#include "engine/pass/pass_state.h"
#include "engine/pass/refusal.h"
#include "engine/placement/claim_price.h"
#include "engine/templates/type_table.h"
#include "engine/topology/topology.h"

// Charges one node to its pool's limits, or credits it.
static void count_place(const struct problem *problem, int64_t **remaining, uint32_t index,
                        bool gives_back)
{
    assert(index < problem->nodes.count);
    const struct schedulable_node *node = &problem->schedulable_nodes[index];
    if (node->pool == NONE || remaining[node->pool] == NULL)
        return;
    assert(node->pool < problem->templates.count);
    int64_t *left = remaining[node->pool];
    for (uint32_t d = 0; d < problem->dimensions.count; d++)
        if (problem->templates.items[node->pool]->limits[d] != INT64_MAX)
            left[d] = gives_back ? quantity_add(left[d], node->capacity[d])
                                 : quantity_subtract(left[d], node->capacity[d]);
}

int64_t **limits_remaining(const struct problem *problem, struct arena *arena)
{
    int64_t **remaining =
        arena_allocate_array(arena, problem->templates.count + 1, sizeof *remaining);
    bool any = false;
    for (uint32_t t = 0; t < problem->templates.count; t++) {
        if (!problem->templates.items[t]->has_limits)
            continue;
        any = true;
        remaining[t] = arena_allocate_array(arena, problem->dimensions.count, sizeof(int64_t));
        memcpy(remaining[t], problem->templates.items[t]->limits,
               problem->dimensions.count * sizeof(int64_t));
    }
    for (uint32_t i = 0; any && i < problem->nodes.count; i++)
        if (!problem->nodes.items[i].marked_for_deletion)
            count_place(problem, remaining, i, false);
    return remaining;
}

static int64_t **copy_remaining(const struct problem *problem, struct arena *arena,
                                int64_t *const *remaining)
{
    int64_t **copy = arena_allocate_array(arena, problem->templates.count + 1, sizeof *copy);
    for (uint32_t t = 0; t < problem->templates.count; t++) {
        if (remaining[t] == NULL)
            continue;
        copy[t] = arena_allocate_array(arena, problem->dimensions.count, sizeof(int64_t));
        memcpy(copy[t], remaining[t], problem->dimensions.count * sizeof(int64_t));
    }
    return copy;
}

void limits_start(struct pass *pass)
{
    const struct problem *problem = pass->problem;
    const struct pass_input *input = &pass->input;
    pass->remaining = input->shared != NULL
                          ? copy_remaining(problem, pass->arena, input->shared->remaining)
                          : limits_remaining(problem, pass->arena);
    for (uint32_t i = 0; i < input->excluded_count; i++)
        if (!problem->nodes.items[input->excluded[i]].marked_for_deletion)
            count_place(problem, pass->remaining, input->excluded[i], true);
}

static int64_t capacity_of(const struct node_template *template, uint32_t row, uint32_t dimension)
{
    return dimension == DIMENSION_NODES ? 1 : template->table->rows[row].capacity[dimension];
}

// Clears rows with more capacity than `remaining` plus `taken` (NULL: nothing).
static bool drop_larger(const struct problem *problem, const struct node_template *template,
                        const int64_t *remaining, const int64_t *taken, struct bitset rows)
{
    assert(rows.bits == template->table->count);
    bool dropped = false;
    for (uint32_t d = 0; d < problem->dimensions.count; d++) {
        if (template->limits[d] == INT64_MAX)
            continue;
        int64_t most = taken != NULL ? quantity_add(remaining[d], taken[d]) : remaining[d];
        bitset_for_each (r, rows)
            if (template->table->rows[r].capacity[d] > most) {
                bitset_clear(rows, r);
                dropped = true;
            }
    }
    return dropped;
}

bool limits_allow_new(struct pass *pass, const struct node_template *template, struct bitset rows)
{
    assert(rows.bits == template->table->count);
    assert(template->index < pass->problem->templates.count);
    bitset_copy(rows, template->rows);
    const int64_t *remaining = pass->remaining[template->index];
    if (remaining == NULL)
        return true;
    bool exhausted = template->has_node_limit && remaining[DIMENSION_NODES] <= 0;
    if (exhausted || drop_larger(pass->problem, template, remaining, NULL, rows))
        pass->last.limited = true;
    if (!exhausted && !bitset_empty(rows))
        return true;
    if (refusal_begin(pass, REASON_LIMIT_EXCEEDED) != NULL)
        text_format(pass->refusal.why,
                    exhausted ? "node limits have been exhausted for nodepool (NodePool=%s)"
                              : "all available instance types exceed limits for nodepool "
                                "(NodePool=%s)",
                    template->pool->meta.name);
    return false;
}

bool limits_allow_more(struct pass *pass, const struct claim *claim, struct bitset rows)
{
    const struct node_template *template = claim->template;
    const int64_t *remaining = pass->remaining[template->index];
    if (remaining == NULL || claim->taken == NULL)
        return true;
    if (!drop_larger(pass->problem, template, remaining, claim->taken, rows))
        return true;
    pass->last.limited = true;
    if (!bitset_empty(rows))
        return true;
    if (refusal_begin(pass, REASON_LIMIT_EXCEEDED) != NULL)
        text_format(pass->refusal.why,
                    "all available instance types exceed limits for nodepool (NodePool=%s)",
                    template->pool->meta.name);
    return false;
}

// --- limits of a claim ---------------------------------------------------------------------------

// The maximum capacity of the rows, by dimension.
static void largest_of(const struct problem *problem, const struct node_template *template,
                       struct bitset rows, int64_t *taken)
{
    for (uint32_t d = 0; d < problem->dimensions.count; d++) {
        taken[d] = d == DIMENSION_NODES ? 1 : 0;
        bitset_for_each (r, rows)
            if (capacity_of(template, r, d) > taken[d])
                taken[d] = capacity_of(template, r, d);
    }
}

// Compares rows by their largest share of a limit.
static bool is_smaller(const struct problem *problem, const struct node_template *template,
                       uint32_t row, uint32_t than)
{
    double most = 0, most_of_other = 0;
    for (uint32_t d = 0; d < problem->dimensions.count; d++) {
        if (template->limits[d] == INT64_MAX || template->limits[d] <= 0)
            continue;
        double share = (double)capacity_of(template, row, d) / (double)template->limits[d];
        double other = (double)capacity_of(template, than, d) / (double)template->limits[d];
        most = share > most ? share : most;
        most_of_other = other > most_of_other ? other : most_of_other;
    }
    return most < most_of_other;
}

// SCH-519: the capacity of the claim's cheapest machine; the maximum over all its machines if
// minValues or reservations restrict the choice.
static void least_of(struct pass *pass, const struct claim *claim, int64_t *taken)
{
    const struct node_template *template = claim->template;
    if (template->has_min_values || !bitset_empty(claim->reservations)) {
        largest_of(pass->problem, template, claim->rows, taken);
        return;
    }
    const struct row_filter *prices =
        type_table_prices(pass->problem, claim->template->table, claim->set);
    uint32_t least = claim_cheapest_row(pass->problem, claim);
    for (uint32_t i = 0; pass->input.retry.smallest_under_limits && i < template->table->count; i++)
        if (bitset_has(claim->rows, prices->by_price[i]) &&
            is_smaller(pass->problem, template, prices->by_price[i], least))
            least = prices->by_price[i];
    assert(bitset_has(claim->rows, least));
    for (uint32_t d = 0; d < pass->problem->dimensions.count; d++)
        taken[d] = capacity_of(template, least, d);
}

void limits_take(struct pass *pass, struct claim *claim)
{
    const struct problem *problem = pass->problem;
    int64_t *remaining = pass->remaining[claim->template->index];
    bool first = claim->taken == NULL;
    if (remaining == NULL || (!first && !problem->strategy->reserves_least_limits))
        return;
    if (first)
        claim->taken =
            arena_allocate_array(pass->arena, problem->dimensions.count, sizeof *claim->taken);
    for (uint32_t d = 0; d < problem->dimensions.count && !first; d++)
        if (claim->template->limits[d] != INT64_MAX)
            remaining[d] = quantity_add(remaining[d], claim->taken[d]);
    if (problem->strategy->reserves_least_limits)
        least_of(pass, claim, claim->taken);
    else
        largest_of(problem, claim->template, claim->rows, claim->taken); // SCH-362
    for (uint32_t d = 0; d < problem->dimensions.count; d++)
        if (claim->template->limits[d] != INT64_MAX)
            remaining[d] = quantity_subtract(remaining[d], claim->taken[d]);
}

// --- the end of a pass ---------------------------------------------------------------------------

// Limits the claim to an equal share of `left`; the unused part stays in `left`.
static void settle_claim(struct pass *pass, struct claim *claim, int64_t *left, uint32_t claims,
                         int64_t *share)
{
    assert(claims > 0);
    assert(claim->taken != NULL);
    const struct problem *problem = pass->problem;
    const struct node_template *template = claim->template;
    for (uint32_t d = 0; d < problem->dimensions.count; d++)
        share[d] = left[d] > 0 ? left[d] / claims : 0;
    drop_larger(problem, template, share, claim->taken, claim->rows);
    largest_of(problem, template, claim->rows, share);
    for (uint32_t d = 0; d < problem->dimensions.count; d++)
        if (share[d] > claim->taken[d])
            left[d] = quantity_subtract(left[d], share[d] - claim->taken[d]);
}

void limits_settle(struct pass *pass)
{
    const struct problem *problem = pass->problem;
    if (!problem->strategy->reserves_least_limits)
        return;
    int64_t *left = arena_allocate_array(pass->arena, problem->dimensions.count, sizeof *left);
    int64_t *share = arena_allocate_array(pass->arena, problem->dimensions.count, sizeof *share);
    for (uint32_t t = 0; t < problem->templates.count; t++) {
        if (pass->remaining[t] == NULL)
            continue;
        uint32_t claims = 0;
        vector_for_each (claim, &pass->claims)
            claims += (*claim)->template->index == t;
        memcpy(left, pass->remaining[t], problem->dimensions.count * sizeof *left);
        vector_for_each (claim, &pass->claims)
            if ((*claim)->template->index == t)
                settle_claim(pass, *claim, left, claims--, share);
    }
}
