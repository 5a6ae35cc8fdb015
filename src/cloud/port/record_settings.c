#include "cloud/port/record_settings.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "model/reading/setting_values.h"
#include "model/reading/settings_read.h"
#include "model/reading/settings_table.h"

static bool is_published(const struct setting *row)
{
    static const char *const files[] = {"INSTANCE_TYPES_FILE_PATH", "PRICES",
                                        "INSTANCE_TYPE_FIGURES"};
    for (size_t i = 0; i < ARRAY_LENGTH(files); i++)
        if (strcmp(row->environment, files[i]) == 0)
            return false;
    return !row->operational;
}

char *record_settings_encode(const struct settings *settings)
{
    uint32_t count;
    const struct setting *table = settings_table(&count);
    json_t *object = json_object();
    for (uint32_t i = 0; i < count; i++) {
        if (!settings_is_explicit(settings, i) || !is_published(&table[i]))
            continue;
        struct text value = {0};
        setting_format(settings, &table[i], &value);
        json_object_set_new(object, table[i].environment, json_string(text_or_empty(value.data)));
        text_free(&value);
    }
    char *text = json_dumps(object, JSON_COMPACT | JSON_SORT_KEYS);
    json_decref(object);
    return text;
}

void record_settings_apply(const char *text, struct settings *settings)
{
    uint32_t count;
    const struct setting *table = settings_table(&count);
    json_t *object = json_loads(text, 0, NULL);
    settings_free(settings);
    settings_defaults(settings);
    for (uint32_t i = 0; i < count; i++) {
        const char *value = json_string_value(json_object_get(object, table[i].environment));
        struct error ignored = {0}; // anyone may write a ConfigMap
        bool set = value != NULL && is_published(&table[i]) &&
                   settings_set(settings, table[i].environment, value, &ignored);
        (void)set;
    }
    json_decref(object);
}

void record_learned_apply(const char *text, struct settings *settings)
{
    uint32_t count;
    const struct setting *table = settings_table(&count);
    json_t *object = text != NULL ? json_loads(text, 0, NULL) : NULL;
    for (uint32_t i = 0; i < count; i++) {
        const json_t *learned = json_object_get(object, table[i].environment);
        const char *value = json_string_value(json_object_get(learned, "value"));
        struct error ignored = {0}; // anyone may write a ConfigMap
        bool taken = value != NULL && !settings_is_explicit(settings, i) &&
                     settings_learn(settings, table[i].environment, value, &ignored);
        (void)taken;
    }
    json_decref(object);
}
