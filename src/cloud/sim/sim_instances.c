#include "cloud/sim/sim_instances.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/random.h"
#include "base/text.h"
#include "base/vector.h"
#include "model/reading/catalog.h"
#include "model/schema/object.h"

struct record {
    struct sim_instance machine;
    struct sim_instances *park;
    struct arena *arena;
    struct timer *stop_timer;
};

struct stock {
    char *instance_type, *zone, *capacity_type; // NULL: any
    int64_t machines;                           // left; < 0: unlimited
};

struct sim_instances {
    struct loop *loop;
    struct sim_instances_options options;
    struct random random;
    VECTOR(struct record *) records; // running and stopping, in order of launch
    struct map *by_provider_id;      // -> record
    struct map *by_claim;            // claim UID -> record
    VECTOR(struct stock) stocks;     // the last match wins
    uint64_t launches, version;
    void (*listed)(void *context); // of the listener; NULL: there is none
    void *listener;
};

struct sim_instances *sim_instances_create(struct loop *loop,
                                           const struct sim_instances_options *options)
{
    assert(options->catalog != NULL);
    assert(options->stop_delay_min >= 0);
    struct sim_instances *park = memory_allocate(sizeof *park);
    park->loop = loop;
    park->options = *options;
    object_acquire((const struct object *)options->catalog);
    random_seed(&park->random, options->seed);
    park->by_provider_id = map_create();
    park->by_claim = map_create();
    return park;
}

static void record_free(struct record *record)
{
    timer_destroy(record->stop_timer);
    object_release((const struct object *)record->machine.claim);
    arena_destroy(record->arena);
    free(record);
}

void sim_instances_destroy(struct sim_instances *park)
{
    if (park == NULL)
        return;
    vector_for_each (record, &park->records)
        record_free(*record);
    vector_free(&park->records);
    vector_for_each (stock, &park->stocks) {
        free(stock->instance_type);
        free(stock->zone);
        free(stock->capacity_type);
    }
    vector_free(&park->stocks);
    map_destroy(park->by_provider_id, NULL);
    map_destroy(park->by_claim, NULL);
    object_release((const struct object *)park->options.catalog);
    free(park);
}

const struct instance_type_catalog *sim_instances_catalog(const struct sim_instances *park)
{
    return park->options.catalog;
}

void sim_instances_set_catalog(struct sim_instances *park,
                               const struct instance_type_catalog *catalog)
{
    assert(catalog != NULL);
    object_acquire((const struct object *)catalog);
    object_release((const struct object *)park->options.catalog);
    park->options.catalog = catalog;
    if (park->listed != NULL)
        park->listed(park->listener);
}

void sim_instances_listen(struct sim_instances *park, void (*listed)(void *context), void *context)
{
    assert(listed == NULL || park->listed == NULL);
    park->listed = listed;
    park->listener = context;
}

// --- stock ---------------------------------------------------------------------------------------

void sim_instances_stock(struct sim_instances *park, const char *instance_type, const char *zone,
                         const char *capacity_type, int64_t machines)
{
    struct stock stock = {memory_copy_string(instance_type), memory_copy_string(zone),
                          memory_copy_string(capacity_type), machines};
    vector_push(&park->stocks, stock);
}

static bool fits(const char *wanted, const char *actual)
{
    return wanted == NULL || text_equal(wanted, actual);
}

static struct stock *stock_of(const struct sim_instances *park, const char *instance_type,
                              const char *zone, const char *capacity_type)
{
    for (uint32_t i = park->stocks.count; i-- > 0;) {
        struct stock *stock = &park->stocks.items[i];
        if (fits(stock->instance_type, instance_type) && fits(stock->zone, zone) &&
            fits(stock->capacity_type, capacity_type))
            return stock;
    }
    return NULL;
}

bool sim_instances_has_stock(const struct sim_instances *park, const char *instance_type,
                             const char *zone, const char *capacity_type)
{
    const struct stock *stock = stock_of(park, instance_type, zone, capacity_type);
    return stock == NULL || stock->machines != 0;
}

