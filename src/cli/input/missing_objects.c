#include "cli/input/missing_objects.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/memory.h"
#include "base/text_sort.h"
#include "base/vector.h"
#include "cli/input/missing_references.h"
#include "cloud/providers.h"
#include "model/schema/condition_types.h"
#include "model/tables/kinds.h"

typedef struct missing_lines lines;

static void add_line(lines *out, struct text *text)
{
    vector_push(out, text_take(text));
}

static bool is_there(const struct snapshot *snapshot, enum kind_id kind, const char *name)
{
    for (uint32_t i = 0; i < snapshot->objects[kind].count; i++)
        if (text_equal(snapshot->objects[kind].items[i]->meta.name, name))
            return true;
    return false;
}

// --- node classes --------------------------------------------------------------------------------

// The kind among those of the provider, or KIND_COUNT.
static enum kind_id served_kind(const struct cloud_provider *provider,
                                const struct node_class_reference *reference)
{
    const enum kind_id *kind = provider->serves;
    while (*kind != KIND_COUNT && !(text_equal(kind_get(*kind)->group, reference->group) &&
                                    text_equal(kind_get(*kind)->name, reference->kind)))
        kind++;
    return *kind;
}

static bool is_anyones(const struct node_class_reference *reference)
{
    for (const struct cloud_provider *const *at = providers; *at != NULL; at++)
        if (provider_serves(*at, reference->group, reference->kind))
            return true;
    return false;
}

static void tell_class(const struct snapshot *snapshot, const struct cloud_provider *provider,
                       const struct node_pool *pool, lines *out)
{
    const struct node_class_reference *reference = pool->spec.template.spec.node_class_ref;
    struct text text = {0};
    if (reference == NULL)
        return;
    enum kind_id kind = served_kind(provider, reference);
    if (kind == KIND_COUNT ? is_anyones(reference) : is_there(snapshot, kind, reference->name))
        return;
    text_format(&text, "%s %s of NodePool %s ", text_or_empty(reference->kind),
                text_or_empty(reference->name), text_or_empty(pool->meta.name));
    if (kind == KIND_COUNT)
        text_format(&text,
                    "is of a group (%s) that is not known here: it is not taken into account",
                    text_or_empty(reference->group));
    else
        text_add(&text, "is not in the input");
    if (kind == provider->serves[0] && provider->class_taken != NULL) {
        const struct object *taken;
        text_format(&text, " (taken: one for %s)", provider->class_taken(pool, &taken));
        object_release(taken);
    }
    add_line(out, &text);
}

// The controller launches nothing for it.
static void tell_unready(const struct snapshot *snapshot, const struct cloud_provider *provider,
                         lines *out)
{
    for (const enum kind_id *kind = provider->serves; *kind != KIND_COUNT; kind++)
        for (uint32_t i = 0; i < snapshot->objects[*kind].count; i++) {
            const struct object *object = snapshot->objects[*kind].items[i];
            const condition_list *conditions = object_conditions(object);
            const struct condition *ready =
                conditions != NULL ? condition_find(conditions, CONDITION_READY) : NULL;
            struct text text = {0};
            if (ready == NULL || text_equal(ready->status, "True"))
                continue;
            text_format(&text,
                        "%s %s is not Ready (%.300s): a controller launches no node with it until "
                        "it is",
                        object->kind->name, text_or_empty(object->meta.name),
                        !text_is_empty(ready->message) ? ready->message
                                                       : text_or_empty(ready->reason));
            add_line(out, &text);
        }
}

// The conversion keeps what the requirements mean.
static bool refuse_auto_mode(const struct node_pool *pool, const char *files, const char *option,
                             struct error *error)
{
    const struct node_class_reference *reference = pool->spec.template.spec.node_class_ref;
    return error_set(
        error, ERROR_INVALID,
        "NodePool %.100s: %.100s %.100s is of group eks.amazonaws.com, EKS Auto Mode, "
        "which is planned as an EC2NodeClass: `adze convert --role ROLE --cluster-name "
        "CLUSTER %.600s | adze plan %s-f -`; --force plans it as it stands, with built-in instance "
        "types",
        text_or_empty(pool->meta.name), text_or_empty(reference->kind),
        text_or_empty(reference->name), files, option);
}

bool missing_objects_refuse_classes(const struct snapshot *snapshot, const char *files,
                                    const char *option, struct error *error)
{
    for (uint32_t i = 0; i < snapshot->objects[KIND_NODE_POOL].count; i++) {
        const struct node_pool *pool =
            (const struct node_pool *)snapshot->objects[KIND_NODE_POOL].items[i];
        const struct node_class_reference *reference = pool->spec.template.spec.node_class_ref;
        if (reference == NULL || pool->meta.uid != NULL || is_anyones(reference))
            continue;
        if (text_equal(reference->group, "eks.amazonaws.com"))
            return refuse_auto_mode(pool, files, option, error);
        return error_set(error, ERROR_INVALID,
                         "NodePool %.100s: %.100s %.100s is of group %.200s, whose machines and "
                         "prices are not known here (--catalog FILE gives them); --force plans it "
                         "all the same, with built-in instance types",
                         text_or_empty(pool->meta.name), text_or_empty(reference->kind),
                         text_or_empty(reference->name), text_or_empty(reference->group));
    }
    return true;
}

// --- NodePools -----------------------------------------------------------------------------------

static void tell_pools(const struct snapshot *snapshot, lines *out)
{
    struct map *counts = map_create(); // of nodes by NodePool that is not there
    for (uint32_t i = 0; i < snapshot->objects[KIND_NODE].count; i++) {
        const struct object *node = snapshot->objects[KIND_NODE].items[i];
        const char *pool = string_map_get(&node->meta.labels, LABEL_NODE_POOL);
        if (!text_is_empty(pool) && !is_there(snapshot, KIND_NODE_POOL, pool))
            ++*(uint32_t *)map_ensure(counts, pool, sizeof(uint32_t));
    }
    for (struct map_entry *entry = map_first(counts); entry != NULL; entry = map_next(entry)) {
        struct text text = {0};
        uint32_t count = *(uint32_t *)map_value(entry);
        text_format(&text, "NodePool %s, to which %" PRIu32 " node%s belong%s, is not in the input",
                    map_key(entry), count, text_plural(count), count == 1 ? "s" : "");
        add_line(out, &text);
    }
    map_destroy(counts, free);
}

void missing_objects_tell(const struct snapshot *snapshot, const struct cloud_provider *provider,
                          struct text *text)
{
    assert(snapshot != NULL && text != NULL);
    lines out = {0};
    for (uint32_t i = 0; provider != NULL && i < snapshot->objects[KIND_NODE_POOL].count; i++)
        tell_class(snapshot, provider,
                   (const struct node_pool *)snapshot->objects[KIND_NODE_POOL].items[i], &out);
    if (provider != NULL)
        tell_unready(snapshot, provider, &out);
    tell_pools(snapshot, &out);
    missing_references_add(snapshot, &out);
    text_add_sorted_lines(text, out.items, out.count);
    vector_free(&out);
}
