#include "cli/input/plan_settings.h"

#include <stdlib.h>
#include <string.h>

#include "base/vector.h"
#include "cli/input/settings_file.h"
#include "model/reading/settings_read.h"
#include "model/reading/settings_table.h"

void plan_settings_add(struct plan_settings *settings, const char *text, bool is_file)
{
    vector_push(settings, ((struct setting_source){text, is_file}));
}

void plan_settings_free(struct plan_settings *settings)
{
    vector_free(settings);
}

// A plan has its instance types by --catalog, or built in.
static bool counts(const struct setting *row)
{
    return !row->operational && strcmp(row->environment, "INSTANCE_TYPES_FILE_PATH") != 0 &&
           strcmp(row->environment, "INSTANCE_TYPE_FIGURES") != 0;
}

// A setting that is given for a plan alone has a meaning in plans.
static bool has_meaning(const char *name, struct error *error)
{
    uint32_t count;
    const struct setting *table = settings_table(&count);
    for (const struct setting *row = table; row < table + count; row++) {
        if (strcmp(row->environment, name) != 0)
            continue;
        if (row->operational)
            return error_set(error, ERROR_INVALID,
                             "%s is about the running controller: no plan depends on it", name);
        if (strcmp(name, "INSTANCE_TYPE_FIGURES") == 0)
            return error_set(error, ERROR_INVALID,
                             "%s has no meaning in a plan, whose types are built in or those of "
                             "--catalog",
                             name);
    }
    return true;
}

bool plan_settings_take_environment(struct snapshot *snapshot, struct text *remarks,
                                    struct error *error)
{
    uint32_t count;
    const struct setting *table = settings_table(&count);
    struct text names = {0};
    bool fine = true;
    for (const struct setting *row = table; fine && row < table + count; row++) {
        const char *value = getenv(row->environment);
        if (value == NULL || !counts(row) || (value[0] == '\0' && row->kind != SETTING_STRING))
            continue;
        fine = settings_file_set(&snapshot->settings, row->environment, value, &names, error) ||
               error_prefix(error, "environment");
    }
    if (names.length > 0)
        text_format(remarks, "\nsettings of the environment: %s", names.data);
    text_free(&names);
    return fine;
}

// NAME=VALUE.
static bool take_text(const char *text, struct settings *settings, struct text *names,
                      struct error *error)
{
    const char *equals = strchr(text, '=');
    if (equals == NULL || equals == text)
        return error_set(error, ERROR_INVALID, "--set %.200s: it is not of the form NAME=VALUE",
                         text);
    struct text name = {0};
    text_add_bytes(&name, text, (size_t)(equals - text));
    bool fine = (has_meaning(name.data, error) &&
                 settings_file_set(settings, name.data, equals + 1, names, error)) ||
                error_set(error, error->kind, "--set %s", error->message);
    text_free(&name);
    return fine;
}

bool plan_settings_take(const struct plan_settings *settings, struct snapshot *snapshot,
                        struct text *remarks, struct error *error)
{
    struct text set = {0};
    bool fine = true;
    for (uint32_t i = 0; fine && i < settings->count; i++) {
        const struct setting_source *source = &settings->items[i];
        struct text names = {0};
        if (source->is_file)
            fine = settings_file_read(&snapshot->settings, source->text, &names, error) ||
                   error_set(error, error->kind, "--settings %s", error->message);
        else
            fine = take_text(source->text, &snapshot->settings, &set, error);
        if (names.length > 0)
            text_format(remarks, "\nsettings of %s: %s", source->text, names.data);
        text_free(&names);
    }
    if (set.length > 0)
        text_format(remarks, "\nset: %s", set.data);
    text_free(&set);
    return fine;
}
