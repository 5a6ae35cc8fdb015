#include "cli/input/region.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/vector.h"
#include "model/reading/catalog.h"
#include "model/tables/kinds.h"

#define TOLD_MAX  8 // contradictions
#define ZONES_MAX 24

enum rank { RANK_POOLS, RANK_CLASSES, RANK_NODES, RANK_COUNT };
struct evidence {
    char region[PROVIDER_REGION_MAX];
    enum rank rank;
    char *source; // "zone eu-west-1a of NodePool default"
};
struct search {
    const struct provider_regions *table;
    const enum kind_id *classes; // of nodes; ends with KIND_COUNT
    VECTOR(struct evidence) found;
    VECTOR(const char *) zones; // that NodePools name
};

void region_free(struct region *region)
{
    text_free(&region->remarks);
}

// --- evidence ------------------------------------------------------------------------------------

static void add(struct search *search, enum rank rank, const char *region, const char *noun,
                const char *value, const struct object *object)
{
    struct evidence evidence = {.rank = rank};
    struct text source = {0};
    memcpy(evidence.region, region, strlen(region) + 1);
    text_format(&source, "%s%s%s of %s %s", noun, noun[0] != '\0' ? " " : "", value,
                object->kind->name, text_or_empty(object->meta.name));
    evidence.source = text_take(&source);
    vector_push(&search->found, evidence);
}

static void add_zone(struct search *search, enum rank rank, const char *zone,
                     const struct object *object)
{
    char region[PROVIDER_REGION_MAX];
    if (zone == NULL || !search->table->of_zone(zone, region))
        return;
    add(search, rank, region, "zone", zone, object);
    if (rank == RANK_POOLS)
        vector_push(&search->zones, zone);
}

static void add_region(struct search *search, enum rank rank, const char *region,
                       const struct object *object)
{
    if (region != NULL && strlen(region) < PROVIDER_REGION_MAX && search->table->is_known(region))
        add(search, rank, region, "region", region, object);
}

static void add_labels(struct search *search, enum rank rank, const struct string_map *labels,
                       const struct object *object)
{
    add_region(search, rank, string_map_get(labels, LABEL_REGION), object);
    add_zone(search, rank, string_map_get(labels, LABEL_ZONE), object);
}

static void read_pool(struct search *search, const struct node_pool *pool)
{
    const struct object *object = (const struct object *)pool;
    add_labels(search, RANK_POOLS, &pool->spec.template.metadata.labels, object);
    list_for_each (requirement, &pool->spec.template.spec.requirements) {
        if (requirement->key == NULL || !text_equal(requirement->operator, "In"))
            continue;
        const char *key = label_alias_target(requirement->key);
        for (uint32_t i = 0; i < requirement->values.count; i++)
            if (strcmp(key, LABEL_ZONE) == 0)
                add_zone(search, RANK_POOLS, requirement->values.items[i], object);
            else if (strcmp(key, LABEL_REGION) == 0)
                add_region(search, RANK_POOLS, requirement->values.items[i], object);
    }
}

static void read_class(struct search *search, const struct object *node_class)
{
    CLEANUP_ARENA struct arena *arena = arena_create(1024);
    for (const char *const *zone = search->table->zones_of_class(arena, node_class); *zone != NULL;
         zone++)
        add_zone(search, RANK_CLASSES, *zone, node_class);
}

static void read_all(struct search *search, const struct snapshot *snapshot)
{
    for (uint32_t i = 0; i < snapshot->objects[KIND_NODE_POOL].count; i++)
        read_pool(search, (const struct node_pool *)snapshot->objects[KIND_NODE_POOL].items[i]);
    for (const enum kind_id *kind = search->classes; *kind != KIND_COUNT; kind++)
        for (uint32_t i = 0; i < snapshot->objects[*kind].count; i++)
            read_class(search, snapshot->objects[*kind].items[i]);
    for (uint32_t i = 0; i < snapshot->objects[KIND_NODE].count; i++) {
        const struct object *node = snapshot->objects[KIND_NODE].items[i];
        add_labels(search, RANK_NODES, &node->meta.labels, node);
    }
}

static void search_free(struct search *search)
{
    for (uint32_t i = 0; i < search->found.count; i++)
        free(search->found.items[i].source);
    vector_free(&search->found);
    vector_free(&search->zones);
}

// --- the choice ----------------------------------------------------------------------------------

