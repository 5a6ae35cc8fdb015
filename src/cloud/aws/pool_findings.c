#include "cloud/aws/pool_findings.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cloud/aws/types/region_prices.h"
#include "cloud/aws/types/region_zones.h"
#include "cloud/aws/types/type_facts.h"
#include "model/tables/well_known.h"

#define FAMILY         "karpenter.k8s.aws/instance-family"
#define SIZE           "karpenter.k8s.aws/instance-size"
#define REGION_DEFAULT "us-east-1"
#define NEAR_MAX       3

struct check {
    struct arena *arena;
    struct findings *findings;
    const char **types, **families; // made on first use
    size_t types_count, families_count;
};

// --- names ---------------------------------------------------------------------------------------

static void add_type(struct check *check, const char *type)
{
    if (type != NULL)
        check->types[check->types_count++] = type;
}

static void add_listed(struct check *check, const struct region_prices *prices)
{
    for (uint32_t i = 0; i < prices->count; i++)
        add_type(check, arena_copy_string(check->arena, prices->prices[i].instance_type));
}

static size_t distinct(const char **names, size_t count)
{
    size_t kept = 0;
    qsort(names, count, sizeof *names, text_compare);
    for (size_t i = 0; i < count; i++)
        if (kept == 0 || strcmp(names[kept - 1], names[i]) != 0)
            names[kept++] = names[i];
    return kept;
}

// All that are known by their facts or by a price somewhere.
static void load_types(struct check *check)
{
    struct error error = {0};
    json_t *table = type_facts_load(&error), *row;
    struct region_prices *base = region_prices_create(REGION_DEFAULT);
    const json_t *rows = json_object_get(table, "types");
    size_t index, most = json_array_size(rows) + base->count;
    check->types = arena_allocate_array(check->arena, most + 1, sizeof *check->types);
    check->families = arena_allocate_array(check->arena, most + 1, sizeof *check->families);
    json_array_foreach (rows, index, row) {
        const char *name = json_string_value(json_object_get(row, "name"));
        add_type(check, name != NULL ? arena_copy_string(check->arena, name) : NULL);
    }
    add_listed(check, base);
    check->types_count = distinct(check->types, check->types_count);
    for (size_t i = 0; i < check->types_count; i++)
        check->families[check->families_count++] =
            arena_copy_bytes(check->arena, check->types[i], strcspn(check->types[i], "."));
    check->families_count = distinct(check->families, check->families_count);
    region_prices_destroy(base);
    json_decref(table);
}

static bool list_has(const char *const *names, size_t count, const char *name)
{
    return bsearch(&name, names, count, sizeof *names, text_compare) != NULL;
}

static size_t length_of(const char *const *names)
{
    size_t count = 0;
    while (names[count] != NULL)
        count++;
    return count;
}

// --- findings ------------------------------------------------------------------------------------

// A value of a requirement or label.
struct value {
    const char *text, *path;
};

// p4d and p4de for p4; else those that are spelt alike.
static size_t near_names(const char *text, const char *const *names, size_t count,
                         const char **near)
{
    size_t found = 0;
    for (size_t i = 0; i < count && found < NEAR_MAX; i++)
        if (text_starts_with(names[i], text) && strchr(names[i], '.') == NULL)
            near[found++] = names[i];
    return found > 0 ? found : text_nearest(text, names, count, near, NEAR_MAX);
}

static void report(struct check *check, const struct value *value, const char *noun,
                   const char *const *names, size_t count)
{
    const char *near[NEAR_MAX];
    struct text hint = {0};
    size_t found = near_names(value->text, names, count, near);
    for (size_t i = 0; i < found; i++)
        text_format(&hint, "%s%s%s", i == 0 ? "did you mean " : " or ", near[i],
                    i + 1 == found ? "?" : "");
    findings_add(
        check->findings,
        &(struct finding){
            .level = FINDING_REJECTED, .rule = "GUI-13", .path = value->path, .hint = hint.data},
        "%s %s does not exist", noun, value->text);
    text_free(&hint);
}

