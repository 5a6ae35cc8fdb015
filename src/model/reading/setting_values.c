#include "model/reading/setting_values.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/duration.h"
#include "base/text.h"
#include "model/reading/feature_gates.h"
#include "model/reading/settings.h"
#include "model/reading/settings_table.h"

// Keeps a copy owned by the settings, in place of the row's earlier one.
static void keep_string(struct settings *settings, const struct setting *row, const char *value)
{
    assert(value != NULL);
    const char **slot = (const char **)((char *)settings + row->offset);
    if (strcmp(value, row->default_text) == 0)
        value = row->default_text;
    char *copy = value == row->default_text ? NULL : memory_copy_string(value);
    for (uint32_t i = 0; i < settings->strings_count; i++) {
        if (settings->strings[i] != *slot || *slot == NULL)
            continue;
        free(settings->strings[i]);
        settings->strings[i] = settings->strings[--settings->strings_count];
        break;
    }
    if (copy != NULL) {
        assert(settings->strings_count < ARRAY_LENGTH(settings->strings));
        settings->strings[settings->strings_count++] = copy;
    }
    *slot = copy != NULL ? copy : row->default_text;
}

static bool set_number(struct settings *settings, const struct setting *row, const char *value,
                       struct error *error)
{
    assert(row->minimum <= row->maximum);
    int64_t number;
    if (!text_parse_int64(value, &number))
        return error_set(error, ERROR_INVALID, "%s: \"%.100s\" is not a whole number",
                         row->environment, value);
    if ((double)number < row->minimum || (double)number > row->maximum)
        return error_set(error, ERROR_INVALID, "%s: %s is not between %.0f and %.0f",
                         row->environment, value, row->minimum, row->maximum);
    memcpy((char *)settings + row->offset, &number, sizeof number);
    return true;
}

static bool set_float(struct settings *settings, const struct setting *row, const char *value,
                      struct error *error)
{
    char *end;
    errno = 0;
    double number = strtod(value, &end);
    if (end == value || *end != '\0' || errno != 0 || !isfinite(number))
        return error_set(error, ERROR_INVALID, "%s: \"%.100s\" is not a number", row->environment,
                         value);
    if (number < row->minimum || number > row->maximum)
        return error_set(error, ERROR_INVALID, "%s: %s is not between %g and %g", row->environment,
                         value, row->minimum, row->maximum);
    memcpy((char *)settings + row->offset, &number, sizeof number);
    return true;
}

static bool set_duration(struct settings *settings, const struct setting *row, const char *value,
                         struct error *error)
{
    assert(row->minimum <= row->maximum);
    int64_t nanoseconds;
    if (!duration_parse(value, &nanoseconds, error))
        return error_prefix(error, "%s", row->environment);
    if ((double)nanoseconds < row->minimum || (double)nanoseconds > row->maximum) {
        char low[DURATION_TEXT_MAX], high[DURATION_TEXT_MAX];
        duration_format((int64_t)row->minimum, low);
        duration_format((int64_t)row->maximum, high);
        return error_set(error, ERROR_INVALID, "%s: %.100s is not between %s and %s",
                         row->environment, value, low, high);
    }
    memcpy((char *)settings + row->offset, &nanoseconds, sizeof nanoseconds);
    return true;
}

static bool refuse_choice(const struct setting *row, const char *value, struct error *error)
{
    struct text allowed = {0};
    for (const char *const *choice = row->choices; *choice != NULL; choice++)
        text_join(&allowed, ", ", **choice == '\0' ? "\"\"" : *choice);
    error_set(error, ERROR_INVALID, "%s: \"%.100s\" is none of %s", row->environment, value,
              allowed.data);
    text_free(&allowed);
    return false;
}

static bool set_choice(struct settings *settings, const struct setting *row, const char *value,
                       struct error *error)
{
    assert(row->choices != NULL);
    uint32_t index = 0;
    while (row->choices[index] != NULL && strcmp(row->choices[index], value) != 0)
        index++;
    if (row->choices[index] == NULL)
        return refuse_choice(row, value, error);
    char *to = (char *)settings + row->offset;
    if (row->size == sizeof(bool))
        *(bool *)to = index != 0;
    else if (row->size == sizeof index)
        memcpy(to, &index, sizeof index);
    else
        *(const char **)to = row->choices[index];
    return true;
}

static bool set_string(struct settings *settings, const struct setting *row, const char *value,
                       struct error *error)
{
    bool is_endpoint = row->offset == offsetof(struct settings, cluster_endpoint);
    if (is_endpoint && value[0] != '\0') {
        const char *mark = strstr(value, "://");
        if (mark == NULL || mark == value || mark[3] == '\0' || mark[3] == '/')
            return error_set(error, ERROR_INVALID,
                             "%s: \"%.200s\" is not an absolute URL such as https://HOST",
                             row->environment, value);
    }
    keep_string(settings, row, value);
    return true;
}

bool setting_set(struct settings *settings, const struct setting *row, const char *value,
                 struct error *error)
{
    switch (row->kind) {
    case SETTING_STRING:
        return set_string(settings, row, value, error);
    case SETTING_BOOL:
        if (!text_parse_bool(value, (bool *)((char *)settings + row->offset)))
            return error_set(error, ERROR_INVALID, "%s: \"%.100s\" is neither true nor false",
                             row->environment, value);
        return true;
    case SETTING_INT:
        return set_number(settings, row, value, error);
    case SETTING_FLOAT:
        return set_float(settings, row, value, error);
    case SETTING_DURATION:
        return set_duration(settings, row, value, error);
    case SETTING_CHOICE:
        return set_choice(settings, row, value, error);
    case SETTING_GATES:
        if (!feature_gates_set(settings, row, value, error))
            return false;
        keep_string(settings, row, value);
        return true;
    }
    return false;
}

static const char *choice_text(const struct setting *row, const char *from)
{
    uint32_t index;
    if (row->size == sizeof(bool))
        return row->choices[*(const bool *)from];
    if (row->size != sizeof index)
        return *(const char *const *)from;
    memcpy(&index, from, sizeof index);
    return row->choices[index];
}

// With as few digits as read back to the same number.
static void format_float(double number, struct text *out)
{
    char text[40];
    int digits = 15;
    do
        snprintf(text, sizeof text, "%.*g", digits, number);
    while (strtod(text, NULL) != number && digits++ < 17);
    text_add(out, text);
}

void setting_format(const struct settings *settings, const struct setting *setting,
                    struct text *out)
{
    assert(out != NULL);
    const char *from = (const char *)settings + setting->offset;
    char duration[DURATION_TEXT_MAX];
    int64_t number;
    switch (setting->kind) {
    case SETTING_STRING:
    case SETTING_GATES:
        text_add(out, *(const char *const *)from);
        break;
    case SETTING_BOOL:
        text_add(out, *(const bool *)from ? "true" : "false");
        break;
    case SETTING_INT:
        memcpy(&number, from, sizeof number);
        text_format(out, "%lld", (long long)number);
        break;
    case SETTING_FLOAT:
        format_float(*(const double *)from, out);
        break;
    case SETTING_DURATION:
        memcpy(&number, from, sizeof number);
        duration_format(number, duration);
        text_add(out, duration);
        break;
    case SETTING_CHOICE:
        text_add(out, choice_text(setting, from));
        break;
    }
}
