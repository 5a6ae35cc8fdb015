#include "cli/input/settings_file.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/input_file.h"
#include "model/manifest/input.h"
#include "model/manifest/input_texts.h"
#include "model/reading/settings_read.h"
#include "model/reading/settings_table.h"

#define FILE_BYTES_MAX (4 << 20)
#define SHOWN_MAX      80 // characters of a value

static const struct setting *find(const char *name)
{
    uint32_t count;
    const struct setting *table = settings_table(&count);
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(table[i].environment, name) == 0)
            return &table[i];
    return NULL;
}

bool settings_file_set(struct settings *settings, const char *name, const char *value,
                       struct text *names, struct error *error)
{
    if (!settings_set(settings, name, value, error)) {
        error->kind = ERROR_INVALID;
        return false;
    }
    const struct setting *row = find(name);
    assert(row != NULL);
    if (row->operational)
        return true;
    bool is_long = strlen(value) > SHOWN_MAX || strchr(value, '\n') != NULL;
    text_join(names, ", ", name);
    text_format(names, "=%s", is_long ? "..." : value);
    return true;
}

// --- lines ---------------------------------------------------------------------------------------

static char *trim(char *line)
{
    line += strspn(line, " \t\r\n");
    size_t length = strlen(line);
    while (length > 0 && strchr(" \t\r\n", line[length - 1]) != NULL)
        line[--length] = '\0';
    return line;
}

// Without the quotes around it, as shells and systemd have them.
static char *unquote(char *value)
{
    size_t length = strlen(value);
    if (length >= 2 && (value[0] == '"' || value[0] == '\'') && value[length - 1] == value[0]) {
        value[length - 1] = '\0';
        value++;
    }
    return value;
}

static bool take_line(struct settings *settings, char *line, struct text *names,
                      struct error *error)
{
    line = trim(line);
    if (line[0] == '\0' || line[0] == '#')
        return true;
    if (text_starts_with(line, "export "))
        line = trim(line + strlen("export "));
    char *equals = strchr(line, '=');
    if (equals == NULL)
        return error_set(error, ERROR_INVALID, "\"%.100s\" is not of the form NAME=VALUE", line);
    *equals = '\0';
    return settings_file_set(settings, trim(line), unquote(trim(equals + 1)), names, error);
}

static bool take_lines(struct settings *settings, char *text, const char *path, struct text *names,
                       struct error *error)
{
    uint32_t number = 1;
    for (char *line; (line = strsep(&text, "\n")) != NULL; number++)
        if (!take_line(settings, line, names, error)) {
            return error_set(error, error->kind, "%.400s:%" PRIu32 ": %s", path, number,
                             error->message);
        }
    return true;
}

// Whether the first line that says something is NAME=VALUE.
static bool has_lines(const char *text)
{
    while (*text != '\0') {
        text += strspn(text, " \t\r\n");
        if (*text != '#')
            break;
        text += strcspn(text, "\n");
    }
    if (text_starts_with(text, "export "))
        return true;
    return text[strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")] == '=';
}

// --- objects -------------------------------------------------------------------------------------

static bool take_map(struct settings *settings, const json_t *map, struct text *names,
                     struct error *error)
{
    const char *name;
    json_t *value;
    json_object_foreach ((json_t *)map, name, value) {
        if (!json_is_string(value))
            return error_set(error, ERROR_INVALID, "%.100s: expected a string", name);
        if (!settings_file_set(settings, name, json_string_value(value), names, error))
            return false;
    }
    return true;
}

static bool take_environment(struct settings *settings, const json_t *container, struct text *names,
                             struct error *error)
{
    size_t i;
    json_t *variable;
    json_array_foreach (json_object_get(container, "env"), i, variable) {
        const char *name = json_string_value(json_object_get(variable, "name"));
        const char *value = json_string_value(json_object_get(variable, "value"));
        const struct setting *row = name != NULL ? find(name) : NULL;
        // As settings_from_environment() does.
        if (row == NULL || value == NULL || (value[0] == '\0' && row->kind != SETTING_STRING))
            continue;
        if (!settings_file_set(settings, name, value, names, error))
            return false;
    }
    return true;
}

static bool take_object(struct settings *settings, const json_t *object, struct text *names,
                        bool *taken, struct error *error)
{
    const char *kind = text_or_empty(json_string_value(json_object_get(object, "kind")));
    const json_t *spec = json_object_get(object, "spec");
    *taken = true;
    if (strcmp(kind, "ConfigMap") == 0)
        return take_map(settings, json_object_get(object, "data"), names, error);
    if (strcmp(kind, "SnapshotContext") == 0)
        return take_map(settings, json_object_get(spec, "settings"), names, error);
    const json_t *template = json_object_get(spec, "template");
    const json_t *containers = json_object_get(
        json_object_get(template != NULL ? template : object, "spec"), "containers");
    *taken = containers != NULL;
    size_t i;
    json_t *container;
    json_array_foreach (containers, i, container)
        if (!take_environment(settings, container, names, error))
            return false;
    return true;
}

static bool take_objects(struct settings *settings, const struct text *text, const char *path,
                         struct text *names, struct error *error)
{
    struct documents documents = {0};
    bool fine = documents_read_text(&documents, text_or_empty(text->data), text->length, path,
                                    false, error);
    bool any = false;
    for (uint32_t i = 0; fine && i < documents.count; i++) {
        const struct document *document = &documents.items[i];
        bool taken = false;
        fine = take_object(settings, document->value, names, &taken, error);
        any = any || taken;
        if (!fine)
            error_set(error, error->kind, "%.400s:%" PRIu32 ": %s", path, document->line,
                      error->message);
    }
    documents_free(&documents);
    return fine && (any || error_set(error, ERROR_INVALID,
                                     "%.400s: no settings: lines NAME=VALUE, a ConfigMap, a "
                                     "SnapshotContext or the controller's Deployment are wanted",
                                     path));
}

// --- a file --------------------------------------------------------------------------------------

static bool read_file(const char *path, struct text *text, struct error *error)
{
    if (strcmp(path, "-") == 0)
        return standard_input_read(text, error);
    FILE *file = input_file_open(path, error);
    if (file == NULL)
        return false;
    char bytes[4096];
    size_t count;
    while ((count = fread(bytes, 1, sizeof bytes, file)) > 0 && text->length <= FILE_BYTES_MAX)
        text_add_bytes(text, bytes, count);
    bool fine = !ferror(file);
    fclose(file);
    if (!fine)
        return error_set(error, ERROR_UNAVAILABLE, "%.400s: cannot be read", path);
    return text->length <= FILE_BYTES_MAX ||
           error_set(error, ERROR_INVALID, "%.400s: too large for settings", path);
}

bool settings_file_read(struct settings *settings, const char *path, struct text *names,
                        struct error *error)
{
    struct text text = {0};
    bool fine = read_file(path, &text, error);
    if (fine)
        fine = has_lines(text_or_empty(text.data))
                   ? take_lines(settings, text.data, path, names, error)
                   : take_objects(settings, &text, path, names, error);
    text_free(&text);
    if (!fine && error->kind == ERROR_NOT_FOUND) // FMT-14
        error->kind = ERROR_INVALID;
    return fine;
}
