#include "engine/explain/culprits.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/quantity.h"
#include "engine/explain/explain_miss.h"
#include "engine/templates/templates.h"
#include "engine/templates/type_table.h"
#include "model/schema/karpenter.h"
#include "model/tables/well_known.h"

#define VALUES_SHOWN   5
#define NEAR_MAX       3
#define CANDIDATES_MAX 4000 // values of one key to search for a near one

struct search {
    struct problem *problem;
    struct type_table *table;
    struct arena *scratch;
    struct bitset wanted, left;
    uint32_t *requirements; // those to blame, once found
    uint32_t count;
};

// --- the search ----------------------------------------------------------------------------------

static void search_begin(struct search *search, struct problem *problem, struct type_table *table,
                         struct arena *scratch)
{
    *search = (struct search){.problem = problem, .table = table, .scratch = scratch};
    search->wanted = bitset_create(scratch, table->count);
    search->left = bitset_create(scratch, table->count);
    bitset_copy(search->wanted, type_table_filter(problem, table, SET_EMPTY)->both);
}

// Suspects are the set's requirements, without the hostname.
static void suspect(struct search *search, uint32_t set)
{
    struct requirement_sets *sets = search->problem->sets;
    uint32_t hostname = vocabulary_find_key(sets->vocabulary, LABEL_HOSTNAME);
    search->count = 0;
    search->requirements =
        arena_allocate_array(search->scratch, sets->sets[set].count + 1, sizeof(uint32_t));
    for (uint32_t i = 0; i < sets->sets[set].count; i++) {
        uint32_t requirement = sets->sets[set].requirements[i];
        if (requirement_get(sets, requirement)->key != hostname)
            search->requirements[search->count++] = requirement;
    }
}

static bool leaves_none(struct search *search, uint32_t set)
{
    bitset_copy(search->left, search->wanted);
    bitset_and(search->left, type_table_filter(search->problem, search->table, set)->both);
    return bitset_empty(search->left);
}

// `except`: the place of a requirement that is left out, or NONE.
static uint32_t set_of(const struct search *search, uint32_t except)
{
    uint32_t set = SET_EMPTY;
    for (uint32_t i = 0; i < search->count; i++)
        if (i != except)
            set = set_add_known(search->problem->sets, set, search->requirements[i]);
    return set;
}

// One that leaves out every wanted type alone; else those without which some would be left.
static bool find_culprits(struct search *search)
{
    if (bitset_empty(search->wanted))
        return false;
    for (uint32_t i = 0; i < search->count; i++)
        if (leaves_none(search,
                        set_add_known(search->problem->sets, SET_EMPTY, search->requirements[i]))) {
            search->requirements[0] = search->requirements[i];
            search->count = 1;
            return true;
        }
    if (!leaves_none(search, set_of(search, NONE)))
        return false;
    for (uint32_t i = 0; i < search->count;) {
        if (!leaves_none(search, set_of(search, i))) {
            i++;
            continue;
        }
        search->count--;
        memmove(search->requirements + i, search->requirements + i + 1,
                (search->count - i) * sizeof *search->requirements);
    }
    assert(search->count > 1);
    return true;
}

// --- texts ---------------------------------------------------------------------------------------

static bool is_key(const struct problem *problem, const struct requirement *requirement,
                   const char *key)
{
    return strcmp(vocabulary_key_text(problem->vocabulary, requirement->key), key) == 0;
}

static void add_list(struct text *text, const struct problem *problem,
                     const struct requirement *requirement)
{
    const struct vocabulary *vocabulary = problem->vocabulary;
    uint32_t *values = memory_allocate_array(requirement->count + 1, sizeof *values);
    memcpy(values, requirement->values, requirement->count * sizeof *values);
    vocabulary_sort_values(vocabulary, values, requirement->count);
    for (uint32_t i = 0; i < requirement->count && i < VALUES_SHOWN; i++)
        text_format(text, "%s%s", i > 0 ? ", " : "", vocabulary_value_text(vocabulary, values[i]));
    if (requirement->count > VALUES_SHOWN)
        text_format(text, " and %" PRIu32 " others", requirement->count - VALUES_SHOWN);
    free(values);
}