static void check_type(struct check *check, const struct value *value, bool family)
{
    if (check->types == NULL)
        load_types(check);
    const char *const *names = family ? check->families : check->types;
    size_t count = family ? check->families_count : check->types_count;
    if (!list_has(names, count, value->text))
        report(check, value, family ? "instance family" : "instance type", names, count);
}

// A type where a part of its name is meant.
static bool is_whole_type(struct check *check, const struct value *value, const char *noun)
{
    if (check->types == NULL)
        load_types(check);
    if (!list_has(check->types, check->types_count, value->text))
        return false;
    findings_add(check->findings,
                 &(struct finding){.level = FINDING_REJECTED,
                                   .rule = "GUI-13",
                                   .path = value->path,
                                   .hint = "the key of types is " LABEL_INSTANCE_TYPE},
                 "%s is an instance type, no %s", value->text, noun);
    return true;
}

static void check_region(struct check *check, const struct value *value)
{
    const char *const *names = region_names(check->arena);
    if (!list_has(names, length_of(names), value->text) && !zone_is_known(value->text))
        report(check, value, "region", names, length_of(names));
}

// Names of another form are not EC2's, and not judged. Regions and ids in place of names are warned
// of elsewhere (W-zone).
static void check_zone(struct check *check, const struct value *value)
{
    char region[REGION_NAME_MAX];
    if (!zone_region(value->text, region) || zone_is_known(value->text))
        return;
    if (region_is_known(region)) {
        const char *const *zones = region_zone_names(check->arena, region);
        report(check, value, "zone", zones, length_of(zones));
        return;
    }
    const char *const *regions = region_names(check->arena);
    size_t count = length_of(regions);
    const char **zones = arena_allocate_array(check->arena, count + 1, sizeof *zones);
    const char *rest = value->text + strlen(region);
    for (size_t i = 0; i < count; i++)
        zones[i] = arena_format(check->arena, "%s%s", regions[i], rest);
    report(check, value, "zone", zones, count);
}

static void check_value(struct check *check, const char *key, const struct value *value)
{
    if (strcmp(key, LABEL_INSTANCE_TYPE) == 0)
        check_type(check, value, false);
    else if (strcmp(key, SIZE) == 0)
        (void)is_whole_type(check, value, "size");
    else if (strcmp(key, FAMILY) == 0 && !is_whole_type(check, value, "family"))
        check_type(check, value, true);
    else if (strcmp(key, LABEL_REGION) == 0)
        check_region(check, value);
    else if (strcmp(key, LABEL_ZONE) == 0)
        check_zone(check, value);
}

static void check_requirement(struct check *check, const struct selector_requirement *requirement,
                              uint32_t index)
{
    if (requirement->key == NULL || !text_equal(requirement->operator, "In"))
        return;
    for (uint32_t i = 0; i < requirement->values.count; i++) {
        const char *path =
            arena_format(check->arena, "spec.template.spec.requirements[%u].values[%u]", index, i);
        const struct value value = {requirement->values.items[i], path};
        if (value.text != NULL)
            check_value(check, label_alias_target(requirement->key), &value);
    }
}

void ec2_pool_findings(const struct node_pool *pool, struct findings *findings)
{
    assert(pool->kind->id == KIND_NODE_POOL && findings != NULL);
    CLEANUP_ARENA struct arena *arena = arena_create(4096);
    struct check check = {.arena = arena, .findings = findings};
    uint32_t index = 0;
    list_for_each (requirement, &pool->spec.template.spec.requirements)
        check_requirement(&check, requirement, index++);
    const struct string_map *labels = &pool->spec.template.metadata.labels;
    for (uint32_t i = 0; i < labels->count; i++) {
        const char *key = labels->items[i].key;
        const char *path = arena_format(arena, "spec.template.metadata.labels[\"%s\"]", key);
        const struct value value = {labels->items[i].value, path};
        if (value.text != NULL)
            check_value(&check, label_alias_target(key), &value);
    }
}
