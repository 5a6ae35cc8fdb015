#include "engine/forecast/drift_fields.h"

#include <string.h>

#include "base/text.h"
#include "model/reading/claim_drift.h"
#include "model/schema/encode.h"
#include "model/schema/pack.h"
#include "model/tables/well_known.h"

// The parts of a template that its hash covers (API-204).
static const char *const hashed[] = {
    "spec.template.metadata.labels",   "spec.template.metadata.annotations",
    "spec.template.spec.taints",       "spec.template.spec.startupTaints",
    "spec.template.spec.nodeClassRef", "spec.template.spec.terminationGracePeriod",
    "spec.template.spec.expireAfter"};

static field_change_list chosen(struct arena *arena, const field_change_list *changes,
                                const char *const *paths, size_t count)
{
    field_change_list list = {0};
    list.items = arena_allocate_array(arena, changes->count + 1, sizeof *list.items);
    list_for_each (change, changes)
        for (size_t i = 0; i < count; i++)
            if (field_change_is_below(change, paths[i])) {
                list.items[list.count++] = *change;
                break;
            }
    return list;
}

// Those of the NodeClaim's labels or annotations that the template has.
static struct string_map common_part(struct arena *arena, const struct string_map *own,
                                     const struct string_map *wanted)
{
    struct string_map part = {0};
    part.items = arena_allocate_array(arena, wanted->count + 1, sizeof *part.items);
    for (uint32_t i = 0; i < wanted->count; i++) {
        const char *value = string_map_get(own, wanted->items[i].key);
        if (value != NULL)
            part.items[part.count++] = (struct string_pair){wanted->items[i].key, value};
    }
    return part;
}

// The NodePool as the NodeClaim's template: what the node was made with.
static field_change_list compare_with_claim(struct arena *arena, const struct node_claim *claim,
                                            const struct node_pool *pool)
{
    struct node_pool made = *pool;
    made.spec.template.spec = claim->spec;
    made.spec.template.spec.requirements = pool->spec.template.spec.requirements;
    made.spec.template.metadata.labels =
        common_part(arena, &claim->meta.labels, &pool->spec.template.metadata.labels);
    made.spec.template.metadata.annotations =
        common_part(arena, &claim->meta.annotations, &pool->spec.template.metadata.annotations);
    return field_changes_find(arena, (const struct object *)&made, (const struct object *)pool);
}

static const char *requirement_text(struct arena *arena,
                                    const struct selector_requirement *requirement)
{
    struct text text = {0};
    text_add(&text, requirement->operator);
    for (uint32_t i = 0; i < requirement->values.count; i++)
        text_format(&text, "%s%s", i == 0 ? " [" : ", ", requirement->values.items[i]);
    if (requirement->values.count > 0)
        text_add(&text, "]");
    const char *copy = arena_copy_string(arena, text.data);
    text_free(&text);
    return copy;
}

static field_change_list of_requirement(struct arena *arena, const struct node_claim *claim,
                                        const struct selector_requirement *requirement)
{
    field_change_list list = {arena_allocate_array(arena, 1, sizeof *list.items), 1};
    list.items[0] = (struct field_change){
        arena_format(arena, "spec.template.spec.requirements[%s]", requirement->key),
        string_map_get(&claim->meta.labels, label_alias_target(requirement->key)),
        requirement_text(arena, requirement)};
    return list;
}

field_change_list drift_fields_of_pool(struct arena *arena, const struct node_claim *claim,
                                       const struct node_pool *pool,
                                       const struct object_change *edit)
{
    const struct selector_requirement *requirement =
        claim_requirement_drifted(claim, &pool->spec.template.spec.requirements);
    if (!claim_template_drifted(claim, pool))
        return requirement != NULL ? of_requirement(arena, claim, requirement)
                                   : (field_change_list){0};
    field_change_list all = edit != NULL ? edit->fields : compare_with_claim(arena, claim, pool);
    return chosen(arena, &all, hashed, ARRAY_LENGTH(hashed));
}

// What the static hash leaves out (AWN-75): selectors, whose effect other kinds of drift tell.
field_change_list drift_fields_of_class(struct arena *arena, const struct object_change *edit)
{
    field_change_list list = {0};
    if (edit == NULL)
        return list;
    list.items = arena_allocate_array(arena, edit->fields.count + 1, sizeof *list.items);
    list_for_each (change, &edit->fields)
        if (field_change_is_below(change, "spec") && strstr(change->path, "SelectorTerms") == NULL)
            list.items[list.count++] = *change;
    return list;
}
