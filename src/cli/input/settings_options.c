#include "cli/input/settings_options.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "model/reading/settings_read.h"
#include "model/reading/settings_table.h"

#define SUGGESTIONS_MAX 128

static const struct setting *setting_find(const char *flag, size_t length)
{
    uint32_t count;
    const struct setting *table = settings_table(&count);
    for (uint32_t i = 0; i < count; i++)
        if (table[i].flag != NULL && strlen(table[i].flag) == length &&
            strncmp(table[i].flag, flag, length) == 0)
            return &table[i];
    return NULL;
}

static const struct extra_option *extra_find(const struct extra_option *extras, const char *flag,
                                             size_t length)
{
    for (; extras->name != NULL; extras++)
        if (strlen(extras->name) == length && strncmp(extras->name, flag, length) == 0)
            return extras;
    return NULL;
}

static int unknown_flag(const struct command *command, const struct extra_option *extras,
                        const char *argument, const char *flag, size_t length)
{
    const char *names[SUGGESTIONS_MAX], *near[1];
    char name[128];
    uint32_t count, known = 0;
    const struct setting *table = settings_table(&count);
    for (uint32_t i = 0; i < count && known < SUGGESTIONS_MAX; i++)
        if (table[i].flag != NULL)
            names[known++] = table[i].flag;
    for (; extras->name != NULL && known < SUGGESTIONS_MAX; extras++)
        names[known++] = extras->name;
    snprintf(name, sizeof name, "%.*s", (int)length, flag);
    if (text_nearest(name, names, known, near, 1) == 1)
        return command_usage_error(command, "unknown flag %s; did you mean --%s?", argument,
                                   near[0]);
    return command_usage_error(command, "unknown flag %s", argument);
}

struct reader {
    const struct command *command;
    struct settings *settings;
    const struct extra_option *extras;
    int argc, at;
    char **argv;
};

// The value of the flag at `at`: after '=', or the next argument.
static const char *value_of(struct reader *reader, const char *equals)
{
    if (equals != NULL)
        return equals + 1;
    return reader->at + 1 < reader->argc ? reader->argv[++reader->at] : NULL;
}

static int read_setting(struct reader *reader, const struct setting *setting, const char *equals)
{
    struct error error = {0};
    const char *value;
    if (setting->kind == SETTING_BOOL) {
        value = equals != NULL ? equals + 1 : "true";
        if (strcmp(value, "true") != 0 && strcmp(value, "false") != 0)
            return command_usage_error(reader->command, "--%s: \"%s\" is not true or false",
                                       setting->flag, value);
    } else if ((value = value_of(reader, equals)) == NULL) {
        return command_usage_error(reader->command, "--%s needs a value", setting->flag);
    }
    if (!settings_set(reader->settings, setting->environment, value, &error))
        return command_usage_error(reader->command, "--%s: %s", setting->flag, error.message);
    return -1;
}

static int read_extra(struct reader *reader, const struct extra_option *extra, const char *equals)
{
    if (extra->given != NULL)
        *extra->given = true;
    if (extra->value == NULL)
        return -1;
    *extra->value = value_of(reader, equals);
    if (*extra->value == NULL)
        return command_usage_error(reader->command, "--%s needs a value", extra->name);
    return -1;
}

static int read_argument(struct reader *reader)
{
    const char *argument = reader->argv[reader->at];
    if (argument[0] != '-' || argument[1] == '\0')
        return command_usage_error(reader->command, "unexpected argument %s", argument);
    const char *flag = argument + (argument[1] == '-' ? 2 : 1);
    const char *equals = strchr(flag, '=');
    size_t length = equals != NULL ? (size_t)(equals - flag) : strlen(flag);
    const struct extra_option *extra = extra_find(reader->extras, flag, length);
    if (extra != NULL)
        return read_extra(reader, extra, equals);
    const struct setting *setting = setting_find(flag, length);
    if (setting != NULL)
        return read_setting(reader, setting, equals);
    return unknown_flag(reader->command, reader->extras, argument, flag, length);
}

int settings_from_command_line(const struct command *command, struct settings *settings, int argc,
                               char **argv, const struct extra_option *extras)
{
    struct error error = {0};
    struct reader reader = {command, settings, extras, argc, 1, argv};
    if (!settings_from_environment(settings, &error))
        return command_usage_error(command, "%s", error.message);
    for (; reader.at < argc; reader.at++) {
        int status = read_argument(&reader);
        if (status >= 0)
            return status;
    }
    if (!settings_finish(settings, &error))
        return command_usage_error(command, "%s", error.message);
    return -1;
}

static void add_choices(struct text *text, const struct setting *setting)
{
    if (setting->kind != SETTING_CHOICE)
        return;
    for (const char *const *choice = setting->choices; *choice != NULL; choice++)
        text_format(text, "%s%s", choice == setting->choices ? " (" : ", ",
                    **choice == '\0' ? "\"\"" : *choice);
    text_add_char(text, ')');
}

char *settings_help(void)
{
    struct text text = {0};
    uint32_t count;
    const struct setting *table = settings_table(&count);
    for (uint32_t i = 0; i < count; i++) {
        if (table[i].flag == NULL)
            continue;
        text_format(&text, "  --%s (%s)", table[i].flag, table[i].environment);
        if (table[i].default_text != NULL && *table[i].default_text != '\0')
            text_format(&text, " = %s", table[i].default_text);
        text_format(&text, "\n        %s", table[i].help);
        add_choices(&text, &table[i]);
        text_add_char(&text, '\n');
    }
    return text_take(&text);
}

bool settings_open_log(const struct settings *settings, struct error *error)
{
    struct log_options options = {
        .level = text_equal(settings->log_level, "debug")   ? LOG_DEBUG
                 : text_equal(settings->log_level, "error") ? LOG_ERROR
                                                            : LOG_INFO,
        .format = text_equal(settings->log_format, "console") ? LOG_CONSOLE : LOG_JSON,
        .output_paths = settings->log_output_paths,
    };
    return log_configure(&options, error);
}
