#include "model/validate/validate_context.h"

#include <string.h>

#include "base/duration.h"
#include "base/text.h"
#include "model/reading/settings_read.h"
#include "model/schema/decode.h"
#include "model/schema/form.h"
#include "model/tables/kinds.h"

static void refuse(struct findings *findings, const char *path, const char *hint,
                   const char *message)
{
    findings_add(
        findings,
        &(struct finding){.level = FINDING_REFUSED, .rule = "FMT-9", .path = path, .hint = hint},
        "%s", message);
}

// --- values --------------------------------------------------------------------------------------

static void check_instant(const json_t *value, const char *path, struct findings *findings)
{
    struct error error = {0};
    int64_t instant;
    if (!json_is_string(value))
        refuse(findings, path, "write it as \"2026-01-01T00:00:00Z\"", "must be a string");
    else if (!instant_parse(json_string_value(value), &instant, &error))
        refuse(findings, path, "write it as \"2026-01-01T00:00:00Z\"", error.message);
}

static void check_names(const json_t *value, const char *path, struct findings *findings)
{
    size_t i;
    json_t *name;
    if (!json_is_array(value))
        refuse(findings, path, NULL, "must be a list of node names");
    json_array_foreach (value, i, name) {
        struct text at = {0};
        text_format(&at, "%s[%zu]", path, i);
        if (!json_is_string(name))
            refuse(findings, at.data, NULL, "must be a string");
        text_free(&at);
    }
}

// Names of settings, each with its value in `settings`.
static void check_learned(const json_t *value, const char *path, const json_t *settings,
                          struct findings *findings)
{
    size_t i;
    json_t *name;
    struct settings scratch;
    settings_defaults(&scratch);
    if (!json_is_array(value))
        refuse(findings, path, NULL, "must be a list of names of settings");
    json_array_foreach (value, i, name) {
        struct text at = {0};
        struct error error = {0};
        const char *number =
            json_string_value(json_object_get(settings, text_or_empty(json_string_value(name))));
        text_format(&at, "%s[%zu]", path, i);
        if (!json_is_string(name))
            refuse(findings, at.data, NULL, "must be a string");
        else if (number == NULL)
            refuse(findings, at.data, "its value is in settings", "has no value");
        else if (!settings_learn(&scratch, json_string_value(name), number, &error))
            refuse(findings, at.data, NULL, error.message);
        text_free(&at);
    }
    settings_free(&scratch);
}

static void check_setting(struct settings *settings, const char *name, const json_t *value,
                          const char *path, struct findings *findings)
{
    struct error error = {0};
    if (!json_is_string(value))
        refuse(findings, path, "quote it", "must be a string");
    else if (!settings_set(settings, name, json_string_value(value), &error))
        refuse(findings, path, NULL, error.message);
}

static void check_entries(const json_t *map, const char *path, bool is_settings,
                          struct findings *findings)
{
    const char *name;
    json_t *value;
    struct settings settings;
    settings_defaults(&settings);
    if (!json_is_object(map))
        refuse(findings, path, NULL, "must be a map");
    json_object_foreach ((json_t *)map, name, value) {
        struct text at = {0};
        text_format(&at, "%s[\"%s\"]", path, name);
        if (is_settings)
            check_setting(&settings, name, value, at.data, findings);
        else
            check_instant(value, at.data, findings);
        text_free(&at);
    }
    struct error error = {0};
    if (is_settings && !settings_finish(&settings, &error))
        refuse(findings, path, NULL, error.message);
    settings_free(&settings);
}

// --- fields --------------------------------------------------------------------------------------

enum form { INSTANT, NAMES, SETTINGS, LEARNED, INSTANTS, TRUTH };
static const struct {
    const char *name;
    enum form form;
} fields[] = {
    {"time", INSTANT},      {"settings", SETTINGS},  {"markedForDeletion", NAMES},
    {"bufferNodes", NAMES}, {"nominated", INSTANTS}, {"requireUnschedulable", TRUTH},
    {"learned", LEARNED},
};

static void refuse_field(const char *path, const char *name, struct findings *findings)
{
    const char *names[ARRAY_LENGTH(fields)], *near[1];
    struct text hint = {0};
    for (size_t i = 0; i < ARRAY_LENGTH(fields); i++)
        names[i] = fields[i].name;
    if (text_nearest(name, names, ARRAY_LENGTH(fields), near, 1) == 1)
        text_format(&hint, "did you mean %s?", near[0]);
    refuse(findings, path, hint.data, "unknown field");
    text_free(&hint);
}

static void check_field(const char *name, const json_t *value, const json_t *spec,
                        struct findings *findings)
{
    size_t i = 0;
    struct text path = {0};
    text_format(&path, "spec.%s", name);
    while (i < ARRAY_LENGTH(fields) && strcmp(fields[i].name, name) != 0)
        i++;
    if (i == ARRAY_LENGTH(fields))
        refuse_field(path.data, name, findings);
    else if (json_is_null(value))
        ; // absent
    else if (fields[i].form == INSTANT)
        check_instant(value, path.data, findings);
    else if (fields[i].form == NAMES)
        check_names(value, path.data, findings);
    else if (fields[i].form == LEARNED)
        check_learned(value, path.data, json_object_get(spec, "settings"), findings);
    else if (fields[i].form == SETTINGS || fields[i].form == INSTANTS)
        check_entries(value, path.data, fields[i].form == SETTINGS, findings);
    else if (!json_is_boolean(value))
        refuse(findings, path.data, NULL, "must be true or false");
    text_free(&path);
}

void validate_snapshot_context(const json_t *document, struct findings *findings)
{
    const char *name;
    json_t *value;
    json_object_foreach ((json_t *)document, name, value)
        if (!field_is_header(name) && strcmp(name, "metadata") != 0 && strcmp(name, "spec") != 0)
            refuse_field(name, name, findings);
    const json_t *spec = json_object_get(document, "spec");
    if (spec != NULL && !json_is_object(spec))
        refuse(findings, "spec", NULL, "must be an object");
    json_object_foreach ((json_t *)spec, name, value)
        check_field(name, value, spec, findings);
    struct error error = {0};
    struct object *object =
        object_decode(document, kind_get(KIND_SNAPSHOT_CONTEXT), DECODE_STRICT, &error);
    if (object == NULL && !findings_refuse(findings))
        refuse(findings, "", NULL, error.message);
    object_release(object);
}
