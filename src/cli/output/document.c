#include "cli/output/document.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "model/manifest/jsonpath_write.h"
#include "model/manifest/yaml_write.h"

static const char path_prefix[] = "jsonpath=";

bool document_is_wanted(const char *format)
{
    return strcmp(format, "json") == 0 || strcmp(format, "yaml") == 0 ||
           strcmp(format, "name") == 0 || text_starts_with(format, path_prefix);
}

static bool write_template(const char *template, json_t *json, struct text *text,
                           struct error *error)
{
    struct jsonpath *path = jsonpath_compile(template, error);
    bool written = path != NULL && jsonpath_write(path, json, text, error);
    jsonpath_destroy(path);
    return written;
}

static void write_json(const json_t *json, struct text *text)
{
    CLEANUP_FREE char *dump = json_dumps(json, JSON_INDENT(2) | JSON_REAL_PRECISION(15));
    text_format(text, "%s\n", text_or_empty(dump));
}

int document_print(const struct command *command, const char *format, const char *names,
                   json_t *json)
{
    struct text text = {0};
    struct error error = {0};
    bool good = true, is_name = strcmp(format, "name") == 0;
    if (is_name && names == NULL)
        good = error_set(&error, ERROR_INVALID, "-o name: there is nothing here that has a name");
    else if (is_name || text_starts_with(format, path_prefix))
        good = write_template(is_name ? names : format + strlen(path_prefix), json, &text, &error);
    else if (strcmp(format, "yaml") == 0)
        yaml_write(json, &text);
    else
        write_json(json, &text);
    if (good && text.length > 0)
        fwrite(text.data, 1, text.length, stdout);
    text_free(&text);
    json_decref(json);
    return good ? 0 : command_failed(command, &error);
}

int document_print_objects(const struct command *command, const char *format, json_t *objects)
{
    static const char names[] = "{range .items[*]}{.kind}/{.metadata.name}{\"\\n\"}{end}";
    struct text text = {0};
    size_t index;
    json_t *object;
    if (strcmp(format, "yaml") != 0)
        return document_print(
            command, format, names,
            json_pack("{s:s, s:s, s:o}", "apiVersion", "v1", "kind", "List", "items", objects));
    json_array_foreach (objects, index, object) {
        text_add(&text, "---\n");
        yaml_write(object, &text);
    }
    fputs(text_or_empty(text.data), stdout);
    text_free(&text);
    json_decref(objects);
    return 0;
}
