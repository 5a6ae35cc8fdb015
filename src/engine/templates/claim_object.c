#include "engine/templates/claim_object.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "engine/problem/node_terms.h"
#include "engine/templates/claim_labels.h"
#include "engine/templates/templates.h"
#include "model/schema/object.h"

static int compare_entries(const void *a, const void *b)
{
    const struct selector_requirement *x = a, *y = b;
    int order = strcmp(x->key, y->key);
    return order != 0 ? order : strcmp(x->operator, y->operator);
}

static bool is_simulation_key(const char *key)
{
    return strcmp(key, LABEL_REGISTERED) == 0 || strcmp(key, LABEL_INITIALIZED) == 0 ||
           strcmp(key, KEY_NODE_NAME) == 0;
}

void claim_object_requirements(struct problem *problem, uint32_t set, struct arena *arena,
                               requirement_list *out)
{
    assert(set < problem->sets->sets_count);
    const struct requirement_set *own = &problem->sets->sets[set];
    out->items = arena_allocate_array(arena, 3 * own->count + 1, sizeof *out->items);
    for (uint32_t i = 0; i < own->count; i++) {
        const struct requirement *requirement =
            requirement_get(problem->sets, own->requirements[i]);
        if (requirement->key == problem->keys.hostname ||
            is_simulation_key(vocabulary_key_text(problem->vocabulary, requirement->key)))
            continue;
        out->count +=
            requirement_to_api(arena, problem->vocabulary, requirement, &out->items[out->count]);
    }
    assert(out->count <= 3 * own->count);
    list_for_each (entry, out) {
        entry->key = arena_copy_string(arena, entry->key);
        for (uint32_t v = 0; v < entry->values.count; v++)
            entry->values.items[v] = arena_copy_string(arena, entry->values.items[v]);
    }
    qsort(out->items, out->count, sizeof *out->items, compare_entries);
}

void pairs_sort(struct string_map *map)
{
    qsort(map->items, map->count, sizeof *map->items, string_pair_compare);
}

void pairs_put(struct string_map *map, const char *key, const char *value)
{
    list_for_each (pair, map)
        if (strcmp(pair->key, key) == 0) {
            pair->value = value;
            return;
        }
    map->items[map->count++] = (struct string_pair){key, value};
}

void claim_object_labels(struct problem *problem, const struct node_template *template,
                         uint32_t set, struct arena *arena, struct string_map *out)
{
    const struct node_pool *pool = template->pool;
    const struct string_map *own = &pool->spec.template.metadata.labels;
    uint32_t count = problem->sets->sets[set].count;
    out->items = arena_allocate_array(arena, own->count + count + 2, sizeof *out->items);
    list_for_each (label, own)
        pairs_put(out, label->key, label->value);
    pairs_put(out, LABEL_NODE_POOL, pool->meta.name);
    const struct node_class_reference *reference = pool->spec.template.spec.node_class_ref;
    if (reference != NULL && reference->kind != NULL)
        pairs_put(out, node_class_label(arena, reference),
                  reference->name != NULL ? reference->name : "");
    for (uint32_t i = 0; i < count; i++) {
        const struct requirement *requirement =
            requirement_get(problem->sets, problem->sets->sets[set].requirements[i]);
        const char *key = vocabulary_key_text(problem->vocabulary, requirement->key);
        if (vocabulary_is_well_known(problem->vocabulary, requirement->key) ||
            requirement->key == problem->keys.hostname || is_simulation_key(key))
            continue;
        const char *value = claim_label_value(problem, template, requirement, arena);
        if (value[0] != '\0')
            pairs_put(out, arena_copy_string(arena, key), arena_copy_string(arena, value));
    }
    assert(out->count <= own->count + count + 2);
    pairs_sort(out);
}

void claim_object_annotations(const struct node_pool *pool, const char *hash, struct arena *arena,
                              struct string_map *out)
{
    const struct string_map *own = &pool->spec.template.metadata.annotations;
    out->items = arena_allocate_array(arena, own->count + 6, sizeof *out->items);
    list_for_each (annotation, own)
        pairs_put(out, annotation->key, annotation->value);
    pairs_put(out, ANNOTATION_NODE_POOL_HASH, hash);
    pairs_put(out, ANNOTATION_NODE_POOL_HASH_VERSION, NODE_POOL_HASH_VERSION);
    assert(out->count <= own->count + 2);
}
