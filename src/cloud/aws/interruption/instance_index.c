#include "cloud/aws/interruption/instance_index.h"

#include <assert.h>
#include <stdlib.h>

#include "cloud/aws/instances/aws_machines.h"

#define GONE_MAX 20000 // ids of deleted NodeClaims; the oldest are forgotten

struct owners { // names
    VECTOR(char *) claims;
    VECTOR(char *) nodes;
};
struct instance_index {
    struct manager *manager;
    struct map *owners; // instance id -> struct owners
    struct map *gone;   // instance id -> the index
};

static void on_claim(void *context, enum mirror_change change, const struct object *old_object,
                     const struct object *new_object);
static void on_node(void *context, enum mirror_change change, const struct object *old_object,
                    const struct object *new_object);

struct instance_index *instance_index_create(struct manager *manager)
{
    struct instance_index *index = memory_allocate(sizeof *index);
    index->manager = manager;
    index->owners = map_create();
    index->gone = map_create();
    mirror_on_change(manager->mirror, KIND_NODE_CLAIM, on_claim, index);
    mirror_on_change(manager->mirror, KIND_NODE, on_node, index);
    return index;
}

static void owners_destroy(void *value)
{
    struct owners *owners = value;
    vector_for_each (name, &owners->claims)
        free(*name);
    vector_for_each (name, &owners->nodes)
        free(*name);
    vector_free(&owners->claims);
    vector_free(&owners->nodes);
    free(owners);
}

void instance_index_destroy(struct instance_index *index)
{
    if (index == NULL)
        return;
    map_destroy(index->owners, owners_destroy);
    map_destroy(index->gone, NULL);
    free(index);
}

static const char *claim_instance(const struct object *object)
{
    const struct node_claim *claim = (const struct node_claim *)object;
    return claim != NULL && claim->status.provider_id != NULL
               ? instance_id_of(claim->status.provider_id)
               : NULL;
}

static const char *node_instance(const struct object *object)
{
    const struct node *node = (const struct node *)object;
    return node != NULL && node->spec.provider_id != NULL ? instance_id_of(node->spec.provider_id)
                                                          : NULL;
}

static void remember_gone(struct instance_index *index, const char *id)
{
    map_set(index->gone, id, index);
    while (map_count(index->gone) > GONE_MAX)
        map_remove(index->gone, map_key(map_first(index->gone)));
}

static void remove_name(struct instance_index *index, const char *id, bool of_claim,
                        const char *name)
{
    struct owners *owners = id != NULL ? map_get(index->owners, id) : NULL;
    if (owners == NULL)
        return;
    char ***items = of_claim ? &owners->claims.items : &owners->nodes.items;
    uint32_t *count = of_claim ? &owners->claims.count : &owners->nodes.count;
    for (uint32_t i = 0; i < *count; i++)
        if (text_equal((*items)[i], name)) {
            free((*items)[i]);
            (*count)--;
            for (uint32_t j = i; j < *count; j++)
                (*items)[j] = (*items)[j + 1];
            break;
        }
    if (owners->claims.count == 0 && owners->nodes.count == 0)
        owners_destroy(map_remove(index->owners, id));
}

static void add_name(struct instance_index *index, const char *id, bool of_claim, const char *name)
{
    struct owners *owners = map_ensure(index->owners, id, sizeof *owners);
    if (of_claim)
        vector_push(&owners->claims, memory_copy_string(name));
    else
        vector_push(&owners->nodes, memory_copy_string(name));
}

static void on_claim(void *context, enum mirror_change change, const struct object *old_object,
                     const struct object *new_object)
{
    struct instance_index *index = context;
    const char *before = claim_instance(old_object), *now = claim_instance(new_object);
    if (change == MIRROR_MODIFIED && text_equal(before, now))
        return;
    if (before != NULL)
        remove_name(index, before, true, old_object->meta.name);
    if (before != NULL && change == MIRROR_DELETED)
        remember_gone(index, before);
    if (now != NULL)
        add_name(index, now, true, new_object->meta.name);
}

static void on_node(void *context, enum mirror_change change, const struct object *old_object,
                    const struct object *new_object)
{
    struct instance_index *index = context;
    const char *before = node_instance(old_object), *now = node_instance(new_object);
    if (change == MIRROR_MODIFIED && text_equal(before, now))
        return;
    if (before != NULL)
        remove_name(index, before, false, old_object->meta.name);
    if (now != NULL)
        add_name(index, now, false, new_object->meta.name);
}

uint32_t instance_index_claims(const struct instance_index *index, const char *instance_id,
                               const struct node_claim **claims, uint32_t max)
{
    const struct owners *owners = map_get(index->owners, instance_id);
    uint32_t count = 0;
    for (uint32_t i = 0; owners != NULL && i < owners->claims.count && count < max; i++) {
        const struct object *claim =
            mirror_get(index->manager->mirror, KIND_NODE_CLAIM, NULL, owners->claims.items[i]);
        if (claim != NULL)
            claims[count++] = (const struct node_claim *)claim;
    }
    return count;
}

const struct node *instance_index_node(const struct instance_index *index, const char *instance_id)
{
    const struct owners *owners = map_get(index->owners, instance_id);
    if (owners == NULL || owners->nodes.count == 0)
        return NULL;
    return (const struct node *)mirror_get(index->manager->mirror, KIND_NODE, NULL,
                                           owners->nodes.items[0]);
}

bool instance_index_is_gone(const struct instance_index *index, const char *instance_id)
{
    return map_get(index->gone, instance_id) != NULL;
}

struct string_list instance_index_ids(const struct instance_index *index, struct arena *arena)
{
    struct string_list ids = {0};
    ids.items = arena_allocate_array(arena, map_count(index->owners) + 1, sizeof *ids.items);
    for (struct map_entry *at = map_first(index->owners); at != NULL; at = map_next(at))
        if (((const struct owners *)map_value(at))->claims.count > 0)
            ids.items[ids.count++] = arena_copy_string(arena, map_key(at));
    qsort((void *)ids.items, ids.count, sizeof *ids.items, text_compare);
    return ids;
}
