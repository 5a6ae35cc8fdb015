#include "model/reading/catalog.h"

#include <assert.h>
#include <string.h>

#include "base/map.h"
#include "base/text.h"
#include "model/schema/karpenter.h"
#include "model/schema/resources.h"

// Sums of prices over a cluster must stay far from overflow.
#define OFFERING_PRICE_MAX (INT64_C(1000000) * 1000000000) // nano-USD an hour
#define FRACTION_MAX       (INT64_C(10000) * 1000000000)   // of vCPUs, of interruptions

// --- FMT-8 ---------------------------------------------------------------------------------------
static const char *const operators[] = {"In", "NotIn", "Exists", "DoesNotExist",
                                        "Gt", "Lt",    "Gte",    "Lte"};

static bool is_operator(const char *text)
{
    for (size_t i = 0; i < ARRAY_LENGTH(operators); i++)
        if (text_equal(text, operators[i]))
            return true;
    return false;
}

static bool check_operator(const char *path, uint32_t index, const char *operator,
                           struct error * error)
{
    const char *nearest[1];
    if (operator== NULL) {
        error_set(error, ERROR_INVALID, "missing");
        return error_locate(error, "%s[%u].operator", path, index);
    }
    bool has_hint = text_nearest(operator, operators, ARRAY_LENGTH(operators), nearest, 1) == 1;
    error_set(
        error, ERROR_INVALID,
        "\"%.60s\" is none of In, NotIn, Exists, DoesNotExist, Gt, Lt, Gte, Lte%s%s%s", operator,
        has_hint ? "; did you mean \"" : "", has_hint ? nearest[0] : "", has_hint ? "\"?" : "");
    return error_locate(error, "%s[%u].operator", path, index);
}

// In and the comparisons require values; Exists and DoesNotExist allow none.
static bool check_requirement(const char *path, uint32_t index,
                              const struct selector_requirement *requirement, struct error *error)
{
    if (text_is_empty(requirement->key)) {
        error_set(error, ERROR_INVALID, "missing");
        return error_locate(error, "%s[%u].key", path, index);
    }
    if (!is_operator(requirement->operator))
        return check_operator(path, index, requirement->operator, error);
    char first = requirement->operator[0];
    int64_t bound;
    if (first != 'G' && first != 'L')
        return true;
    if (requirement->values.count == 1 && text_parse_int64(requirement->values.items[0], &bound))
        return true;
    error_set(error, ERROR_INVALID, "%s takes one whole number", requirement->operator);
    return error_locate(error, "%s[%u].values", path, index);
}

static bool check_requirements(const char *parent, const requirement_list *requirements,
                               struct error *error)
{
    struct text path = {0};
    text_format(&path, "%s.requirements", parent);
    bool fine = true;
    for (uint32_t i = 0; fine && i < requirements->count; i++)
        fine = check_requirement(path.data, i, &requirements->items[i], error);
    text_free(&path);
    return fine;
}

// A negative capacity is invalid (overhead may be anything).
static bool check_capacity(const char *parent, const char *name, const struct resource_map *map,
                           struct error *error)
{
    list_for_each (quantity, map)
        if (quantity->value < 0) {
            error_set(error, ERROR_INVALID, "negative");
            return error_locate(error, "%s.%s[\"%s\"]", parent, name, quantity->name);
        }
    return true;
}

static bool check_price(const char *path, const char *name, int64_t price, struct error *error)
{
    if (price >= 0 && price <= OFFERING_PRICE_MAX)
        return true;
    error_set(error, ERROR_INVALID, price < 0 ? "negative" : "more than a million USD an hour");
    return error_locate(error, "%s.%s", path, name);
}

static bool check_fraction(const char *path, const char *name, int64_t value, struct error *error)
{
    if (value >= 0 && value <= FRACTION_MAX)
        return true;
    error_set(error, ERROR_INVALID, value < 0 ? "negative" : "more than ten thousand");
    return error_locate(error, "%s.%s", path, name);
}

static bool check_offering(const char *path, const struct offering *offering, struct error *error)
{
    if (!check_price(path, "price", offering->price, error) ||
        !check_fraction(path, "interruptionsPerMonth", offering->interruptions, error))
        return false;
    if (offering->reservation_capacity.present && offering->reservation_capacity.value < 0) {
        error_set(error, ERROR_INVALID, "negative");
        return error_locate(error, "%s.reservationCapacity", path);
    }
    return check_requirements(path, &offering->requirements, error) &&
           check_capacity(path, "capacityOverride", &offering->capacity_override, error);
}

static bool check_instance_type(const char *path, const struct instance_type *type,
                                struct error *error)
{
    struct text offering_path = {0};
    bool fine = check_requirements(path, &type->requirements, error) &&
                check_capacity(path, "capacity", &type->capacity, error) &&
                check_price(path, "volumePrice", type->volume_price, error) &&
                check_fraction(path, "burst.baselineCPU", type->burst.baseline, error) &&
                check_price(path, "burst.surplusPrice", type->burst.surplus_price, error);
    for (uint32_t i = 0; fine && i < type->offerings.count; i++) {
        text_clear(&offering_path);
        text_format(&offering_path, "%s.offerings[%u]", path, i);
        fine = check_offering(offering_path.data, &type->offerings.items[i], error);
    }
    text_free(&offering_path);
    return fine;
}

