#include "model/manifest/jsonpath_write.h"

#include <inttypes.h>
#include <string.h>

#define VALUES_MAX 1000000 // that one expression gives

typedef VECTOR(json_t *) value_list;

struct writer {
    json_t *root;
    struct text *text;
    struct error *error;
};

static bool follow(const struct writer *writer, const struct jsonpath_way *way, json_t *current,
                   value_list *values);

static bool add(const struct writer *writer, value_list *values, json_t *value)
{
    if (values->count == VALUES_MAX)
        return error_set(writer->error, ERROR_INVALID, "jsonpath: more than %d values", VALUES_MAX);
    vector_push(values, value);
    return true;
}

// --- steps ---------------------------------------------------------------------------------------

static bool add_all(const struct writer *writer, json_t *from, value_list *values)
{
    size_t index;
    const char *key;
    json_t *value;
    json_array_foreach (from, index, value)
        if (!add(writer, values, value))
            return false;
    json_object_foreach (from, key, value)
        if (!add(writer, values, value))
            return false;
    return true;
}

// The value, then each below it with those below that. JSON that is read has a limited depth.
static bool add_descent(const struct writer *writer, json_t *from, value_list *values)
{
    value_list children = {0};
    bool good = add(writer, values, from) && add_all(writer, from, &children);
    for (uint32_t i = 0; good && i < children.count; i++)
        good = add_descent(writer, children.items[i], values);
    vector_free(&children);
    return good;
}

static int64_t clamp(int64_t index, int64_t size)
{
    index += index < 0 ? size : 0;
    return index < 0 ? 0 : index > size ? size : index;
}

static bool add_slice(const struct writer *writer, const struct jsonpath_slice *slice, json_t *from,
                      value_list *values)
{
    int64_t size = (int64_t)json_array_size(from);
    int64_t at = slice->has_from ? slice->from : 0, end = slice->has_to ? slice->to : size;
    if (!slice->is_slice) {
        at += at < 0 ? size : 0;
        if (at < 0 || at >= size)
            return error_set(writer->error, ERROR_NOT_FOUND,
                             "jsonpath: index %" PRId64 " of a list of %" PRId64, slice->from,
                             size);
        return add(writer, values, json_array_get(from, (size_t)at));
    }
    end = clamp(end, size);
    for (at = clamp(at, size); at < end; at += slice->stride)
        if (!add(writer, values, json_array_get(from, (size_t)at)))
            return false;
    return true;
}

static bool add_slices(const struct writer *writer, const struct jsonpath_step *step, json_t *from,
                       value_list *values)
{
    if (!json_is_array(from))
        return true;
    vector_for_each (slice, &step->slices)
        if (!add_slice(writer, slice, from, values))
            return false;
    return true;
}

// --- filters -------------------------------------------------------------------------------------

// -1, 0 or 1; 2: they are unequal, and neither is less.
static int compare(const json_t *one, const json_t *other)
{
    if (json_is_number(one) && json_is_number(other)) {
        double a = json_number_value(one), b = json_number_value(other);
        return a < b ? -1 : a > b;
    }
    if (json_is_string(one) && json_is_string(other)) {
        int order = strcmp(json_string_value(one), json_string_value(other));
        return order < 0 ? -1 : order > 0;
    }
    return json_equal(one, other) ? 0 : 2;
}

static bool holds(enum jsonpath_operator operator, int order)
{
    switch (operator) {
    case IS_EQUAL:
        return order == 0;
    case IS_UNEQUAL:
        return order != 0;
    case IS_LESS:
        return order == -1;
    case IS_LESS_EQUAL:
        return order == -1 || order == 0;
    case IS_MORE:
        return order == 1;
    case IS_MORE_EQUAL:
        return order == 1 || order == 0;
    case IS_THERE:
        break;
    }
    return true;
}

