#include "sim/printing/cells.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/nanoseconds.h"
#include "sim/store/store_internal.h"

// Two units while the second matters, then one: below 10 minutes, 8 hours, 8 days, 8 years.
#define MINUTES 60
#define HOURS   (60 * MINUTES)
#define DAYS    (24 * HOURS)
#define YEARS   (365 * DAYS)

static void two_units(char out[32], int64_t value, int64_t unit, const char *name,
                      int64_t small_unit, const char *small_name)
{
    int64_t rest = value % unit / small_unit;
    if (rest == 0)
        snprintf(out, 32, "%lld%s", (long long)(value / unit), name);
    else
        snprintf(out, 32, "%lld%s%lld%s", (long long)(value / unit), name, (long long)rest,
                 small_name);
}

void duration_human(int64_t nanoseconds, char out[32])
{
    int64_t seconds = nanoseconds / SECOND;
    if (seconds < -1)
        snprintf(out, 32, "<invalid>");
    else if (seconds < 0)
        snprintf(out, 32, "0s");
    else if (seconds < 2 * MINUTES)
        snprintf(out, 32, "%llds", (long long)seconds);
    else if (seconds < 10 * MINUTES)
        two_units(out, seconds, MINUTES, "m", 1, "s");
    else if (seconds < 3 * HOURS)
        snprintf(out, 32, "%lldm", (long long)(seconds / MINUTES));
    else if (seconds < 8 * HOURS)
        two_units(out, seconds, HOURS, "h", MINUTES, "m");
    else if (seconds < 2 * DAYS)
        snprintf(out, 32, "%lldh", (long long)(seconds / HOURS));
    else if (seconds < 8 * DAYS)
        two_units(out, seconds, DAYS, "d", HOURS, "h");
    else if (seconds < 2 * YEARS)
        snprintf(out, 32, "%lldd", (long long)(seconds / DAYS));
    else if (seconds < 8 * YEARS)
        two_units(out, seconds, YEARS, "y", DAYS, "d");
    else
        snprintf(out, 32, "%lldy", (long long)(seconds / YEARS));
}

const char *cell_text(const json_t *object, const char *path)
{
    return json_string_value(store_path(object, path));
}

json_int_t cell_number(const json_t *object, const char *path)
{
    return json_integer_value(store_path(object, path));
}

json_t *cell_text_or(const char *text, const char *otherwise)
{
    return json_string(text != NULL && text[0] != '\0' ? text : otherwise);
}

json_t *cell_take_text(struct text *text, const char *otherwise)
{
    json_t *cell = cell_text_or(text->data, otherwise);
    text_free(text);
    return cell;
}

json_t *cell_name(const json_t *object, int64_t now_ns)
{
    (void)now_ns;
    return json_string(store_name(object));
}

json_t *cell_since(const char *instant, int64_t now_ns)
{
    int64_t then_ns;
    char text[32];
    if (instant == NULL || !instant_parse(instant, &then_ns, NULL))
        return json_string("<unknown>");
    duration_human(ns_subtract(now_ns, then_ns), text);
    return json_string(text);
}

json_t *cell_age(const json_t *object, int64_t now_ns)
{
    return cell_since(cell_text(object, "metadata.creationTimestamp"), now_ns);
}

// A cell with the value at a path; numbers stay numbers.
json_t *cell_value_or(const json_t *object, const char *path, const char *otherwise)
{
    json_t *value = store_path(object, path);
    if (value == NULL || (json_is_string(value) && json_string_length(value) == 0))
        return otherwise != NULL ? json_string(otherwise) : NULL;
    return json_incref(value);
}

json_t *cell_labels(const json_t *labels)
{
    struct text text = {0};
    const char *key;
    json_t *value;
    json_object_foreach ((json_t *)labels, key, value) {
        text_join(&text, ",", key);
        text_format(&text, "=%s", json_is_string(value) ? json_string_value(value) : "");
    }
    return cell_take_text(&text, "<none>");
}

json_t *cell_selector(const json_t *object, int64_t now_ns)
{
    (void)now_ns;
    const json_t *selector = store_path(object, "spec.selector");
    const json_t *labels = json_object_get(selector, "matchLabels");
    return cell_labels(labels != NULL ? labels : selector);
}

static json_t *container_values(const json_t *object, const char *key)
{
    struct text text = {0};
    size_t i;
    json_t *container;
    json_array_foreach (store_path(object, "spec.template.spec.containers"), i, container) {
        const char *value = string_at(container, key);
        text_join(&text, ",", value != NULL ? value : "");
    }
    return cell_take_text(&text, "<none>");
}

json_t *cell_containers(const json_t *object, int64_t now_ns)
{
    (void)now_ns;
    return container_values(object, "name");
}

json_t *cell_images(const json_t *object, int64_t now_ns)
{
    (void)now_ns;
    return container_values(object, "image");
}

const json_t *cell_condition(const json_t *object, const char *type)
{
    size_t i;
    json_t *condition;
    json_array_foreach (store_path(object, "status.conditions"), i, condition) {
        const char *name = string_at(condition, "type");
        if (name != NULL && strcmp(name, type) == 0)
            return condition;
    }
    return NULL;
}

bool cell_condition_is_true(const json_t *object, const char *type)
{
    const char *status = string_at(cell_condition(object, type), "status");
    return status != NULL && strcmp(status, "True") == 0;
}
