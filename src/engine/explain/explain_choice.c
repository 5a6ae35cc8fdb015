#include "engine/explain/explain_choice.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/quantity.h"
#include "base/text.h"
#include "engine/explain/explain.h"
#include "engine/explain/explain_miss.h"
#include "engine/pass/pass_state.h"
#include "engine/placement/new_claim.h"
#include "engine/placement/node_check.h"
#include "engine/placement/place_claim.h"
#include "engine/placement/place_node.h"
#include "engine/templates/templates.h"
#include "engine/templates/type_table.h"
#include "engine/topology/topology.h"

#define WHY_MAX          12
#define ALTERNATIVES_MAX 5

struct chooser {
    struct pass *pass;
    struct arena *arena; // the plan's
    const struct placement *placement;
    struct plan_choice *choice;
    struct plan_explanation *explanation;
    VECTOR(struct plan_alternative) found;
};

static void add_why(struct chooser *chooser, struct text *text)
{
    struct string_list *why = &chooser->choice->why;
    if (why->count < WHY_MAX)
        why->items[why->count++] = arena_copy_string(chooser->arena, text->data);
    text_free(text);
}

// --- a place on an existing node -----------------------------------------------------------------

static void explain_room(struct chooser *chooser)
{
    struct problem *problem = chooser->pass->problem;
    const struct node_slot *slot = &chooser->pass->slots[chooser->placement->index];
    const struct shape *shape = shape_of(problem, class_at(problem, chooser->placement->class));
    struct text text = {0};
    text_format(&text, "%s is there already and has room: nothing more has to be paid",
                problem->nodes.items[chooser->placement->index].name);
    const char *separator = "; with this plan it has left ";
    for (uint32_t i = 0; i < shape->dimensions_count; i++) {
        if (shape->dimensions[i] > DIMENSION_MEMORY)
            continue;
        text_add(&text, separator);
        explain_add_amount(&text, problem, shape->dimensions[i], slot->free[shape->dimensions[i]]);
        separator = ", ";
    }
    add_why(chooser, &text);
}

static void try_nodes(struct chooser *chooser)
{
    struct pass *pass = chooser->pass;
    uint32_t more = 0;
    for (uint32_t i = 0; i < pass->problem->nodes.count; i++) {
        bool own = chooser->placement->kind == ON_NODE && chooser->placement->index == i;
        if (own || !pass->slots[i].usable ||
            node_check(pass, i, chooser->placement->class) != ACCEPTED)
            continue;
        if (more++ < ALTERNATIVES_MAX) {
            const char *what =
                arena_format(chooser->arena, "node %s", pass->problem->nodes.items[i].name);
            vector_push(&chooser->found, (struct plan_alternative){what, 0});
        }
    }
    if (more == 0)
        return;
    struct text text = {0};
    text_format(&text, "%" PRIu32 " other existing node%s would take it as well", more,
                text_plural(more));
    add_why(chooser, &text);
}

// --- a new node ----------------------------------------------------------------------------------

// The claim's price without the pod's requests; 0 if the pod is alone.
static int64_t price_without(struct chooser *chooser, const struct claim *claim)
{
    struct problem *problem = chooser->pass->problem;
    const struct shape *shape = shape_of(problem, class_at(problem, chooser->placement->class));
    CLEANUP_ARENA struct arena *scratch = arena_create(1024);
    if (claim->pods.count <= 1)
        return 0;
    struct bitset rows = bitset_create(scratch, claim->template->table->count);
    int64_t *requests = arena_allocate_array(scratch, problem->dimensions.count, sizeof *requests);
    for (uint32_t d = 0; d < problem->dimensions.count; d++)
        requests[d] = quantity_subtract(claim->requests[d], shape->requests[d]);
    template_fits(problem, claim->template, requests, rows);
    bitset_and(rows, claim->template->rows);
    bitset_and(rows, type_table_filter(problem, claim->template->table, claim->final_set)->both);
    int64_t price = chooser->choice->claim->price;
    int64_t without = price;
    explain_cheapest(problem, claim->template, claim->final_set, rows, &without);
    return without < price ? without : price;
}

