#include "model/reading/scheduler_config.h"

#include <assert.h>
#include <string.h>

#include "base/text.h"
#include "model/manifest/input.h"
#include "model/tables/well_known.h"

struct config_reader {
    struct arena *arena;
    struct scheduler_config *out;
    struct error *error;
};

static bool refuse(struct config_reader *reader, const char *path, const char *why)
{
    return error_set(reader->error, ERROR_INVALID, "validating scheduler config, %s%s%s", path,
                     path[0] != '\0' ? " " : "", why);
}

// Checks for an object (or nothing) without unknown fields.
static bool check_fields(struct config_reader *reader, const json_t *object, const char *path,
                         const char *const *known)
{
    const char *key;
    json_t *value;
    if (object == NULL || json_is_null(object))
        return true;
    if (!json_is_object(object))
        return refuse(reader, path, "must be an object");
    json_object_foreach ((json_t *)(uintptr_t)object, key, value) {
        if (!text_list_has(known, key))
            return refuse(
                reader,
                arena_format(reader->arena, "%s%s%s", path, path[0] != '\0' ? "." : "", key),
                "is unknown");
    }
    return true;
}

static bool read_number(struct config_reader *reader, const json_t *object, const char *path,
                        const char *name, struct optional_int *out)
{
    const json_t *value = json_object_get(object, name);
    path = arena_format(reader->arena, "%s.%s", path, name);
    if (value == NULL || json_is_null(value))
        return true;
    if (!json_is_integer(value))
        return refuse(reader, path, "must be an integer");
    *out = (struct optional_int){true, json_integer_value(value)};
    return out->value > 0 ? out->value <= INT32_MAX || refuse(reader, path, "is too large")
                          : refuse(reader, path, "must be greater than 0");
}

// `choices`: NULL-terminated, or NULL: any text.
static bool read_choice(struct config_reader *reader, const json_t *object, const char *path,
                        const char *name, const char *const *choices, const char **out)
{
    const json_t *value = json_object_get(object, name);
    path = arena_format(reader->arena, "%s.%s", path, name);
    if (value == NULL || json_is_null(value))
        return true;
    if (!json_is_string(value))
        return refuse(reader, path, "must be a string");
    *out = arena_copy_string(reader->arena, json_string_value(value));
    if (choices != NULL && !text_list_has(choices, *out))
        return refuse(reader, path,
                      arena_format(reader->arena, "must be %s or %s", choices[0], choices[1]));
    return true;
}

static bool check_selectors(struct config_reader *reader, const json_t *source, const char *path)
{
    static const char *const names[] = {"labelSelector", "matchLabelKeys"};
    for (size_t i = 0; i < ARRAY_LENGTH(names); i++) {
        const json_t *value = json_object_get(source, names[i]);
        if (value != NULL && !json_is_null(value))
            return refuse(reader, arena_format(reader->arena, "%s.%s", path, names[i]),
                          "must not be set: it is deduced from the pod's Services and owner");
    }
    return true;
}

static bool check_required(struct config_reader *reader,
                           const struct topology_spread_constraint *constraint, const char *path)
{
    assert(path[0] != '\0');
    const char *why = NULL;
    if (constraint->max_skew == 0)
        return refuse(reader, arena_format(reader->arena, "%s.maxSkew", path),
                      "must be greater than 0");
    if (constraint->topology_key == NULL || constraint->topology_key[0] == '\0')
        return refuse(reader, arena_format(reader->arena, "%s.topologyKey", path),
                      "must not be empty");
    if (!text_is_qualified_name(constraint->topology_key, &why))
        return refuse(
            reader, arena_format(reader->arena, "%s.topologyKey", path),
            arena_format(reader->arena, "is not a qualified name, %s", why != NULL ? why : ""));
    if (constraint->when_unsatisfiable == NULL)
        return refuse(reader, arena_format(reader->arena, "%s.whenUnsatisfiable", path),
                      "must be DoNotSchedule or ScheduleAnyway");
    return true;
}