// --- launching -----------------------------------------------------------------------------------

static void add_label(struct record *record, const char *key, const char *value)
{
    struct string_map *labels = &record->machine.facts.labels;
    for (uint32_t i = 0; i < labels->count; i++)
        if (strcmp(labels->items[i].key, key) == 0) {
            labels->items[i].value = arena_copy_string(record->arena, value);
            return;
        }
    labels->items[labels->count++] = (struct string_pair){arena_copy_string(record->arena, key),
                                                          arena_copy_string(record->arena, value)};
}

// Labels a machine with every single-valued fact of its type and its offering.
static void label(struct record *record, const struct instance_type *type,
                  const struct offering *offering)
{
    const requirement_list *lists[] = {&type->requirements, &offering->requirements};
    uint32_t most = type->requirements.count + offering->requirements.count + 1;
    record->machine.facts.labels.items =
        arena_allocate_array(record->arena, most, sizeof(struct string_pair));
    add_label(record, LABEL_INSTANCE_TYPE, type->name);
    for (size_t i = 0; i < ARRAY_LENGTH(lists); i++)
        list_for_each (requirement, lists[i]) {
            if (text_equal(requirement->operator, "In") && requirement->values.count == 1)
                add_label(record, requirement->key, requirement->values.items[0]);
        }
    struct string_map *labels = &record->machine.facts.labels;
    assert(labels->count <= most);
    qsort(labels->items, labels->count, sizeof labels->items[0], string_pair_compare);
}

static struct resource_map copy_resources(struct arena *arena, const struct resource_map *from)
{
    struct resource_map to = {arena_allocate_array(arena, from->count + 1, sizeof *to.items), 0};
    list_for_each (entry, from) {
        if (entry->value != 0) // API-195: zero quantities are left out
            to.items[to.count++] =
                (struct resource_quantity){arena_copy_string(arena, entry->name), entry->value};
    }
    return to;
}

static void describe(struct record *record, const struct node_claim *claim,
                     const struct instance_type *type, const struct offering *offering)
{
    assert(offering->price >= 0);
    struct arena *arena = record->arena;
    struct machine *facts = &record->machine.facts;
    label(record, type, offering);
    record->machine.instance_type = string_map_get(&facts->labels, LABEL_INSTANCE_TYPE);
    record->machine.zone = string_map_get(&facts->labels, LABEL_ZONE);
    record->machine.capacity_type = string_map_get(&facts->labels, LABEL_CAPACITY_TYPE);
    record->machine.price = offering->price;
    const char *zone = record->machine.zone != NULL ? record->machine.zone : "nowhere";
    facts->provider_id =
        arena_format(arena, "sim:///%s/i-%017llx", zone,
                     (unsigned long long)(random_next(&record->park->random) >> 4));
    assert(strrchr(facts->provider_id, '/') != NULL);
    facts->node_name = arena_format(arena, "node-%s", strrchr(facts->provider_id, '/') + 3);
    facts->image_id = "image-sim";
    facts->capacity = copy_resources(arena, &type->capacity);
    struct resource_map allocatable = instance_type_allocatable(arena, type, offering);
    facts->allocatable = copy_resources(arena, &allocatable);
    facts->created = loop_now_ns(record->park->loop);
    facts->node_claim_name = arena_copy_string(arena, claim->meta.name);
    facts->node_claim_uid = arena_copy_string(arena, claim->meta.uid);
    record->machine.claim = (struct node_claim *)object_acquire((const struct object *)claim);
}