static int compare_evidence(const void *a, const void *b)
{
    const struct evidence *x = a, *y = b;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    int order = strcmp(x->region, y->region);
    return order != 0 ? order : strcmp(x->source, y->source);
}

static uint32_t mentions(const struct search *search, const struct evidence *of)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < search->found.count; i++)
        count += search->found.items[i].rank == of->rank &&
                 strcmp(search->found.items[i].region, of->region) == 0;
    return count;
}

// Of the first rank the region most often named, the first by name; NULL: there is none.
static const struct evidence *strongest(const struct search *search)
{
    const struct evidence *best = NULL;
    for (uint32_t i = 0; i < search->found.count; i++) {
        const struct evidence *one = &search->found.items[i];
        if (best == NULL ||
            (one->rank == best->rank && mentions(search, one) > mentions(search, best)))
            best = one;
    }
    return best;
}

static void tell_contradictions(const struct search *search, struct region *region)
{
    uint32_t told = 0, more = 0;
    const char *last = "";
    for (uint32_t i = 0; i < search->found.count; i++) {
        const struct evidence *one = &search->found.items[i];
        if (strcmp(one->region, region->name) == 0 || strcmp(one->source, last) == 0)
            continue;
        last = one->source;
        if (told++ < TOLD_MAX)
            text_format(&region->remarks, "\n%s is not in region %s: it contradicts", one->source,
                        region->name);
        else
            more++;
    }
    if (more > 0)
        text_format(&region->remarks, "\nand %" PRIu32 " more contradict", more);
}

static void take(struct region *region, const char *name, const char *source)
{
    assert(strlen(name) < sizeof region->name);
    memcpy(region->name, name, strlen(name) + 1);
    text_format(&region->remarks, "\nregion %s: by %s", name, source);
}

static void take_environment(struct region *region)
{
    for (const char *const *at = region->table->environment; *at != NULL; at++) {
        const char *value = getenv(*at);
        if (text_is_empty(value) || strlen(value) >= sizeof region->name)
            continue;
        if (region->table->is_known(value)) {
            struct text source = {0};
            text_format(&source, "%s of the environment", *at);
            take(region, value, source.data);
            text_free(&source);
            return;
        }
        text_format(&region->remarks, "\n%s names region %s, which is not known", *at, value);
    }
}

// Of a zone, or of a local zone without its letter.
static bool is_zone(const struct provider_regions *table, const char *asked,
                    char region[PROVIDER_REGION_MAX])
{
    char zone[PROVIDER_REGION_MAX];
    snprintf(zone, sizeof zone, "%.60sa", asked);
    return table->of_zone(asked, region) || table->of_zone(zone, region);
}

static bool refuse(const struct provider_regions *table, const char *asked, struct error *error)
{
    struct text near = {0};
    char region[PROVIDER_REGION_MAX];
    if (table != NULL && is_zone(table, asked, region))
        text_format(&near, "it names a zone of region %s", region);
    else if (table != NULL)
        table->add_near(asked, &near);
    error_set(error, ERROR_INVALID, "--region %.100s: %s%s%s", asked,
              table != NULL ? "there is no such region" : "these instance types know no regions",
              near.length > 0 ? "; " : "", text_or_empty(near.data));
    text_free(&near);
    return false;
}

bool region_find(struct region *region, const struct cloud_provider *provider, const char *asked,
                 const struct snapshot *snapshot, struct error *error)
{
    *region = (struct region){.table = provider != NULL ? provider->regions : NULL};
    if (asked != NULL && (region->table == NULL || strlen(asked) >= sizeof region->name ||
                          !region->table->is_known(asked)))
        return refuse(region->table, asked, error);
    if (region->table == NULL)
        return true;
    struct search search = {.table = region->table, .classes = provider->serves};
    read_all(&search, snapshot);
    if (search.found.count > 0)
        qsort(search.found.items, search.found.count, sizeof *search.found.items, compare_evidence);
    const struct evidence *best = strongest(&search);
    if (asked != NULL)
        take(region, asked, "--region");
    else if (best != NULL)
        take(region, best->region, best->source);
    else
        take_environment(region);
    if (region->name[0] != '\0')
        tell_contradictions(&search, region);
    else
        text_format(&region->remarks, "\nregion %s is taken: nothing names one (--region does)",
                    region->table->fallback);
    search_free(&search);
    return true;
}

// --- its types -----------------------------------------------------------------------------------

