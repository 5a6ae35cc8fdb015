#include "cloud/aws/types/type_figures.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/text.h"
#include "cloud/aws/types/type_facts.h"

#define TYPES_MAX      20000
#define NAME_MAX_BYTES 63
#define FIGURE_MAX     INT64_C(1000000000)
#define TOLD_MAX       TYPES_MAX

struct type_figures {
    struct map *by_type; // -> struct type_figure
    struct map *told;    // types without figures that were logged
};

static const struct {
    const char *name;
    size_t place;
} fields[] = {
    {"networkMbps", offsetof(struct type_figure, network_mbps)},
    {"branchInterfaces", offsetof(struct type_figure, branch_interfaces)},
    {"ipv4PerEni", offsetof(struct type_figure, windows_addresses)},
};

struct type_figures *type_figures_create(void)
{
    // It is in no table of facts but the one of bandwidths.
    static const struct type_figure trn2u = {.network_mbps = 3200000};
    struct type_figures *figures = memory_allocate(sizeof *figures);
    figures->by_type = map_create();
    figures->told = map_create();
    struct error error = {0};
    json_t *facts = type_facts_load(&error), *row;
    assert(facts != NULL); // built in
    map_set(figures->by_type, "trn2u.48xlarge", memory_copy(&trn2u, sizeof trn2u));
    size_t index;
    json_array_foreach (json_object_get(facts, "types"), index, row) {
        const char *name = json_string_value(json_object_get(row, "name"));
        assert(name != NULL);
        struct type_figure *figure = map_ensure(figures->by_type, name, sizeof *figure);
        *figure = type_facts_figure(row);
    }
    json_decref(facts);
    return figures;
}

void type_figures_destroy(struct type_figures *figures)
{
    if (figures == NULL)
        return;
    map_destroy(figures->by_type, free);
    map_destroy(figures->told, NULL);
    free(figures);
}

// --- the file ------------------------------------------------------------------------------------

static bool check_row(const json_t *row, size_t index, struct error *error)
{
    const char *name = json_string_value(json_object_get(row, "name"));
    if (text_is_empty(name) || strlen(name) > NAME_MAX_BYTES || !text_is_label_value(name, NULL))
        return error_set(error, ERROR_INVALID, "types[%zu] has no name of an instance type", index);
    uint32_t known = 0;
    for (size_t i = 0; i < ARRAY_LENGTH(fields); i++) {
        const json_t *value = json_object_get(row, fields[i].name);
        int64_t number = json_integer_value(value);
        if (value == NULL || json_is_null(value))
            continue;
        if (!json_is_integer(value) || number < 0 || number > FIGURE_MAX)
            return error_set(error, ERROR_INVALID,
                             "%s of %s must be a whole number from 0 to 1000000000", fields[i].name,
                             name);
        known++;
    }
    return known > 0 || json_object_get(row, "sources") != NULL ||
           error_set(error, ERROR_INVALID,
                     "%s has none of networkMbps, branchInterfaces and ipv4PerEni", name);
}

static bool check(const json_t *value, struct error *error)
{
    const json_t *types = json_object_get(value, "types"), *row;
    size_t index;
    if (!json_is_array(types) || json_array_size(types) > TYPES_MAX)
        return error_set(error, ERROR_INVALID, "types must be a list of at most %d entries",
                         TYPES_MAX);
    json_array_foreach (types, index, row)
        if (!check_row(row, index, error))
            return false;
    return true;
}

static bool states(const json_t *row, const char *field)
{
    return json_is_integer(json_object_get(row, field));
}

static void add_row(struct type_figures *figures, const json_t *row)
{
    const char *name = json_string_value(json_object_get(row, "name"));
    struct type_figure *figure = map_ensure(figures->by_type, name, sizeof *figure);
    if (json_object_get(row, "sources") != NULL) { // a row of the project's own table
        *figure = type_facts_figure(row);
        return;
    }
    for (size_t i = 0; i < ARRAY_LENGTH(fields); i++)
        if (states(row, fields[i].name))
            memcpy((char *)figure + fields[i].place,
                   &(int64_t){json_integer_value(json_object_get(row, fields[i].name))},
                   sizeof(int64_t));
}

bool type_figures_add(struct type_figures *figures, const json_t *value, struct error *error)
{
    size_t index;
    json_t *row;
    assert(figures != NULL);
    if (!check(value, error))
        return false;
    json_array_foreach (json_object_get(value, "types"), index, row)
        add_row(figures, row);
    return true;
}

bool type_figures_load(struct type_figures *figures, const char *path, struct error *error)
{
    json_error_t problem;
    assert(path != NULL);
    json_t *value = json_load_file(path, JSON_REJECT_DUPLICATES, &problem);
    if (value == NULL)
        return error_set(error, ERROR_INVALID, "%s, line %d: %s", path, problem.line, problem.text);
    bool added = type_figures_add(figures, value, error);
    json_decref(value);
    if (!added)
        error_prefix(error, "%s", path);
    return added;
}

// --- use -----------------------------------------------------------------------------------------

bool type_figures_fill(const struct type_figures *figures, struct instance_info *info)
{
    const struct type_figure *figure = map_get(figures->by_type, info->name);
    if (figure == NULL)
        return false;
    info->network_mbps = figure->network_mbps;
    info->branch_interfaces = figure->branch_interfaces;
    info->windows_addresses = figure->windows_addresses;
    return true;
}

bool type_figures_tell(struct type_figures *figures, const char *instance_type)
{
    if (map_get(figures->told, instance_type) != NULL || map_count(figures->told) >= TOLD_MAX)
        return false;
    map_set(figures->told, instance_type, figures);
    return true;
}
