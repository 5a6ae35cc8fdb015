#include "cli/input/live_provider.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "cli/input/class_catalogs.h"
#include "cloud/providers.h"

void live_provider_free(struct live_provider *provider)
{
    provider_record_free(&provider->record);
    free(provider->rivals);
    free(provider->left_out);
    region_free(&provider->region);
    provider->rivals = provider->left_out = NULL;
}

static const struct node_class_reference *reference_of(const struct object *object)
{
    return object->kind->id == KIND_NODE_POOL
               ? ((const struct node_pool *)object)->spec.template.spec.node_class_ref
               : ((const struct node_claim *)object)->spec.node_class_ref;
}

static bool serves(const struct provider_record *record, const struct object *object)
{
    const struct node_class_reference *reference = reference_of(object);
    return reference != NULL && provider_record_serves(record, reference->group, reference->kind);
}

// --- finding the provider ------------------------------------------------------------------------
static bool serves_any(const struct provider_record *record, const struct snapshot *snapshot)
{
    for (uint32_t i = 0; i < snapshot->objects[KIND_NODE_POOL].count; i++)
        if (serves(record, snapshot->objects[KIND_NODE_POOL].items[i]))
            return true;
    return false;
}

static bool is_better(const struct provider_record *a, const struct provider_record *b,
                      const struct snapshot *snapshot)
{
    bool serves_a = serves_any(a, snapshot), serves_b = serves_any(b, snapshot);
    if (serves_a != serves_b)
        return serves_a;
    return a->created != b->created ? a->created < b->created
                                    : strcmp(a->namespace, b->namespace) < 0;
}

static bool guess_provider(struct provider_record *record, const struct snapshot *snapshot,
                           const struct cloud_provider *provider)
{
    for (const enum kind_id *id = provider->serves; *id != KIND_COUNT; id++) {
        struct text node_class = {0};
        provider_record_add_class(&node_class, *id);
        *record = (struct provider_record){.node_classes = text_take(&node_class)};
        if (serves_any(record, snapshot)) {
            record->provider = memory_copy_string(provider->name);
            return true;
        }
        provider_record_free(record);
    }
    return false;
}

// Without a controller's record: by the node classes that NodePools refer to.
static void guess(struct provider_record *record, const struct snapshot *snapshot, const char *name)
{
    for (const struct cloud_provider *const *at = providers; *at != NULL; at++)
        if ((name == NULL || text_equal(name, (*at)->name)) &&
            guess_provider(record, snapshot, *at))
            return;
    if (name == NULL)
        name = provider_of_files()->name;
    *record = (struct provider_record){.provider = memory_copy_string(name)};
}

void live_provider_find(struct live_provider *provider, const json_t *config_maps,
                        const struct snapshot *snapshot, const char *name)
{
    struct provider_record *best = &provider->record, record;
    struct text namespaces = {0};
    uint32_t count = 0;
    size_t index;
    json_t *config_map;
    json_array_foreach (config_maps, index, config_map) {
        struct error ignored = {0}; // anyone may write a ConfigMap
        if (!provider_record_decode(config_map, &record, &ignored))
            continue;
        bool counts = name == NULL || text_equal(record.provider, name);
        if (counts)
            text_join(&namespaces, ", ", record.namespace);
        count += counts;
        if (counts && (best->provider == NULL || is_better(&record, best, snapshot))) {
            provider_record_free(best);
            *best = record;
        } else {
            provider_record_free(&record);
        }
    }
    provider->rivals = count > 1 ? text_take(&namespaces) : NULL;
    text_free(&namespaces);
    if (best->provider == NULL)
        guess(best, snapshot, name);
}

// --- other providers' objects --------------------------------------------------------------------
static void name_left_out(struct text *text, const struct object *object)
{
    const struct node_class_reference *reference = reference_of(object);
    if (object->kind->id != KIND_NODE_POOL)
        return; // their NodeClaims are removed with them
    text_join(text, ", ", object->meta.name);
    if (reference != NULL && reference->kind != NULL)
        text_format(text, " (%s)", reference->kind);
}

void live_provider_leave_out_others(struct live_provider *provider, struct snapshot *snapshot)
{
    static const enum kind_id kinds[] = {KIND_NODE_POOL, KIND_NODE_CLAIM};
    struct text left_out = {0};
    for (size_t i = 0; i < ARRAY_LENGTH(kinds) && provider->record.node_classes != NULL; i++) {
        const struct object **items = snapshot->objects[kinds[i]].items;
        uint32_t kept = 0, count = snapshot->objects[kinds[i]].count;
        for (uint32_t at = 0; at < count; at++) {
            if (serves(&provider->record, items[at])) {
                items[kept++] = items[at];
                continue;
            }
            name_left_out(&left_out, items[at]);
            object_release(items[at]);
        }
        snapshot->objects[kinds[i]].count = kept;
    }
    provider->left_out = text_take(&left_out);
}

// --- its instance types --------------------------------------------------------------------------
static bool is_set(const char *path)
{
    return path != NULL && path[0] != '\0';
}

const struct cloud_provider *live_provider_built_in(const struct live_provider *provider,
                                                    const char *path)
{
    bool built_in = !is_set(path) && provider->record.source == TYPES_BUILT_IN;
    return built_in ? provider_find(provider->record.provider) : NULL;
}

bool live_provider_find_region(struct live_provider *provider, const char *path, const char *asked,
                               const struct snapshot *snapshot, struct error *error)
{
    const struct cloud_provider *built_in = live_provider_built_in(provider, path);
    bool is_published = provider->record.namespace != NULL;
    if (asked == NULL && is_published && built_in != NULL && built_in->regions_of_files_only)
        return true;
    return region_find(&provider->region, built_in, asked, snapshot, error);
}

const struct instance_type_catalog *live_provider_catalog(const struct live_provider *provider,
                                                          const char *path,
                                                          const struct snapshot *snapshot,
                                                          struct error *error)
{
    const struct provider_record *record = &provider->record;
    if (is_set(path))
        return providers_read_catalog(path, error);
    const struct cloud_provider *built_in = live_provider_built_in(provider, path);
    if (built_in != NULL && provider->region.table != NULL)
        return region_catalog(&provider->region, built_in, snapshot, error);
    if (record->source == TYPES_BUILT_IN)
        return providers_catalog(record->provider, error);
    if (record->source == TYPES_PUBLISHED)
        return (const struct instance_type_catalog *)object_acquire(
            (const struct object *)record->catalog);
    error_set(error, ERROR_INVALID,
              "the instance types of the cluster's controller are its own, and too many to be "
              "published: --catalog FILE gives them");
    return NULL;
}

void live_provider_add_class_catalogs(const struct live_provider *provider, const char *path,
                                      const struct instance_type_catalog *common,
                                      struct snapshot *snapshot, struct text *text)
{
    const struct cloud_provider *row = live_provider_built_in(provider, path);
    if (row != NULL)
        class_catalogs_add(snapshot, row, &provider->region, common, text);
}

char *live_provider_catalog_text(const struct live_provider *provider, const char *path,
                                 const struct snapshot *snapshot)
{
    struct text text = {0};
    if (is_set(path))
        text_format(&text, "of %s", path);
    else if (provider->record.source == TYPES_PUBLISHED)
        text_add(&text, "of the cluster's controller");
    else
        return region_catalog_text(&provider->region, provider_find(provider->record.provider),
                                   snapshot);
    return text_take(&text);
}