const struct sim_instance *sim_instances_launch(struct sim_instances *park,
                                                const struct node_claim *claim,
                                                const struct instance_type *type,
                                                const struct offering *offering)
{
    assert(claim->meta.uid != NULL);
    const struct sim_instance *existing = sim_instances_find_claim(park, claim->meta.uid);
    if (existing != NULL)
        return existing;
    struct record *record = memory_allocate(sizeof *record);
    record->park = park;
    record->arena = arena_create(2048);
    describe(record, claim, type, offering);
    struct stock *stock = stock_of(park, record->machine.instance_type, record->machine.zone,
                                   record->machine.capacity_type);
    if (stock != NULL && stock->machines > 0)
        stock->machines--;
    vector_push(&park->records, record);
    map_set(park->by_provider_id, record->machine.facts.provider_id, record);
    map_set(park->by_claim, claim->meta.uid, record);
    assert(map_count(park->by_provider_id) == park->records.count);
    assert(map_count(park->by_claim) == park->records.count);
    park->launches++;
    park->version++;
    if (park->options.launched != NULL)
        park->options.launched(park->options.context, &record->machine);
    return &record->machine;
}

// --- stopping ------------------------------------------------------------------------------------

static void remove_record(struct sim_instances *park, struct record *record)
{
    assert(record->machine.phase != MACHINE_GONE);
    assert(park->records.count > 0);
    uint32_t at = 0;
    while (park->records.items[at] != record)
        at++;
    memmove(&park->records.items[at], &park->records.items[at + 1],
            (park->records.count - at - 1) * sizeof park->records.items[0]);
    park->records.count--;
    map_remove(park->by_provider_id, record->machine.facts.provider_id);
    map_remove(park->by_claim, record->machine.facts.node_claim_uid);
    assert(map_count(park->by_provider_id) == park->records.count);
    assert(map_count(park->by_claim) == park->records.count);
    struct stock *stock = stock_of(park, record->machine.instance_type, record->machine.zone,
                                   record->machine.capacity_type);
    if (stock != NULL && stock->machines >= 0)
        stock->machines++;
    record->machine.phase = MACHINE_GONE;
    park->version++;
    if (park->options.gone != NULL)
        park->options.gone(park->options.context, &record->machine);
    record_free(record);
}

static void stopped(void *context)
{
    struct record *record = context;
    assert(record->machine.phase == MACHINE_STOPPING);
    remove_record(record->park, record);
}

bool sim_instances_stop(struct sim_instances *park, const char *provider_id)
{
    struct record *record = map_get(park->by_provider_id, provider_id);
    if (record == NULL)
        return false;
    if (record->machine.phase == MACHINE_STOPPING)
        return true;
    assert(record->machine.phase == MACHINE_RUNNING);
    assert(record->stop_timer == NULL);
    record->machine.phase = MACHINE_STOPPING;
    park->version++;
    record->machine.facts.terminating = true;
    record->stop_timer = timer_create_on(park->loop, stopped, record);
    timer_start(record->stop_timer, random_between(&park->random, park->options.stop_delay_min,
                                                   park->options.stop_delay_max));
    return true;
}

bool sim_instances_reclaim(struct sim_instances *park, const char *provider_id)
{
    struct record *record = map_get(park->by_provider_id, provider_id);
    if (record == NULL)
        return false;
    remove_record(park, record);
    return true;
}

// --- looking -------------------------------------------------------------------------------------

const struct sim_instance *sim_instances_find(const struct sim_instances *park,
                                              const char *provider_id)
{
    const struct record *record = map_get(park->by_provider_id, provider_id);
    return record != NULL ? &record->machine : NULL;
}

const struct sim_instance *sim_instances_find_claim(const struct sim_instances *park,
                                                    const char *claim_uid)
{
    const struct record *record = map_get(park->by_claim, claim_uid);
    return record != NULL ? &record->machine : NULL;
}

const struct sim_instance *sim_instances_at(const struct sim_instances *park, uint32_t index)
{
    return index < park->records.count ? &park->records.items[index]->machine : NULL;
}

uint32_t sim_instances_count(const struct sim_instances *park)
{
    return park->records.count;
}

uint64_t sim_instances_version(const struct sim_instances *park)
{
    return park->version;
}

uint64_t sim_instances_launches(const struct sim_instances *park)
{
    return park->launches;
}

int64_t sim_instances_price(const struct sim_instances *park)
{
    int64_t price = 0;
    vector_for_each (record, &park->records) {
        if ((*record)->machine.phase == MACHINE_RUNNING)
            price += (*record)->machine.price;
    }
    return price;
}
