#include "cloud/aws/types/ec2_types.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/log.h"
#include "base/map.h"
#include "base/text.h"
#include "cloud/aws/families/ami_family.h"
#include "cloud/aws/types/learned_memory.h"
#include "cloud/aws/types/resolved_types.h"
#include "cloud/aws/types/type_zones.h"

#define ENTRIES_MAX 64 // NodeClasses whose types are kept

struct ec2_types {
    struct ec2_types_options options;
    char *region;
    struct instance_infos *infos;
    struct type_zones *zones;
    uint64_t infos_hash;
    uint64_t generation;              // of infos and zones
    struct type_figures *own_figures; // NULL: those of the options, or none was needed yet
    struct learned_memory *learned;
    uint64_t learned_generation;
    struct map *families; // image id -> text: the family of NodeClasses that use it
    struct map *entries;  // NodeClass name -> struct resolved_types
    uint64_t uses;
    struct types_refresh *refresh; // under way
};
struct types_refresh {
    struct ec2_types *types;
    ec2_types_done done;
    void *context;
    struct aws_call *calls[2];
    uint32_t pending;
    struct instance_infos *infos;
    struct type_zones *zones;
    uint64_t infos_hash;
    struct error error;
};

struct ec2_types *ec2_types_create(const struct ec2_types_options *options)
{
    assert(options->loop != NULL && options->settings != NULL && options->region != NULL);
    assert(options->prices != NULL);
    struct ec2_types *types = memory_allocate(sizeof *types);
    types->options = *options;
    types->region = memory_copy_string(options->region);
    types->learned = learned_memory_create(options->loop);
    types->families = map_create();
    types->entries = map_create();
    if (options->settings->reserved_enis > 0 && !options->settings->compatibility_upstream)
        log_info("RESERVED_ENIS lowers the default number of pods; it does not change what is "
                 "reserved for the kubelet",
                 "i:reserved-enis", options->settings->reserved_enis);
    return types;
}

static void entry_destroy(void *value)
{
    resolved_types_destroy(value);
}

static void forget_entries(struct ec2_types *types)
{
    map_destroy(types->entries, entry_destroy);
    types->entries = map_create();
}

static void refresh_destroy(struct types_refresh *refresh)
{
    if (refresh == NULL)
        return;
    for (int i = 0; i < 2; i++)
        if (refresh->calls[i] != NULL)
            aws_call_cancel(refresh->calls[i]);
    instance_infos_destroy(refresh->infos);
    type_zones_destroy(refresh->zones);
    free(refresh);
}

void ec2_types_destroy(struct ec2_types *types)
{
    if (types == NULL)
        return;
    refresh_destroy(types->refresh);
    map_destroy(types->entries, entry_destroy);
    map_destroy(types->families, free);
    learned_memory_destroy(types->learned);
    instance_infos_destroy(types->infos);
    type_zones_destroy(types->zones);
    type_figures_destroy(types->own_figures);
    free(types->region);
    free(types);
}

bool ec2_types_loaded(const struct ec2_types *types)
{
    return types->infos != NULL && types->zones != NULL;
}

const struct instance_infos *ec2_types_infos(const struct ec2_types *types)
{
    return types->infos;
}

// --- asking EC2 (AWI-1 to 6) ---------------------------------------------------------------------

static struct type_figures *figures_of(struct ec2_types *types)
{
    if (types->options.figures != NULL)
        return types->options.figures;
    if (types->own_figures == NULL)
        types->own_figures = type_figures_create();
    return types->own_figures;
}

static void changed(struct ec2_types *types)
{
    types->generation++;
    if (types->options.changed != NULL)
        types->options.changed(types->options.context);
}

// Both replace the former answer as a whole; what was made of it goes first.
static bool take_infos(struct ec2_types *types, struct instance_infos *infos, uint64_t hash)
{
    if (types->infos != NULL && hash != 0 && types->infos_hash == hash) {
        instance_infos_destroy(infos);
        return false;
    }
    forget_entries(types);
    instance_infos_destroy(types->infos);
    types->infos = infos;
    types->infos_hash = hash;
    log_debug("discovered instance types", "i:count", (int64_t)infos->count);
    return true;
}

static bool take_zones(struct ec2_types *types, struct type_zones *zones)
{
    if (type_zones_equal(types->zones, zones)) {
        type_zones_destroy(zones);
        return false;
    }
    forget_entries(types);
    type_zones_destroy(types->zones);
    types->zones = zones;
    struct text names = {0};
    for (uint32_t i = 0; i < zones->count; i++)
        text_join(&names, ",", zones->names[i]);
    if (zones->masks != NULL)
        log_debug("discovered offerings for instance types", "i:instance-type-count",
                  (int64_t)map_count(zones->masks));
    log_debug("discovered zones", "s:zones", names.data);
    text_free(&names);
    return true;
}