// The first value of the operand; NULL: none. An index beyond a list's end is none.
static json_t *value_of(const struct writer *writer, const struct jsonpath_operand *operand,
                        json_t *current)
{
    const struct writer silent = {writer->root, writer->text, NULL};
    if (operand->literal != NULL)
        return operand->literal;
    value_list values = {0};
    bool found = follow(&silent, &operand->way, current, &values) && values.count > 0;
    json_t *value = found ? values.items[0] : NULL;
    vector_free(&values);
    return value;
}

static bool add_filtered(const struct writer *writer, const struct jsonpath_step *step,
                         json_t *from, value_list *values)
{
    value_list all = {0};
    bool good = add_all(writer, from, &all);
    for (uint32_t i = 0; good && i < all.count; i++) {
        json_t *one = value_of(writer, &step->operands[0], all.items[i]), *other = one;
        if (step->operator!= IS_THERE)
            other = value_of(writer, &step->operands[1], all.items[i]);
        if (one != NULL && other != NULL && holds(step->operator, compare(one, other)))
            good = add(writer, values, all.items[i]);
    }
    vector_free(&all);
    return good;
}

// --- ways ----------------------------------------------------------------------------------------

static bool take_step(const struct writer *writer, const struct jsonpath_step *step, json_t *from,
                      value_list *values)
{
    json_t *field;
    switch (step->kind) {
    case STEP_FIELD:
        field = json_object_get(from, step->field);
        return field == NULL || add(writer, values, field);
    case STEP_ALL:
        return add_all(writer, from, values);
    case STEP_DESCENT:
        return add_descent(writer, from, values);
    case STEP_FILTER:
        return add_filtered(writer, step, from, values);
    case STEP_INDICES:
        return add_slices(writer, step, from, values);
    }
    return false;
}

static bool follow(const struct writer *writer, const struct jsonpath_way *way, json_t *current,
                   value_list *values)
{
    bool good = add(writer, values, way->from_root ? writer->root : current);
    for (uint32_t i = 0; good && i < way->steps.count; i++) {
        value_list next = {0};
        for (uint32_t k = 0; good && k < values->count; k++)
            good = take_step(writer, &way->steps.items[i], values->items[k], &next);
        vector_free(values);
        values->items = next.items;
        values->count = next.count;
        values->capacity = next.capacity;
    }
    return good;
}

// --- the template --------------------------------------------------------------------------------

static void write_value(struct text *text, const json_t *value)
{
    if (json_is_string(value)) {
        text_add(text, json_string_value(value));
        return;
    }
    CLEANUP_FREE char *json =
        json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT | JSON_REAL_PRECISION(15));
    text_add(text, text_or_empty(json));
}

static uint32_t end_of(const struct jsonpath *path, uint32_t range)
{
    uint32_t depth = 0;
    for (uint32_t i = range; i < path->parts.count; i++) {
        depth += path->parts.items[i].kind == PART_RANGE;
        depth -= path->parts.items[i].kind == PART_END;
        if (depth == 0)
            return i;
    }
    return path->parts.count;
}

// The parts from `begin` up to `end`.
static bool write_parts(const struct writer *writer, const struct jsonpath *path, uint32_t begin,
                        uint32_t end, json_t *current)
{
    bool good = true;
    for (uint32_t i = begin; good && i < end; i++) {
        const struct jsonpath_part *part = &path->parts.items[i];
        if (part->kind == PART_TEXT)
            text_add(writer->text, part->text);
        if (part->kind != PART_WAY && part->kind != PART_RANGE)
            continue;
        value_list values = {0};
        uint32_t last = part->kind == PART_RANGE ? end_of(path, i) : i;
        good = follow(writer, &part->way, current, &values);
        for (uint32_t k = 0; good && k < values.count; k++)
            if (part->kind == PART_RANGE) {
                good = write_parts(writer, path, i + 1, last, values.items[k]);
            } else {
                text_add(writer->text, k > 0 ? " " : "");
                write_value(writer->text, values.items[k]);
            }
        i = last;
        vector_free(&values);
    }
    return good;
}

bool jsonpath_write(const struct jsonpath *path, json_t *root, struct text *text,
                    struct error *error)
{
    const struct writer writer = {root, text, error};
    return write_parts(&writer, path, 0, path->parts.count, root);
}
