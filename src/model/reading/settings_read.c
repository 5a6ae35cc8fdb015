#include "model/reading/settings_read.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "model/reading/scheduler_config.h"
#include "model/reading/setting_values.h"
#include "model/reading/settings_table.h"

void settings_defaults(struct settings *settings)
{
    uint32_t count;
    const struct setting *table = settings_table(&count);
    memset(settings, 0, sizeof *settings);
    for (const struct setting *row = table; row < table + count; row++) {
        struct error error = {0};
        bool fine = setting_set(settings, row, row->default_text, &error);
        assert(fine);
    }
}

static bool refuse_name(const char *name, struct error *error)
{
    uint32_t count;
    const struct setting *table = settings_table(&count);
    const char *names[SETTINGS_MAX];
    const char *nearest[1];
    for (size_t i = 0; i < count; i++)
        names[i] = table[i].environment;
    if (text_nearest(name, names, count, nearest, 1) == 1)
        return error_set(error, ERROR_INVALID, "no setting is called %.100s; did you mean %s?",
                         name, nearest[0]);
    struct text all = {0};
    for (size_t i = 0; i < count; i++)
        text_join(&all, ", ", names[i]);
    error_set(error, ERROR_INVALID, "no setting is called %.100s; there are %s", name, all.data);
    text_free(&all);
    return false;
}

bool settings_set(struct settings *settings, const char *environment_name, const char *value,
                  struct error *error)
{
    uint32_t count;
    const struct setting *table = settings_table(&count);
    assert(environment_name != NULL);
    assert(value != NULL);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(table[i].environment, environment_name) != 0)
            continue;
        if (!setting_set(settings, &table[i], value, error))
            return false;
        settings->set_explicitly[i / 64] |= UINT64_C(1) << i % 64;
        settings->learned[i / 64] &= ~(UINT64_C(1) << i % 64);
        return true;
    }
    return refuse_name(environment_name, error);
}

static uint32_t row_of(const char *environment_name)
{
    uint32_t count, i = 0;
    const struct setting *table = settings_table(&count);
    while (i < count && strcmp(table[i].environment, environment_name) != 0)
        i++;
    return i;
}

bool settings_learn(struct settings *settings, const char *environment_name, const char *value,
                    struct error *error)
{
    uint32_t count, i = row_of(environment_name);
    const struct setting *table = settings_table(&count);
    if (i < count && !table[i].learned)
        return error_set(error, ERROR_INVALID, "%s is never learned", environment_name);
    if (!settings_set(settings, environment_name, value, error))
        return false;
    settings->learned[i / 64] |= UINT64_C(1) << i % 64;
    return true;
}

void settings_describe_learned(const struct settings *settings, struct text *out)
{
    uint32_t count;
    const struct setting *table = settings_table(&count);
    for (uint32_t i = 0; i < count; i++) {
        if (!settings_is_learned(settings, i))
            continue;
        text_join(out, ", ", table[i].environment);
        text_add_char(out, ' ');
        setting_format(settings, &table[i], out);
        text_add(out, ", learned from metrics");
    }
}

// An empty value counts as unset, except where it is an allowed text.
bool settings_from_environment(struct settings *settings, struct error *error)
{
    uint32_t count;
    const struct setting *table = settings_table(&count);
    for (const struct setting *row = table; row < table + count; row++) {
        const char *value = getenv(row->environment);
        if (value == NULL || (value[0] == '\0' && row->kind != SETTING_STRING))
            continue;
        if (!settings_set(settings, row->environment, value, error))
            return error_prefix(error, "environment");
    }
    return true;
}

bool settings_given(const struct settings *settings, const char *environment_name)
{
    uint32_t count, i = row_of(environment_name);
    (void)settings_table(&count);
    return i < count && settings_is_explicit(settings, i);
}

// For settings that no user has set.
static void take_upstream_defaults(struct settings *settings)
{
    uint32_t count;
    const struct setting *table = settings_table(&count);
    for (uint32_t i = 0; i < count; i++) {
        struct error error = {0};
        bool is_given = settings_is_explicit(settings, i) && !settings_is_learned(settings, i);
        if (table[i].upstream_text == NULL || is_given)
            continue;
        bool fine = setting_set(settings, &table[i], table[i].upstream_text, &error);
        assert(fine);
        settings->learned[i / 64] &= ~(UINT64_C(1) << i % 64);
    }
}

bool settings_finish(struct settings *settings, struct error *error)
{
    if (settings->compatibility_upstream)
        take_upstream_defaults(settings);
    if (settings->cpu_requests_millicores <= 0)
        settings->cpu_requests_millicores = 1000;
    if (settings->metrics_port != 0 && settings->metrics_port == settings->health_probe_port)
        return error_set(error, ERROR_INVALID,
                         "METRICS_PORT and HEALTH_PROBE_PORT are both %lld: they must differ",
                         (long long)settings->metrics_port);
    CLEANUP_ARENA struct arena *scratch = arena_create(1024);
    struct scheduler_config config; // LIF-382
    return scheduler_config_read(settings->scheduler_config, scratch, &config, error);
}

void settings_free(struct settings *settings)
{
    for (uint32_t i = 0; i < settings->strings_count; i++)
        free(settings->strings[i]);
    memset(settings, 0, sizeof *settings);
}

void settings_copy(struct settings *to, const struct settings *from)
{
    uint32_t count;
    const struct setting *table = settings_table(&count);
    assert(to != from);
    assert(from->strings_count <= ARRAY_LENGTH(from->strings));
    *to = *from;
    for (uint32_t i = 0; i < from->strings_count; i++) {
        to->strings[i] = memory_copy_string(from->strings[i]);
        for (const struct setting *row = table; row < table + count; row++) {
            const char **slot = (const char **)((char *)to + row->offset);
            if ((row->kind == SETTING_STRING || row->kind == SETTING_GATES) &&
                *slot == from->strings[i])
                *slot = to->strings[i];
        }
    }
}

bool settings_is_explicit(const struct settings *settings, uint32_t index)
{
    assert(index < SETTINGS_MAX);
    return settings->set_explicitly[index / 64] >> index % 64 & 1;
}

bool settings_is_learned(const struct settings *settings, uint32_t index)
{
    assert(index < SETTINGS_MAX);
    return settings->learned[index / 64] >> index % 64 & 1;
}