void ec2_types_use(struct ec2_types *types, struct instance_infos *infos, const char *const *zones)
{
    bool any = take_infos(types, infos, 0);
    any = take_zones(types, type_zones_of(zones)) || any;
    if (any)
        changed(types);
}

void ec2_types_use_replies(struct ec2_types *types, const json_t *instance_types,
                           const json_t *offerings)
{
    struct instance_infos *infos = instance_infos_create();
    struct type_zones *zones = type_zones_create();
    instance_infos_add_page(infos, instance_types);
    instance_infos_finish(infos, figures_of(types));
    type_zones_add_page(zones, offerings);
    type_zones_finish(zones);
    bool any = take_infos(types, infos, 0);
    any = take_zones(types, zones) || any;
    if (any)
        changed(types);
}

// Order-free (AWI-5).
static uint64_t page_hash(const json_t *reply)
{
    uint64_t sum = 0;
    size_t index;
    json_t *item;
    json_array_foreach (json_object_get(reply, "InstanceTypes"), index, item) {
        char *text = json_dumps(item, JSON_COMPACT | JSON_SORT_KEYS);
        sum += text != NULL ? hash_string(text) | 1 : 1;
        free(text);
    }
    return sum;
}

static bool infos_page(void *context, const json_t *reply)
{
    struct types_refresh *refresh = context;
    uint32_t skipped = instance_infos_add_page(refresh->infos, reply);
    if (skipped > 0)
        log_error("skipping instance types that cannot be read", "i:count", (int64_t)skipped);
    refresh->infos_hash += page_hash(reply);
    return true;
}

static bool zones_page(void *context, const json_t *reply)
{
    struct types_refresh *refresh = context;
    type_zones_add_page(refresh->zones, reply);
    return true;
}

static void note_failure(struct types_refresh *refresh, const char *what,
                         const struct error *failure)
{
    struct error own = *failure, first = refresh->error;
    error_prefix(&own, "%s", what);
    if (first.kind == ERROR_NONE)
        refresh->error = own;
    else // joined
        error_set(&refresh->error, first.kind, "%.700s; %.700s", first.message, own.message);
}

// A half that failed leaves the former answer in place.
static void refresh_end(struct types_refresh *refresh)
{
    struct ec2_types *types = refresh->types;
    types->refresh = NULL;
    bool any = false;
    if (refresh->infos != NULL) {
        instance_infos_finish(refresh->infos, figures_of(types));
        any = take_infos(types, refresh->infos, refresh->infos_hash);
        refresh->infos = NULL;
    }
    if (refresh->zones != NULL) {
        type_zones_finish(refresh->zones);
        any = take_zones(types, refresh->zones) || any;
        refresh->zones = NULL;
    }
    ec2_types_done done = refresh->done;
    void *context = refresh->context;
    struct error error = refresh->error;
    refresh_destroy(refresh);
    if (any)
        changed(types);
    done(context, &error);
}

static void infos_done(void *context, const struct aws_result *result)
{
    struct types_refresh *refresh = context;
    refresh->calls[0] = NULL;
    if (result->error.kind != ERROR_NONE) { // AWI-4: an incomplete answer is none
        note_failure(refresh, "describing instance types", &result->error);
        instance_infos_destroy(refresh->infos);
        refresh->infos = NULL;
    }
    if (--refresh->pending == 0)
        refresh_end(refresh);
}

static void zones_done(void *context, const struct aws_result *result)
{
    struct types_refresh *refresh = context;
    refresh->calls[1] = NULL;
    if (result->error.kind != ERROR_NONE) {
        note_failure(refresh, "describing instance type offerings", &result->error);
        type_zones_destroy(refresh->zones);
        refresh->zones = NULL;
    }
    if (--refresh->pending == 0)
        refresh_end(refresh);
}

static void refused(void *context)
{
    struct types_refresh *refresh = context;
    error_set(&refresh->error, ERROR_CONFLICT, "instance types are being described already");
    refresh->done(refresh->context, &refresh->error);
    refresh_destroy(refresh);
}