static void explain_claim(struct chooser *chooser, const struct claim *claim)
{
    struct plan_choice *choice = chooser->choice;
    const struct plan_claim *planned = choice->claim;
    struct text text = {0};
    choice->extra_price = planned->price - price_without(chooser, claim);
    text_format(&text, "no existing node takes it: %s", chooser->explanation->nodes_summary);
    if (chooser->pass->problem->nodes.count == 0) {
        text_clear(&text);
        text_add(&text, "there are no existing nodes");
    }
    add_why(chooser, &text);
    text_format(&text, "NodePool %s launches a node for it", planned->node_pool->meta.name);
    if (planned->pods.count > 1)
        text_format(&text, " and %" PRIu32 " other pod%s", planned->pods.count - 1,
                    text_plural(planned->pods.count - 1));
    if (planned->types.count > 0)
        text_format(&text, ": %s for $%.4f an hour is the cheapest of %" PRIu32 " type%s",
                    planned->types.items[0].instance_type->name, price_to_double(planned->price),
                    planned->types.count, text_plural(planned->types.count));
    if (planned->types.count > 1)
        text_format(&text, ", then %s for $%.4f", planned->types.items[1].instance_type->name,
                    price_to_double(planned->types.items[1].price));
    add_why(chooser, &text);
    if (planned->min_values_relaxed) {
        text_add(&text, "minValues of the NodePool could not be kept and were lowered");
        add_why(chooser, &text);
    }
}

// Explains why pools before the chosen one refused.
static void explain_earlier_pools(struct chooser *chooser, const struct node_template *chosen)
{
    struct pass *pass = chooser->pass;
    for (uint32_t t = 0; t < chosen->index; t++) {
        const struct node_template *template = pass->problem->templates.items[t];
        const char *type;
        int64_t price;
        if (explain_try_template(pass, template, chooser->placement->class, false, &type, &price))
            continue;
        CLEANUP_ARENA struct arena *scratch = arena_create(16384);
        struct funnel funnel;
        funnel_run(pass, template, chooser->placement->class, scratch, &funnel);
        bool taints = !problem_tolerates(
            pass->problem,
            shape_of(pass->problem, class_at(pass->problem, chooser->placement->class))
                ->tolerations,
            template->taints);
        struct text text = {0};
        text_format(&text, "NodePool %s comes first but refuses it: %s", template->pool->meta.name,
                    reason_code_name(taints ? REASON_TAINT_NOT_TOLERATED : funnel.code));
        add_why(chooser, &text);
    }
}

static void try_claims(struct chooser *chooser)
{
    struct pass *pass = chooser->pass;
    for (uint32_t i = 0; i < pass->claims.count; i++) {
        const struct claim *claim = pass->claims.items[i];
        bool own = chooser->placement->kind == ON_CLAIM && chooser->placement->index == i;
        if (own || claim_check(pass, claim, chooser->placement->class, false,
                               &pass->scratch.attempt) != ACCEPTED)
            continue;
        int64_t before, after;
        const struct row *row =
            explain_cheapest(pass->problem, claim->template, pass->scratch.attempt.set,
                             pass->scratch.attempt.rows, &after);
        if (row == NULL || explain_cheapest(pass->problem, claim->template, claim->final_set,
                                            claim->rows, &before) == NULL)
            continue;
        const char *what = arena_format(chooser->arena,
                                        "the new node of NodePool %s with %" PRIu32 " pod%s, as %s",
                                        claim->template->pool->meta.name, claim->pods.count,
                                        text_plural(claim->pods.count), row->type->name);
        vector_push(&chooser->found,
                    (struct plan_alternative){what, after > before ? after - before : 0});
    }
}

static void try_templates(struct chooser *chooser)
{
    struct pass *pass = chooser->pass;
    const struct claim *own =
        chooser->placement->kind == ON_CLAIM ? pass->claims.items[chooser->placement->index] : NULL;
    for (uint32_t t = 0; t < pass->problem->templates.count; t++) {
        const struct node_template *template = pass->problem->templates.items[t];
        const char *type;
        int64_t price;
        if (own != NULL && own->template == template && own->pods.count == 1)
            continue; // the chosen place itself
        if (!explain_try_template(pass, template, chooser->placement->class, false, &type, &price))
            continue;
        const char *what = arena_format(chooser->arena, "a new node of NodePool %s, %s",
                                        template->pool->meta.name, type);
        vector_push(&chooser->found, (struct plan_alternative){what, price});
    }
}