void requirement_add_short(struct text *text, const struct problem *problem,
                           const struct requirement *requirement)
{
    const struct vocabulary *vocabulary = problem->vocabulary;
    struct text whole = {0};
    requirement_add_text(&whole, vocabulary, requirement);
    const char *from = whole.data, *slash = strchr(from, '/');
    if (slash != NULL && vocabulary_is_well_known(vocabulary, requirement->key))
        from = slash + 1;
    size_t length = requirement->count > 0 ? strcspn(from, "[") : strlen(from);
    text_add_bytes(text, from, length);
    if (requirement->count > 0) {
        text_add(text, "[");
        add_list(text, problem, requirement);
        text_add(text, "]");
    }
    text_free(&whole);
}

// The region of the table's types, if they have one in common.
static const char *region_of(const struct search *search)
{
    const struct problem *problem = search->problem;
    uint32_t key = vocabulary_find_key(problem->vocabulary, LABEL_REGION), value = NONE;
    for (uint32_t r = 0; r < search->table->count && key != SYMBOL_NONE; r++) {
        const struct requirement *own = set_get(problem->sets, search->table->rows[r].set, key);
        if (own == NULL || own->complement || own->count != 1 ||
            (value != NONE && value != own->values[0]))
            return NULL;
        value = own->values[0];
    }
    return value != NONE ? vocabulary_value_text(problem->vocabulary, value) : NULL;
}

static void add_region(struct text *text, const struct search *search)
{
    const char *region = region_of(search);
    if (region != NULL)
        text_format(text, " of region %s", region);
}

static void take_values(const struct search *search, const struct requirement *own,
                        struct bitset seen, const char **out, uint32_t *count)
{
    for (uint32_t i = 0; own != NULL && !own->complement && i < own->count; i++)
        if (!bitset_has(seen, own->values[i]) && *count < CANDIDATES_MAX) {
            bitset_set(seen, own->values[i]);
            out[(*count)++] = vocabulary_value_text(search->problem->vocabulary, own->values[i]);
        }
}

// "; did you mean m5.large?", by the values that types have, if none has the only one asked for.
static void add_nearest(struct text *text, struct search *search,
                        const struct requirement *requirement)
{
    struct problem *problem = search->problem;
    if (requirement_operator(requirement) != OPERATOR_IN || requirement->count != 1)
        return;
    uint32_t asked = requirement->values[0], key = requirement->key, count = 0;
    const char *matches[NEAR_MAX],
        **values = arena_allocate_array(search->scratch, CANDIDATES_MAX, sizeof *values);
    struct bitset seen = bitset_create(search->scratch, symbols_count(problem->vocabulary->values));
    for (uint32_t r = 0; r < search->table->count; r++) {
        const struct row *row = &search->table->rows[r];
        take_values(search, set_get(problem->sets, row->set, key), seen, values, &count);
        list_for_each (offering, &row->offerings)
            take_values(search, set_get(problem->sets, offering->set, key), seen, values, &count);
    }
    size_t near = bitset_has(seen, asked)
                      ? 0
                      : text_nearest(vocabulary_value_text(problem->vocabulary, asked), values,
                                     count, matches, NEAR_MAX);
    for (size_t i = 0; i < near; i++)
        text_format(text, "%s%s%s", i == 0 ? "; did you mean " : " or ", matches[i],
                    i + 1 == near ? "?" : "");
}

// A requirement on offerings: "zone eu-west-1a is in no offering".
static bool add_absent(struct text *text, struct search *search,
                       const struct requirement *requirement)
{
    const char *noun = is_key(search->problem, requirement, LABEL_ZONE)            ? "zone"
                       : is_key(search->problem, requirement, LABEL_CAPACITY_TYPE) ? "capacity type"
                                                                                   : NULL;
    if (noun == NULL || requirement_operator(requirement) != OPERATOR_IN)
        return false;
    text_format(text, "%s%s ", noun, text_plural(requirement->count));
    add_list(text, search->problem, requirement);
    text_add(text, requirement->count == 1 ? " is in no offering" : " are in no offering");
    add_region(text, search);
    return true;
}

