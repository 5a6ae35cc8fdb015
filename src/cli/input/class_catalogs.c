#include "cli/input/class_catalogs.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "base/vector.h"
#include "model/schema/pack.h"
#include "model/tables/kinds.h"

struct users { // of a node class
    const struct node_pool **items;
    uint32_t count, capacity;
};

static bool refers_to(const struct node_pool *pool, const struct kind *kind, const char *name)
{
    const struct node_class_reference *reference = pool->spec.template.spec.node_class_ref;
    return reference != NULL && text_equal(reference->group, kind->group) &&
           text_equal(reference->kind, kind->name) &&
           (name == NULL || text_equal(reference->name, name));
}

static void find_users(struct users *users, const struct snapshot *snapshot,
                       const struct object *node_class)
{
    for (uint32_t i = 0; i < snapshot->objects[KIND_NODE_POOL].count; i++) {
        const struct object *pool = snapshot->objects[KIND_NODE_POOL].items[i];
        if (pool->meta.name != NULL &&
            refers_to((const struct node_pool *)pool, node_class->kind, node_class->meta.name))
            vector_push(users, (const struct node_pool *)pool);
    }
    if (users->count > 0)
        qsort(users->items, users->count, sizeof *users->items, object_compare_names);
}

// --- catalogs ------------------------------------------------------------------------------------

// `made` NULL: without types.
static void add_catalog(struct snapshot *snapshot, const struct object *node_class,
                        const struct users *users, const struct instance_type_catalog *common,
                        const struct instance_type_catalog *made)
{
    struct text name = {0};
    struct instance_type_catalog named = {.kind = kind_get(KIND_INSTANCE_TYPE_CATALOG)};
    if (made != NULL)
        named.spec.instance_types = made->spec.instance_types;
    text_format(&name, "%s-%s", text_or_empty(common->meta.name), node_class->meta.name);
    named.meta.name = name.data;
    named.spec.node_pools.count = users->count;
    named.spec.node_pools.items = memory_allocate_array(users->count, sizeof(char *));
    for (uint32_t i = 0; i < users->count; i++)
        named.spec.node_pools.items[i] = users->items[i]->meta.name;
    const struct object *copy = object_copy((const struct object *)&named);
    snapshot_add(snapshot, copy);
    object_release(copy);
    cleanup_free(&named.spec.node_pools.items);
    text_free(&name);
}

static void describe(struct text *text, const struct object *node_class, const struct users *users,
                     const char *unknown, const struct error *error)
{
    text_format(text, "\n%s %s, for NodePool%s ", node_class->kind->name, node_class->meta.name,
                text_plural(users->count));
    for (uint32_t i = 0; i < users->count; i++)
        text_format(text, "%s%s", i > 0 ? ", " : "", users->items[i]->meta.name);
    if (error->kind != ERROR_NONE)
        text_format(text, ": no instance types: %s", error->message);
    else if (!text_is_empty(unknown))
        text_format(text, "; not known here: %s", unknown);
}

struct making {
    struct snapshot *snapshot;
    const struct cloud_provider *provider;
    const struct region *region;
    const struct instance_type_catalog *common;
    struct text *text;
};

static void add_for(const struct making *making, const struct object *node_class,
                    const struct users *users)
{
    const char *region = making->region->name;
    struct text unknown = {0};
    struct error error = {0};
    const struct instance_type_catalog *made = making->provider->class_catalog(
        &(struct class_catalog_request){node_class, users->items, users->count,
                                        &making->snapshot->settings,
                                        region[0] != '\0' ? region : NULL},
        &unknown, &error);
    bool own = made != NULL || error.kind != ERROR_NONE;
    if (own)
        add_catalog(making->snapshot, node_class, users, making->common, made);
    if (own && making->text != NULL)
        describe(making->text, node_class, users, unknown.data, &error);
    object_release((const struct object *)made);
    text_free(&unknown);
}

static void add_class(const struct making *making, const struct object *node_class)
{
    struct users users = {0};
    find_users(&users, making->snapshot, node_class);
    if (users.count > 0 && node_class->meta.name != NULL)
        add_for(making, node_class, &users);
    vector_free(&users);
}

static bool is_there(const struct snapshot *snapshot, enum kind_id kind, const char *name)
{
    for (uint32_t i = 0; i < snapshot->objects[kind].count; i++)
        if (text_equal(snapshot->objects[kind].items[i]->meta.name, name))
            return true;
    return false;
}

// The node class of a NodePool is not in the input.
static void add_taken(const struct making *making, const struct node_pool *pool)
{
    enum kind_id kind = making->provider->serves[0];
    const struct node_class_reference *reference = pool->spec.template.spec.node_class_ref;
    const struct object *node_class = NULL;
    if (pool->meta.name == NULL || !refers_to(pool, kind_get(kind), NULL) ||
        is_there(making->snapshot, kind, reference->name))
        return;
    making->provider->class_taken(pool, &node_class);
    if (node_class == NULL)
        return;
    struct users users = {.items = &pool, .count = 1};
    add_for(making, node_class, &users);
    object_release(node_class);
}

// --- all -----------------------------------------------------------------------------------------

void class_catalogs_add(struct snapshot *snapshot, const struct cloud_provider *provider,
                        const struct region *region, const struct instance_type_catalog *common,
                        struct text *text)
{
    assert(provider != NULL && common != NULL);
    const struct making making = {snapshot, provider, region, common, text};
    if (provider->class_catalog == NULL)
        return;
    for (const enum kind_id *kind = provider->serves; *kind != KIND_COUNT; kind++) {
        uint32_t count = snapshot->objects[*kind].count;
        for (uint32_t i = 0; i < count; i++)
            add_class(&making, snapshot->objects[*kind].items[i]);
    }
    for (uint32_t i = 0;
         provider->class_taken != NULL && i < snapshot->objects[KIND_NODE_POOL].count; i++)
        add_taken(&making, (const struct node_pool *)snapshot->objects[KIND_NODE_POOL].items[i]);
}