static bool check_unique(struct config_reader *reader,
                         const struct topology_spread_constraint *constraint, const char *path)
{
    list_for_each (other, &reader->out->default_constraints)
        if (other != constraint && strcmp(other->topology_key, constraint->topology_key) == 0 &&
            strcmp(other->when_unsatisfiable, constraint->when_unsatisfiable) == 0)
            return refuse(reader, path,
                          arena_format(reader->arena,
                                       "repeats an earlier constraint's topologyKey and "
                                       "whenUnsatisfiable (%s, %s)",
                                       constraint->topology_key, constraint->when_unsatisfiable));
    return true;
}

static bool read_constraint(struct config_reader *reader, const json_t *source, size_t index)
{
    static const char *const fields[] = {"maxSkew",
                                         "topologyKey",
                                         "whenUnsatisfiable",
                                         "labelSelector",
                                         "matchLabelKeys",
                                         "minDomains",
                                         "nodeAffinityPolicy",
                                         "nodeTaintsPolicy",
                                         NULL};
    static const char *const when[] = {"DoNotSchedule", "ScheduleAnyway", NULL};
    static const char *const policies[] = {"Honor", "Ignore", NULL};
    const char *path =
        arena_format(reader->arena, "podTopologySpread.defaultConstraints[%zu]", index);
    struct topology_spread_constraint *out =
        &reader->out->default_constraints.items[reader->out->default_constraints.count];
    struct optional_int skew = {0};
    if (!json_is_object(source))
        return refuse(reader, path, "must be an object");
    if (!check_fields(reader, source, path, fields) || !check_selectors(reader, source, path) ||
        !read_number(reader, source, path, "maxSkew", &skew) ||
        !read_choice(reader, source, path, "topologyKey", NULL, &out->topology_key) ||
        !read_choice(reader, source, path, "whenUnsatisfiable", when, &out->when_unsatisfiable) ||
        !read_number(reader, source, path, "minDomains", &out->min_domains) ||
        !read_choice(reader, source, path, "nodeAffinityPolicy", policies,
                     &out->node_affinity_policy) ||
        !read_choice(reader, source, path, "nodeTaintsPolicy", policies, &out->node_taints_policy))
        return false;
    out->max_skew = skew.value;
    if (!check_required(reader, out, path) || !check_unique(reader, out, path))
        return false;
    reader->out->default_constraints.count++;
    return true;
}

static bool read_root(struct config_reader *reader, const json_t *root)
{
    static const char *const root_fields[] = {"podTopologySpread", NULL};
    static const char *const spread_fields[] = {"defaultConstraints", NULL};
    const json_t *spread = json_object_get(root, "podTopologySpread");
    if (!check_fields(reader, root, "", root_fields) ||
        !check_fields(reader, spread, "podTopologySpread", spread_fields))
        return false;
    const json_t *list = json_object_get(spread, "defaultConstraints");
    if (list == NULL || json_is_null(list))
        return true;
    if (!json_is_array(list))
        return refuse(reader, "podTopologySpread.defaultConstraints", "must be a list");
    reader->out->default_constraints.items = arena_allocate_array(
        reader->arena, json_array_size(list) + 1, sizeof *reader->out->default_constraints.items);
    for (size_t i = 0; i < json_array_size(list); i++)
        if (!read_constraint(reader, json_array_get(list, i), i))
            return false;
    return true;
}

bool scheduler_config_read(const char *text, struct arena *arena, struct scheduler_config *out,
                           struct error *error)
{
    assert(arena != NULL);
    struct config_reader reader = {arena, out, error};
    struct documents documents = {0};
    *out = (struct scheduler_config){0};
    if (text == NULL || text[0] == '\0')
        return true;
    bool good =
        documents_read_text(&documents, text, strlen(text), "SCHEDULER_CONFIG", false, error);
    if (!good)
        error_prefix(error, "parsing scheduler config");
    else if (documents.count > 1)
        good = refuse(&reader, "", "must be one document");
    else if (documents.count == 1)
        good = read_root(&reader, documents.items[0].value);
    documents_free(&documents);
    return good;
}