bool instance_type_catalog_check_values(const struct instance_type_catalog *catalog,
                                        struct error *error)
{
    for (uint32_t i = 0; i < catalog->spec.instance_types.count; i++) {
        const struct instance_type *type = &catalog->spec.instance_types.items[i];
        char path[64];
        snprintf(path, sizeof path, "spec.instanceTypes[%u]", i);
        if (text_is_empty(type->name)) {
            error_set(error, ERROR_INVALID, "missing");
            return error_locate(error, "%s.name", path);
        }
        if (!check_instance_type(path, type, error))
            return false;
    }
    return true;
}

bool instance_type_catalog_check_names(const struct instance_type_catalog *catalog,
                                       struct error *error)
{
    const struct instance_type *first = catalog->spec.instance_types.items;
    struct map *seen = map_create();
    bool fine = true;
    for (uint32_t i = 0; fine && i < catalog->spec.instance_types.count; i++) {
        if (first[i].name == NULL)
            continue;
        const struct instance_type *before = map_set(seen, first[i].name, (void *)&first[i]);
        if (before != NULL)
            fine = error_set(error, ERROR_INVALID,
                             "spec.instanceTypes[%u].name: \"%s\" is the name of "
                             "spec.instanceTypes[%u], too",
                             i, first[i].name, (uint32_t)(before - first));
    }
    map_destroy(seen, NULL);
    return fine;
}

bool instance_type_catalog_check(const struct instance_type_catalog *catalog, struct error *error)
{
    return instance_type_catalog_check_values(catalog, error) &&
           instance_type_catalog_check_names(catalog, error);
}

// --- readings ------------------------------------------------------------------------------------
const char *requirement_single_value(const requirement_list *requirements, const char *key)
{
    assert(key != NULL);
    list_for_each (requirement, requirements)
        if (text_equal(requirement->key, key) && text_equal(requirement->operator, "In") &&
            requirement->values.count == 1)
            return requirement->values.items[0];
    return NULL;
}

const struct instance_type *instance_type_catalog_find(const struct instance_type_catalog *catalog,
                                                       const char *name)
{
    list_for_each (type, &catalog->spec.instance_types)
        if (name != NULL && text_equal(type->name, name))
            return type;
    return NULL;
}

// An offering without reservation id may belong to any reservation.
static bool is_own_reservation(const struct offering *offering, const struct string_map *labels)
{
    list_for_each (requirement, &offering->requirements) {
        if (!text_ends_with(requirement->key, "reservation-id"))
            continue;
        const char *own = string_map_get(labels, requirement->key);
        const char *value = requirement_single_value(&offering->requirements, requirement->key);
        return own == NULL || text_equal(own, value);
    }
    return true;
}

const struct offering *instance_type_offering(const struct instance_type *type,
                                              const struct string_map *labels, bool own_reservation)
{
    const char *zone = string_map_get(labels, LABEL_ZONE);
    const char *capacity_type = string_map_get(labels, LABEL_CAPACITY_TYPE);
    list_for_each (offering, &type->offerings)
        if (text_equal(requirement_single_value(&offering->requirements, LABEL_ZONE), zone) &&
            text_equal(requirement_single_value(&offering->requirements, LABEL_CAPACITY_TYPE),
                       capacity_type) &&
            (!own_reservation || is_own_reservation(offering, labels)))
            return offering;
    return NULL;
}

static struct resource_map total_overhead(struct arena *arena,
                                          const struct instance_type_overhead *overhead)
{
    struct resource_map kubelet =
        resource_map_sum(arena, &overhead->kube_reserved, &overhead->system_reserved);
    return resource_map_sum(arena, &kubelet, &overhead->eviction_threshold);
}

// Takes huge pages out of memory, down to 0.
static void take_huge_pages(const struct resource_map *capacity, struct resource_map *allocatable)
{
    struct resource_quantity *memory = NULL;
    list_for_each (quantity, allocatable)
        if (strcmp(quantity->name, "memory") == 0)
            memory = quantity;
    if (memory == NULL)
        return;
    list_for_each (quantity, capacity) {
        if (!text_starts_with(quantity->name, "hugepages-"))
            continue;
        memory->value = quantity_subtract(memory->value, quantity->value);
        if (memory->value < 0)
            memory->value = 0;
    }
}

struct resource_map instance_type_allocatable(struct arena *arena,
                                              const struct instance_type *instance_type,
                                              const struct offering *offering)
{
    assert(arena != NULL);
    struct resource_map capacity = instance_type->capacity;
    struct resource_map overhead = total_overhead(arena, &instance_type->overhead);
    if (offering != NULL && offering->capacity_override.items != NULL)
        capacity = resource_map_override(arena, &capacity, &offering->capacity_override);
    if (offering != NULL && offering->overhead_override.items != NULL)
        overhead = resource_map_override(arena, &overhead, &offering->overhead_override);
    struct resource_map allocatable = {
        .items = arena_allocate_array(arena, capacity.count + 1, sizeof *allocatable.items)};
    list_for_each (quantity, &capacity)
        allocatable.items[allocatable.count++] = (struct resource_quantity){
            quantity->name,
            quantity_subtract(quantity->value, resource_map_get(&overhead, quantity->name))};
    assert(allocatable.count == capacity.count);
    take_huge_pages(&capacity, &allocatable);
    return allocatable;
}
