#include "cloud/aws/credentials/shared_config.h"

#include <assert.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/memory.h"
#include "base/text.h"
#include "kube/transport/secret_file.h"

#define PROFILES_MAX 1000
#define KEYS_MAX     200 // of a profile

struct shared_config {
    struct map *profiles; // name -> map of key -> value
    struct map *services; // of the sections [services NAME]; likewise
};
struct reading {
    struct map *section; // NULL: of something else
    size_t indent;       // of the last key
    char *parent;        // the last key, of its own line and without a value; NULL: none
};

static void parse(struct shared_config *config, char *text, bool needs_prefix);
static void read_line(struct reading *reading, char *line, size_t indent);
static struct map *section(struct shared_config *config, char *name, bool needs_prefix);
static char *trim(char *text);

static void profile_free(void *profile)
{
    for (struct map_entry *entry = map_first(profile); entry != NULL; entry = map_next(entry)) {
        char *value = map_value(entry);
        secret_wipe(&value);
    }
    map_destroy(profile, NULL);
}

void shared_config_destroy(struct shared_config *config)
{
    if (config == NULL)
        return;
    map_destroy(config->profiles, profile_free);
    map_destroy(config->services, profile_free);
    free(config);
}

struct shared_config *shared_config_parse(const char *config_text, const char *credentials_text)
{
    struct shared_config *config = memory_allocate(sizeof *config);
    config->profiles = map_create();
    config->services = map_create();
    char *copy = memory_copy_string(config_text);
    parse(config, copy, true);
    secret_wipe(&copy);
    copy = memory_copy_string(credentials_text);
    parse(config, copy, false);
    secret_wipe(&copy);
    return config;
}

// "" for an absent file.
static char *read_file(const struct aws_environment *environment, const char *variable,
                       const char *standard, struct error *error)
{
    const char *named = aws_environment_get(environment, variable);
    const char *home = aws_environment_get(environment, "HOME");
    if (named == NULL && home == NULL)
        return memory_copy_string("");
    struct text path = {0};
    if (named != NULL && text_starts_with(named, "~/") && home != NULL)
        text_format(&path, "%s%s", home, named + 1);
    else
        text_format(&path, "%s%s", named != NULL ? named : home, named != NULL ? "" : standard);
    struct error why = {0};
    if (text_equal(path.data, "/dev/null")) { // the usual way to say: no such file
        text_free(&path);
        return memory_copy_string("");
    }
    char *text = secret_file_read(path.data, NULL, &why);
    text_free(&path);
    if (text == NULL && why.kind == ERROR_NOT_FOUND)
        return memory_copy_string("");
    if (text == NULL && error != NULL)
        *error = why;
    return text;
}

struct shared_config *shared_config_read(const struct aws_environment *environment,
                                         struct error *error)
{
    struct shared_config *config = NULL;
    char *first = read_file(environment, "AWS_CONFIG_FILE", "/.aws/config", error);
    char *second = first == NULL ? NULL
                                 : read_file(environment, "AWS_SHARED_CREDENTIALS_FILE",
                                             "/.aws/credentials", error);
    if (second != NULL)
        config = shared_config_parse(first, second);
    secret_wipe(&first);
    secret_wipe(&second);
    return config;
}

static char *trim(char *text)
{
    text += strspn(text, " \t\r");
    for (size_t length = strlen(text); length > 0 && strchr(" \t\r", text[length - 1]) != NULL;)
        text[--length] = '\0';
    return text;
}

static void parse(struct shared_config *config, char *text, bool needs_prefix)
{
    struct reading reading = {0};
    for (char *rest = text, *line; (line = strsep(&rest, "\n")) != NULL;) {
        size_t indent = strspn(line, " \t");
        line = trim(line);
        if (line[0] == '\0' || line[0] == '#' || line[0] == ';')
            continue;
        if (line[0] == '[' && (indent == 0 || reading.section == NULL))
            reading = (struct reading){.section = section(config, line + 1, needs_prefix),
                                       .indent = SIZE_MAX};
        else if (reading.section != NULL)
            read_line(&reading, line, indent);
    }
}

// NULL: a section of something else.
static struct map *section(struct shared_config *config, char *name, bool needs_prefix)
{
    char *end = strchr(name, ']');
    if (end == NULL)
        return NULL;
    *end = '\0';
    name = trim(name);
    bool has_prefix = text_starts_with(name, "profile") && (name[7] == ' ' || name[7] == '\t');
    bool is_services = text_starts_with(name, "services") && (name[8] == ' ' || name[8] == '\t');
    struct map *sections = needs_prefix && is_services ? config->services : config->profiles;
    if (needs_prefix && has_prefix)
        name = trim(name + 8);
    else if (needs_prefix && is_services)
        name = trim(name + 9);
    else if (needs_prefix && strcmp(name, "default") != 0)
        return NULL;
    if (name[0] == '"' && strlen(name) >= 2 && text_ends_with(name, "\"")) {
        name++;
        name[strlen(name) - 1] = '\0';
    }
    struct map *profile = map_get(sections, name);
    if (profile == NULL && map_count(sections) < PROFILES_MAX) {
        profile = map_create();
        map_set(sections, name, profile);
    }
    return profile;
}

static void set(struct map *profile, const char *parent, const char *key, char *value)
{
    struct text name = {0};
    text_format(&name, "%s%s%s", text_or_empty(parent), parent != NULL ? "." : "", key);
    for (size_t i = 0; i < name.length; i++)
        name.data[i] = (char)tolower((unsigned char)name.data[i]);
    char *comment = strstr(value, " #");
    if (comment != NULL) {
        *comment = '\0';
        value = trim(value);
    }
    char *before = map_set(profile, name.data, memory_copy_string(value));
    secret_wipe(&before);
    text_free(&name);
}

// A line that is indented deeper than the key above it belongs to that key.
static void read_line(struct reading *reading, char *line, size_t indent)
{
    bool is_nested = indent > reading->indent;
    char *value = strchr(line, '=');
    if (!is_nested) {
        reading->indent = indent;
        reading->parent = NULL;
    }
    if (value == NULL || map_count(reading->section) >= KEYS_MAX)
        return;
    *value++ = '\0';
    char *key = trim(line);
    value = trim(value);
    if (is_nested && reading->parent != NULL)
        set(reading->section, reading->parent, key, value);
    else if (!is_nested && value[0] == '\0')
        reading->parent = key;
    if (!is_nested)
        set(reading->section, NULL, key, value);
}

bool shared_config_has(const struct shared_config *config, const char *profile)
{
    return map_get(config->profiles, profile) != NULL;
}

const char *shared_config_get(const struct shared_config *config, const char *profile,
                              const char *key)
{
    const struct map *values = map_get(config->profiles, profile);
    const char *value = values != NULL ? map_get(values, key) : NULL;
    return text_is_empty(value) ? NULL : value;
}

const char *shared_config_service(const struct shared_config *config, const char *profile,
                                  const char *service, const char *key)
{
    const char *name = shared_config_get(config, profile, "services");
    const struct map *values = name != NULL ? map_get(config->services, name) : NULL;
    struct text path = {0};
    text_format(&path, "%s.%s", service, key);
    const char *value = values != NULL ? map_get(values, path.data) : NULL;
    text_free(&path);
    return text_is_empty(value) ? NULL : value;
}

const char *shared_config_profile(const struct aws_environment *environment, bool *chosen)
{
    const char *name = aws_environment_get(environment, "AWS_PROFILE");
    if (name == NULL)
        name = aws_environment_get(environment, "AWS_DEFAULT_PROFILE");
    *chosen = name != NULL;
    return name != NULL ? name : "default";
}
