#include "cli/autoscaler/flags.h"

#include <assert.h>
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "base/duration.h"
#include "cli/convert/tree.h"

static void add(struct flags *flags, const char *name, const char *value)
{
    if (flags->values == NULL)
        flags->values = json_object();
    json_t *list = json_object_get(flags->values, name);
    if (list == NULL) {
        list = json_array();
        json_object_set_new(flags->values, name, list);
    }
    json_array_append_new(list, json_string(value));
}

static bool is_flag(const char *text)
{
    return text[0] == '-' && (isalpha((unsigned char)text[1]) || text[1] == '-');
}

void flags_add_list(struct flags *flags, const json_t *list, struct arena *arena)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *text = tree_scalar(json_array_get(list, i), arena);
        if (text == NULL || !is_flag(text))
            continue;
        text += text[1] == '-' ? 2 : 1;
        const char *equals = strchr(text, '='), *next = NULL;
        if (equals == NULL)
            next = tree_scalar(json_array_get(list, i + 1), arena);
        if (equals != NULL)
            add(flags, arena_copy_bytes(arena, text, (size_t)(equals - text)), equals + 1);
        else
            add(flags, text, next != NULL && !is_flag(next) ? next : "true");
    }
}

void flags_add_map(struct flags *flags, const json_t *map, struct arena *arena)
{
    const char *name;
    json_t *value, *item;
    size_t index;
    json_object_foreach ((json_t *)map, name, value) {
        if (json_is_array(value))
            json_array_foreach (value, index, item)
                add(flags, name, text_or_empty(tree_scalar(item, arena)));
        else
            add(flags, name, text_or_empty(tree_scalar(value, arena)));
    }
}

void flags_add_text(struct flags *flags, const char *text, struct arena *arena)
{
    json_t *list = json_array();
    while (*text != '\0') {
        text += strspn(text, " \t\r\n\\\"',");
        size_t length = strcspn(text, " \t\r\n\\\"',");
        if (*text == '-' || json_array_size(list) > 0)
            if (length > 0)
                json_array_append_new(list, json_stringn(text, length));
        text += length;
    }
    flags_add_list(flags, list, arena);
    json_decref(list);
}

const json_t *flag_list(const struct flags *flags, const char *name)
{
    return json_object_get(flags->values, name);
}

const char *flag_text(const struct flags *flags, const char *name)
{
    const json_t *list = flag_list(flags, name);
    return list != NULL ? json_string_value(json_array_get(list, json_array_size(list) - 1)) : NULL;
}

bool flag_is(const struct flags *flags, const char *name, bool otherwise)
{
    const char *text = flag_text(flags, name);
    bool value;
    return text != NULL && text_parse_bool(text, &value) ? value : otherwise;
}

int64_t seconds_of(const char *text)
{
    int64_t nanoseconds;
    struct error error;
    return text != NULL && duration_parse(text, &nanoseconds, &error) && nanoseconds >= 0
               ? nanoseconds / SECOND
               : -1;
}

int64_t flag_seconds(const struct flags *flags, const char *name, int64_t otherwise)
{
    int64_t seconds = seconds_of(flag_text(flags, name));
    return seconds >= 0 ? seconds : otherwise;
}

const char *seconds_format(int64_t seconds, struct arena *arena)
{
    assert(seconds >= 0);
    const char *hours = seconds >= 3600 ? arena_format(arena, "%" PRId64 "h", seconds / 3600) : "";
    const char *minutes =
        seconds / 60 % 60 > 0 ? arena_format(arena, "%" PRId64 "m", seconds / 60 % 60) : "";
    const char *rest =
        seconds % 60 > 0 || seconds == 0 ? arena_format(arena, "%" PRId64 "s", seconds % 60) : "";
    return arena_format(arena, "%s%s%s", hours, minutes, rest);
}

void flags_free(struct flags *flags)
{
    json_decref(flags->values);
    flags->values = NULL;
}