// `wanted` NULL: every type. `owner` goes before each requirement.
static void accuse(struct text *text, struct search *search, const char *owner, const char *wanted)
{
    const struct requirement *first =
        requirement_get(search->problem->sets, search->requirements[0]);
    text_add(text, owner);
    if (wanted == NULL && search->count == 1 && add_absent(text, search, first)) {
        add_nearest(text, search, first);
        return;
    }
    for (uint32_t i = 0; i < search->count; i++) {
        text_add(text, i == 0 ? "" : i + 1 < search->count ? ", " : " and ");
        requirement_add_short(text, search->problem,
                              requirement_get(search->problem->sets, search->requirements[i]));
    }
    text_add(text, search->count == 1 ? " leaves out every " : " together leave out every ");
    text_add(text, wanted != NULL ? wanted : "instance type");
    if (wanted == NULL)
        add_region(text, search);
    if (wanted == NULL && search->count == 1)
        add_nearest(text, search, first);
}

static const char *finish(struct text *text, struct arena *arena)
{
    const char *copy = text->length > 0 ? arena_copy_string(arena, text->data) : NULL;
    text_free(text);
    return copy;
}

// --- NodePools -----------------------------------------------------------------------------------

const char *culprits_of_pool(struct problem *problem, const struct pool_state *pool,
                             struct arena *arena)
{
    if (problem->settings->compatibility_upstream || pool->emptied == NULL)
        return NULL;
    CLEANUP_ARENA struct arena *scratch = arena_create(16384);
    struct search search;
    struct text text = {0};
    search_begin(&search, problem, pool->emptied->table, scratch);
    suspect(&search, pool->emptied->own_set);
    if (find_culprits(&search))
        accuse(&text, &search, "", NULL);
    return finish(&text, arena);
}

// --- pods ----------------------------------------------------------------------------------------

static bool is_gpu(const char *resource)
{
    return text_ends_with(resource, "/gpu");
}

// "type with a GPU (nvidia.com/gpu)": the resources that no type of the NodePool has enough of.
static void add_wanted(struct text *text, const struct problem *problem,
                       const struct node_template *template, const struct shape *shape)
{
    uint32_t told = 0;
    for (int pass = 0; pass < 2 && told == 0; pass++) // together, if each alone is not lacking
        for (uint32_t i = 0; i < shape->dimensions_count; i++) {
            uint32_t d = shape->dimensions[i];
            bool lacking = true;
            bitset_for_each (r, template->rows)
                lacking = lacking && template->table->rows[r].allocatable[d] < shape->requests[d];
            if (!lacking && pass == 0)
                continue;
            const char *name = symbols_text(problem->dimensions.names, d);
            text_add(text, told++ == 0 ? "type with " : " and ");
            if (is_gpu(name) && shape->requests[d] == 1)
                text_format(text, "a GPU (%s)", name);
            else
                explain_add_amount(text, problem, d, shape->requests[d]);
        }
}

// Types large enough for the pod, all of which the NodePool's requirements leave out.
static void blame_for_size(struct search *search, const struct node_template *template,
                           const struct shape *shape, struct text *text)
{
    struct problem *problem = search->problem;
    bitset_and(search->wanted, type_table_filter(problem, search->table, shape->set)->both);
    bitset_for_each (r, search->wanted)
        if (!vector_fits(problem, shape->requests, search->table->rows[r].allocatable))
            bitset_clear(search->wanted, r);
    bitset_copy(search->left, search->wanted);
    bitset_and(search->left, template->rows);
    suspect(search, template->own_set);
    if (!bitset_empty(search->left) || !find_culprits(search))
        return;
    struct text wanted = {0};
    add_wanted(&wanted, problem, template, shape);
    accuse(text, search, "", wanted.data);
    text_free(&wanted);
}

// The pod's own requirements, or the NodePool's that leave out what the pod asks for.
static void blame_for_requirements(struct search *search, const struct node_template *template,
                                   const struct shape *shape, struct text *text)
{
    struct problem *problem = search->problem;
    if (shape->terms_count > 0 || shape->set == SET_EMPTY)
        return;
    suspect(search, shape->set);
    if (find_culprits(search)) {
        accuse(text, search, "the pod's ", NULL);
        return;
    }
    struct text wanted = {0};
    text_add(&wanted, "type that the pod's ");
    for (uint32_t i = 0; i < search->count; i++) {
        text_add(&wanted, i > 0 ? ", " : "");
        requirement_add_short(&wanted, problem,
                              requirement_get(problem->sets, search->requirements[i]));
    }
    text_add(&wanted, search->count == 1 ? " allows" : " allow");
    bitset_and(search->wanted, type_table_filter(problem, search->table, shape->set)->both);
    suspect(search, template->own_set);
    if (find_culprits(search))
        accuse(text, search, "", wanted.data);
    text_free(&wanted);
}