static void push_zone(const char **zones, uint32_t *count, const char *zone)
{
    for (uint32_t i = 0; i < *count; i++)
        if (strcmp(zones[i], zone) == 0)
            return;
    if (*count < ZONES_MAX)
        zones[(*count)++] = zone;
}

// Those of the region and those that NodePools name in it, by name; NULL-terminated.
static const char *const *zones_of(const struct region *region,
                                   const struct cloud_provider *provider,
                                   const struct snapshot *snapshot, struct arena *arena)
{
    const char **zones = arena_allocate_array(arena, ZONES_MAX + 1, sizeof *zones);
    const char *const *usual = region->table->zones(arena, region->name);
    struct search search = {.table = region->table, .classes = provider->serves};
    uint32_t count = 0;
    for (uint32_t i = 0; usual[i] != NULL; i++)
        push_zone(zones, &count, usual[i]);
    read_all(&search, snapshot);
    if (search.zones.count > 0)
        qsort(search.zones.items, search.zones.count, sizeof *search.zones.items, text_compare);
    for (uint32_t i = 0; i < search.zones.count; i++) {
        char of[PROVIDER_REGION_MAX];
        if (region->table->of_zone(search.zones.items[i], of) && strcmp(of, region->name) == 0)
            push_zone(zones, &count, arena_copy_string(arena, search.zones.items[i]));
    }
    search_free(&search);
    qsort(zones, count, sizeof *zones, text_compare);
    return zones;
}

const struct instance_type_catalog *region_catalog(const struct region *region,
                                                   const struct cloud_provider *provider,
                                                   const struct snapshot *snapshot,
                                                   struct error *error)
{
    assert(region->table != NULL);
    if (region->name[0] == '\0')
        return region->table->catalog(region->table->fallback, NULL, &snapshot->settings, error);
    CLEANUP_ARENA struct arena *arena = arena_create(4096);
    return region->table->catalog(region->name, zones_of(region, provider, snapshot, arena),
                                  &snapshot->settings, error);
}

struct estimates { // names of types, in byte order
    const char *const *names;
    size_t count;
};

static struct estimates estimates_of(const struct region *region, bool spot, struct arena *arena)
{
    const char *name = region->name[0] != '\0' ? region->name : region->table->fallback;
    struct estimates estimates = {.names = region->table->estimated(arena, name, spot)};
    while (estimates.names[estimates.count] != NULL)
        estimates.count++;
    return estimates;
}

static bool is_estimated(const struct estimates *estimates, const char *name)
{
    return bsearch(&name, estimates->names, estimates->count, sizeof name, text_compare) != NULL;
}

// Whether no on-demand machine of the type costs as little as this.
static bool is_spot_price(const struct instance_type *type, int64_t price)
{
    bool spot = false;
    list_for_each (offering, &type->offerings) {
        if (offering->price != price)
            continue;
        if (!text_equal(requirement_single_value(&offering->requirements, LABEL_CAPACITY_TYPE),
                        CAPACITY_TYPE_SPOT))
            return false;
        spot = true;
    }
    return spot;
}

void region_mark_estimates(const struct region *region, struct plan *plan)
{
    if (region->table == NULL)
        return;
    CLEANUP_ARENA struct arena *arena = arena_create(4096);
    const struct estimates lists = estimates_of(region, false, arena);
    const struct estimates spot = estimates_of(region, true, arena);
    list_for_each (claim, &plan->claims) {
        if (claim->types.count == 0)
            continue;
        const struct instance_type *type = claim->types.items[0].instance_type;
        claim->price_estimated =
            is_estimated(is_spot_price(type, claim->price) ? &spot : &lists, type->name);
    }
}

char *region_catalog_text(const struct region *region, const struct cloud_provider *provider,
                          const struct snapshot *snapshot)
{
    if (region->name[0] == '\0')
        return memory_copy_string(provider->catalog_text);
    CLEANUP_ARENA struct arena *arena = arena_create(4096);
    const struct estimates estimates = estimates_of(region, false, arena);
    uint32_t count = 0;
    if (snapshot->objects[KIND_INSTANCE_TYPE_CATALOG].count > 0) {
        const struct instance_type_catalog *common =
            (const struct instance_type_catalog *)snapshot->objects[KIND_INSTANCE_TYPE_CATALOG]
                .items[0];
        list_for_each (type, &common->spec.instance_types)
            count += is_estimated(&estimates, type->name);
    }
    struct text text = {0};
    region->table->describe(region->name, count, &text);
    return text_take(&text);
}