// Tries the cheapest other type of the pod's own node.
static void try_types(struct chooser *chooser)
{
    const struct plan_claim *planned = chooser->choice->claim;
    if (planned == NULL || planned->types.count < 2)
        return;
    const char *what = arena_format(chooser->arena, "the same node as %s",
                                    planned->types.items[1].instance_type->name);
    vector_push(&chooser->found, (struct plan_alternative){what, chooser->choice->extra_price +
                                                                     planned->types.items[1].price -
                                                                     planned->price});
}

// --- together ------------------------------------------------------------------------------------

static int compare_alternatives(const void *a, const void *b)
{
    const struct plan_alternative *x = a, *y = b;
    return x->extra_price != y->extra_price ? (x->extra_price < y->extra_price ? -1 : 1)
                                            : strcmp(x->what, y->what);
}

static void take_alternatives(struct chooser *chooser)
{
    struct plan_choice *choice = chooser->choice;
    uint32_t kept = 0;
    if (chooser->found.count > 0)
        qsort(chooser->found.items, chooser->found.count, sizeof *chooser->found.items,
              compare_alternatives);
    choice->alternatives.items =
        arena_allocate_array(chooser->arena, ALTERNATIVES_MAX, sizeof *choice->alternatives.items);
    for (uint32_t i = 0; i < chooser->found.count && kept < ALTERNATIVES_MAX; i++)
        if (i == 0 ||
            compare_alternatives(&chooser->found.items[i - 1], &chooser->found.items[i]) != 0)
            choice->alternatives.items[kept++] = chooser->found.items[i];
    choice->alternatives.count = kept;
    vector_free(&chooser->found);
}

static bool is_named(const struct pod *pod, const char *name)
{
    size_t length = strlen(pod->meta.namespace);
    return strncmp(name, pod->meta.namespace, length) == 0 && name[length] == '/' &&
           strcmp(name + length + 1, pod->meta.name) == 0;
}

static bool find_place_in_plan(struct plan *plan, struct plan_choice *choice)
{
    list_for_each (claim, &plan->claims)
        list_for_each (pod, &claim->pods)
            if (*pod == choice->pod)
                choice->claim = claim;
    list_for_each (placement, &plan->placements)
        list_for_each (pod, &placement->pods)
            if (*pod == choice->pod)
                choice->placement = placement;
    return choice->claim != NULL || choice->placement != NULL;
}

static void choose(struct pass *pass, uint32_t index, struct plan *plan, struct plan_choice *choice)
{
    struct chooser chooser = {.pass = pass,
                              .arena = plan->arena,
                              .placement = &pass->placements[index],
                              .choice = choice};
    uint32_t refused[REASON_COUNT] = {0}, class = chooser.placement->class;
    chooser.explanation = arena_allocate(plan->arena, sizeof *chooser.explanation);
    chooser.explanation->pod = choice->pod;
    choice->explanation = chooser.explanation;
    choice->why.items = arena_allocate_array(plan->arena, WHY_MAX, sizeof *choice->why.items);
    pass->current.mode = PLACE_EXPLAIN;
    place_on_new_claim(pass, index, class); // creates the hostname of the next new node
    explain_nodes(pass, class, plan->arena, refused, chooser.explanation);
    explain_given_up(pass, pass_pod(pass, index)->class, class, plan->arena, chooser.explanation);
    if (chooser.placement->kind == ON_NODE) {
        explain_room(&chooser);
    } else {
        const struct claim *claim = pass->claims.items[chooser.placement->index];
        explain_claim(&chooser, claim);
        explain_earlier_pools(&chooser, claim->template);
    }
    try_nodes(&chooser);
    try_types(&chooser);
    try_claims(&chooser);
    try_templates(&chooser);
    take_alternatives(&chooser);
    pass->current.mode = PLACE;
}

void explain_choice(struct pass *pass, const char *pod, struct plan *plan)
{
    for (uint32_t i = 0; i < pass->input.queue_count; i++) {
        if (pass->placements[i].kind == NOT_PLACED || !is_named(pass_pod(pass, i)->pod, pod))
            continue;
        struct plan_choice *choice = arena_allocate(plan->arena, sizeof *choice);
        choice->pod = pass_pod(pass, i)->pod;
        if (!find_place_in_plan(plan, choice))
            return;
        choose(pass, i, plan, choice);
        plan->choice = choice;
        return;
    }
}