// The pod and the NodePool ask for different values of a label, or the NodePool has no such label.
static void blame_for_labels(struct problem *problem, const struct node_template *template,
                             const struct shape *shape, struct text *out)
{
    for (uint32_t i = 0; i < problem->sets->sets[shape->set].count; i++) {
        uint32_t asked = problem->sets->sets[shape->set].requirements[i];
        uint32_t alone = set_add_known(problem->sets, SET_EMPTY, asked);
        if (sets_compatible(problem->sets, template->set, alone, true))
            continue;
        const struct requirement *own = requirement_get(problem->sets, asked);
        text_add(out, out->length > 0 ? ", and " : "");
        const struct requirement *theirs = set_get(problem->sets, template->set, own->key);
        if (is_key(problem, own, LABEL_NODE_POOL)) {
            text_add(out, "the pod asks for ");
            requirement_add_short(out, problem, own);
        } else if (theirs != NULL) {
            text_add(out, "the pod's ");
            requirement_add_short(out, problem, own);
            text_add(out, " contradicts the NodePool's ");
            requirement_add_short(out, problem, theirs);
        } else {
            text_add(out, "the pod asks for ");
            requirement_add_short(out, problem, own);
            text_add(out, ", a label that the NodePool does not have");
        }
    }
}

// "the limit of 16 cpu (10 cpu in use) leaves out every type that is large enough": each limit that
// does so alone, else all of them.
static void blame_for_limits(struct pass *pass, const struct node_template *template,
                             const struct shape *shape, struct bitset fitting, struct text *out)
{
    struct problem *problem = pass->problem;
    const int64_t *remaining = pass->remaining[template->index];
    if (remaining == NULL || !template_fits(problem, template, shape->requests, fitting))
        return;
    bitset_and(fitting, type_table_filter(problem, template->table, shape->set)->both);
    uint32_t told = 0;
    for (int all = 0; all < 2 && told == 0; all++)
        for (uint32_t d = 0; d < problem->dimensions.count; d++) {
            bool blamed = template->limits[d] != INT64_MAX;
            bitset_for_each (r, fitting)
                blamed =
                    blamed &&
                    (all || remaining[d] <
                                (d == DIMENSION_NODES ? 1 : template->table->rows[r].capacity[d]));
            if (!blamed)
                continue;
            text_add(out, told++ == 0 ? "the limit of " : " and that of ");
            explain_add_amount(out, problem, d, template->limits[d]);
            text_add(out, " (");
            explain_add_amount(out, problem, d,
                               quantity_subtract(template->limits[d], remaining[d]));
            text_add(out, " in use)");
        }
    if (told > 0)
        text_add(out, told == 1 ? " leaves out every type that is large enough"
                                : " leave out every type that is large enough");
}

const char *culprits_of_class(struct pass *pass, const struct node_template *template,
                              uint32_t class, enum reason_code code, const char *text,
                              struct arena *arena)
{
    struct problem *problem = pass->problem;
    bool generic = text_starts_with(text, "no instance type");
    bool labels = text_starts_with(text, "incompatible requirements");
    bool limits = code == REASON_LIMIT_EXCEEDED;
    if (problem->settings->compatibility_upstream || (!generic && !labels && !limits))
        return NULL;
    CLEANUP_ARENA struct arena *scratch = arena_create(16384);
    const struct shape *shape = shape_of(problem, class_at(problem, class));
    struct search search;
    struct text out = {0};
    search_begin(&search, problem, template->table, scratch);
    if (labels)
        blame_for_labels(problem, template, shape, &out);
    else if (limits)
        blame_for_limits(pass, template, shape, search.left, &out);
    else if (code == REASON_INSUFFICIENT_RESOURCES)
        blame_for_size(&search, template, shape, &out);
    else if (code == REASON_REQUIREMENT_MISMATCH || code == REASON_NO_OFFERING)
        blame_for_requirements(&search, template, shape, &out);
    return finish(&out, arena);
}