void ec2_types_refresh(struct ec2_types *types, struct aws_client *client, ec2_types_done done,
                       void *context)
{
    assert(done != NULL);
    struct types_refresh *refresh = memory_allocate(sizeof *refresh);
    refresh->types = types;
    refresh->done = done;
    refresh->context = context;
    if (types->refresh != NULL) {
        loop_post(types->options.loop, refused, refresh);
        return;
    }
    types->refresh = refresh;
    refresh->infos = instance_infos_create();
    refresh->zones = type_zones_create();
    refresh->pending = 2;
    json_t *filters = json_pack(
        "[{s:s, s:[s]}, {s:s, s:[s, s]}]", "Name", "supported-virtualization-type", "Values", "hvm",
        "Name", "processor-info.supported-architecture", "Values", "x86_64", "arm64");
    refresh->calls[0] = aws_client_start(
        client, &(struct aws_request){
                    .action = EC2_DESCRIBE_INSTANCE_TYPES,
                    .parameters = json_pack("{s:o, s:i}", "Filters", filters, "MaxResults", 100),
                    .all_pages = true,
                    .page = infos_page,
                    .done = infos_done,
                    .context = refresh,
                });
    refresh->calls[1] = aws_client_start(
        client, &(struct aws_request){
                    .action = EC2_DESCRIBE_INSTANCE_TYPE_OFFERINGS,
                    .parameters = json_pack("{s:s, s:i}", "LocationType", "availability-zone",
                                            "MaxResults", 1000),
                    .all_pages = true,
                    .page = zones_page,
                    .done = zones_done,
                    .context = refresh,
                });
}

// --- catalogues ----------------------------------------------------------------------------------

// Images whose family is known, so that a Node's memory is remembered with it (AWI-906).
static void note_families(struct ec2_types *types, const struct ec2_node_class *node_class)
{
    const char *family = ami_family_facts(ami_family_of(node_class))->name;
    list_for_each (ami, &node_class->status.amis) {
        if (ami->id == NULL || map_count(types->families) >= 10000)
            continue;
        if (!text_equal(map_get(types->families, ami->id), family))
            free(map_set(types->families, ami->id, memory_copy_string(family)));
    }
}

static void make_room(struct ec2_types *types)
{
    if (map_count(types->entries) < ENTRIES_MAX)
        return;
    const char *least = NULL;
    uint64_t used = UINT64_MAX;
    for (struct map_entry *entry = map_first(types->entries); entry != NULL;
         entry = map_next(entry)) {
        const struct resolved_types *resolved = map_value(entry);
        if (resolved_types_used(resolved) < used) {
            used = resolved_types_used(resolved);
            least = map_key(entry);
        }
    }
    entry_destroy(map_remove(types->entries, least));
}

const struct instance_type_catalog *ec2_types_for(struct ec2_types *types,
                                                  const struct ec2_node_class *node_class,
                                                  struct error *error)
{
    if (types->infos == NULL || types->infos->count == 0) {
        error_set(error, ERROR_UNAVAILABLE, "no instance types found");
        return NULL;
    }
    if (types->zones == NULL || types->zones->count == 0) {
        error_set(error, ERROR_UNAVAILABLE, "no instance types offerings found");
        return NULL;
    }
    if (node_class->status.subnets.count == 0) {
        error_set(error, ERROR_NODE_CLASS_NOT_READY, "no subnets found");
        return NULL;
    }
    note_families(types, node_class);
    const struct resolving resolving = {
        .options = &types->options,
        .region = types->region,
        .infos = types->infos,
        .zones = types->zones,
        .learned = types->learned,
        .generation = types->generation + (types->learned_generation << 32),
    };
    const char *name = text_or_empty(node_class->meta.name);
    struct resolved_types *resolved = map_get(types->entries, name);
    if (resolved == NULL || !resolved_types_are_of(resolved, &resolving, node_class)) {
        resolved = resolved_types_create(&resolving, node_class, error);
        if (resolved == NULL)
            return NULL;
        struct resolved_types *before = map_remove(types->entries, name);
        resolved_types_destroy(before);
        make_room(types);
        map_set(types->entries, name, resolved);
    }
    resolved_types_use(resolved, ++types->uses);
    return resolved_types_catalogue(resolved, &resolving);
}

// --- learned memory ------------------------------------------------------------------------------

bool ec2_types_learn(struct ec2_types *types, const char *instance_type, const char *image_id,
                     int64_t memory_bytes)
{
    const char *family = map_get(types->families, image_id);
    bool any = learned_memory_note(types->learned, instance_type, image_id, text_or_empty(family),
                                   memory_bytes);
    types->learned_generation += any;
    return any;
}

json_t *ec2_types_learned_encode(const struct ec2_types *types)
{
    return learned_memory_encode(types->learned);
}

uint32_t ec2_types_learned_decode(struct ec2_types *types, const json_t *value)
{
    uint32_t count = learned_memory_decode(types->learned, value);
    types->learned_generation += count > 0;
    return count;
}
