#include "cloud/aws/client/aws_query.h"

#include <assert.h>
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cloud/aws/client/aws_escape.h"

#define NAME_BYTES_MAX 512
#define DEPTH_MAX      12
#define ITEMS_MAX      10000

struct encoder {
    const struct aws_action_info *action;
    bool is_ec2;
    struct text *body;
    char name[NAME_BYTES_MAX]; // the path so far: "Filter.1.Value"
    struct error *error;
};

static bool add_members(struct encoder *encoder, const struct aws_shape *shape,
                        const json_t *object, uint32_t depth);
static bool add_value(struct encoder *encoder, const struct aws_field *field, const json_t *value,
                      uint32_t depth);
static bool add_scalar(struct encoder *encoder, const struct aws_field *field, enum aws_kind kind,
                       const json_t *value);
static bool name_push(struct encoder *encoder, const char *part, bool raised);
static void add_pair(struct encoder *encoder, const char *value);
static const struct aws_field *shape_member(const struct aws_shape *shape, const char *name);
static const char *wire_name(const struct aws_field *field);

bool aws_query_encode(const struct aws_action_info *action, const json_t *parameters,
                      struct text *body, struct error *error)
{
    const struct aws_service_info *service = aws_service_info(action->service);
    assert(service->protocol == AWS_PROTOCOL_EC2 || service->protocol == AWS_PROTOCOL_QUERY);
    struct encoder encoder = {.action = action,
                              .is_ec2 = service->protocol == AWS_PROTOCOL_EC2,
                              .body = body,
                              .error = error};
    text_format(body, "Action=%s&Version=%s", action->name, service->version);
    return add_members(&encoder, action->request, parameters, 0);
}

static bool add_members(struct encoder *encoder, const struct aws_shape *shape,
                        const json_t *object, uint32_t depth)
{
    assert(depth < DEPTH_MAX);
    const char *key;
    json_t *value;
    json_object_foreach ((json_t *)object, key, value) {
        if (shape_member(shape, key) == NULL)
            return error_set(encoder->error, ERROR_INVALID, "%s has no parameter %s%s%s",
                             encoder->action->permission, encoder->name,
                             encoder->name[0] != '\0' ? "." : "", key);
    }
    for (uint32_t i = 0; i < shape->count; i++) { // in the table's order, whatever the object's
        value = json_object_get(object, shape->fields[i].name);
        if (value == NULL || json_is_null(value))
            continue;
        size_t length = strlen(encoder->name);
        if (!name_push(encoder, wire_name(&shape->fields[i]), encoder->is_ec2) ||
            !add_value(encoder, &shape->fields[i], value, depth))
            return false;
        encoder->name[length] = '\0';
    }
    return true;
}

static bool add_value(struct encoder *encoder, const struct aws_field *field, const json_t *value,
                      uint32_t depth)
{
    if (field->kind == AWS_STRUCT && json_is_object(value))
        return add_members(encoder, field->shape, value, depth + 1);
    if (field->kind != AWS_LIST || !json_is_array(value))
        return add_scalar(encoder, field, field->kind, value);
    size_t length = strlen(encoder->name), index;
    json_t *item;
    if (json_array_size(value) > 0 && !encoder->is_ec2 && !name_push(encoder, "member", false))
        return false;
    size_t list_length = strlen(encoder->name);
    json_array_foreach (value, index, item) {
        char number[24];
        snprintf(number, sizeof number, "%zu", index + 1);
        if (!name_push(encoder, number, false))
            return false;
        bool good = field->shape == NULL   ? add_scalar(encoder, field, AWS_TEXT, item)
                    : json_is_object(item) ? add_members(encoder, field->shape, item, depth + 1)
                                           : add_scalar(encoder, field, AWS_STRUCT, item);
        if (!good)
            return false;
        encoder->name[list_length] = '\0';
    }
    encoder->name[length] = '\0';
    return true;
}

static bool add_scalar(struct encoder *encoder, const struct aws_field *field, enum aws_kind kind,
                       const json_t *value)
{
    bool is_text = kind == AWS_TEXT || kind == AWS_TIMESTAMP;
    if (is_text && json_is_string(value)) {
        add_pair(encoder, json_string_value(value));
    } else if ((kind == AWS_INTEGER || kind == AWS_DOUBLE) && json_is_integer(value)) {
        char number[24];
        snprintf(number, sizeof number, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
        add_pair(encoder, number);
    } else if (kind == AWS_DOUBLE && json_is_real(value)) {
        struct text number = {0};
        aws_query_number(json_real_value(value), &number);
        add_pair(encoder, number.data);
        text_free(&number);
    } else if (kind == AWS_BOOLEAN && json_is_boolean(value)) {
        add_pair(encoder, json_is_true(value) ? "true" : "false");
    } else {
        return error_set(encoder->error, ERROR_INVALID, "%s: parameter %s has a wrong type",
                         encoder->action->permission, field->name);
    }
    return true;
}

void aws_query_number(double value, struct text *out)
{
    assert(isfinite(value));
    char digits[40];
    int precision = 0;
    do
        snprintf(digits, sizeof digits, "%.*e", precision, value);
    while (strtod(digits, NULL) != value && ++precision < 17);
    int exponent = atoi(strchr(digits, 'e') + 1);
    int decimals = precision - exponent;
    text_format(out, "%.*f", decimals > 0 ? decimals : 0, value);
}

static bool name_push(struct encoder *encoder, const char *part, bool raised)
{
    size_t length = strlen(encoder->name);
    int written = snprintf(encoder->name + length, sizeof encoder->name - length, "%s%s",
                           length > 0 ? "." : "", part);
    if (written < 0 || (size_t)written >= sizeof encoder->name - length)
        return error_set(encoder->error, ERROR_INVALID, "%s: parameters are nested too deep",
                         encoder->action->permission);
    if (raised) {
        char *first = &encoder->name[length + (length > 0)];
        *first = (char)toupper((unsigned char)*first);
    }
    return true;
}

static void add_pair(struct encoder *encoder, const char *value)
{
    text_add_char(encoder->body, '&');
    aws_escape(encoder->body, encoder->name, false);
    text_add_char(encoder->body, '=');
    aws_escape(encoder->body, value, false);
}

static const struct aws_field *shape_member(const struct aws_shape *shape, const char *name)
{
    for (uint32_t i = 0; i < shape->count; i++) {
        if (strcmp(shape->fields[i].name, name) == 0)
            return &shape->fields[i];
    }
    return NULL;
}

static const char *wire_name(const struct aws_field *field)
{
    return field->wire != NULL ? field->wire : field->name;
}

// --- decoding ------------------------------------------------------------------------------------
static json_t *decode_scalar(enum aws_kind kind, const char *text)
{
    char *end;
    switch (kind) {
    case AWS_INTEGER: {
        int64_t number;
        return text_parse_int64(text, &number) ? json_integer(number) : NULL;
    }
    case AWS_DOUBLE: {
        double number = strtod(text, &end);
        return end != text && *end == '\0' && isfinite(number) ? json_real(number) : NULL;
    }
    case AWS_BOOLEAN: {
        bool flag;
        return text_parse_bool(text, &flag) ? json_boolean(flag) : NULL;
    }
    case AWS_TEXT:
    case AWS_TIMESTAMP:
        return json_string(text);
    case AWS_STRUCT:
    case AWS_LIST:
    case AWS_ANY:
        break;
    }
    return NULL;
}

static const struct aws_field *wire_member(const struct aws_shape *shape, const char *name,
                                           size_t length)
{
    for (uint32_t i = 0; i < shape->count; i++) {
        const char *wire = wire_name(&shape->fields[i]);
        if (strlen(wire) == length && toupper((unsigned char)wire[0]) == name[0] &&
            strncmp(wire + 1, name + 1, length - 1) == 0)
            return &shape->fields[i];
    }
    return NULL;
}

// The item of a list at a one-based number; the next one is made. NULL: out of order.
static json_t *list_item(json_t *list, int64_t number, json_t *fresh)
{
    size_t count = json_array_size(list);
    if (number == (int64_t)count + 1 && count < ITEMS_MAX)
        json_array_append(list, fresh);
    json_decref(fresh);
    return number >= 1 ? json_array_get(list, (size_t)number - 1) : NULL;
}

static json_t *member_ensure(json_t *object, const char *name, json_t *fresh)
{
    if (json_object_get(object, name) == NULL)
        json_object_set(object, name, fresh);
    json_decref(fresh);
    return json_object_get(object, name);
}

// Puts one pair where its dotted name says; false if the shape has no such place.
static bool decode_pair(const struct aws_shape *shape, json_t *object, char *name, bool is_ec2,
                        const char *value)
{
    for (uint32_t depth = 0; depth < DEPTH_MAX; depth++) {
        char *part = strsep(&name, ".");
        const struct aws_field *field =
            part != NULL ? wire_member(shape, part, strlen(part)) : NULL;
        if (field == NULL)
            return false;
        if (field->kind == AWS_STRUCT && name != NULL) {
            object = member_ensure(object, field->name, json_object());
            shape = field->shape;
            continue;
        }
        if (field->kind != AWS_LIST) {
            json_t *scalar = name == NULL ? decode_scalar(field->kind, value) : NULL;
            return scalar != NULL && json_object_set_new(object, field->name, scalar) == 0;
        }
        json_t *list = member_ensure(object, field->name, json_array());
        int64_t number;
        if (!is_ec2 && !text_equal(strsep(&name, "."), "member"))
            return false;
        part = strsep(&name, ".");
        if (part == NULL || !text_parse_int64(part, &number))
            return false;
        bool is_struct = field->shape != NULL;
        if ((name != NULL) != is_struct)
            return false;
        object = list_item(list, number, is_struct ? json_object() : json_string(value));
        if (object == NULL || !is_struct)
            return object != NULL;
        shape = field->shape;
    }
    return false;
}

json_t *aws_query_decode(const struct aws_action_info *action, char *form, struct error *error)
{
    bool is_ec2 = aws_service_info(action->service)->protocol == AWS_PROTOCOL_EC2;
    json_t *parameters = json_object();
    for (char *pair; (pair = strsep(&form, "&")) != NULL;) {
        char *name = strsep(&pair, "=");
        if (name[0] == '\0' || pair == NULL || strcmp(name, "Action") == 0 ||
            strcmp(name, "Version") == 0)
            continue;
        if (!aws_unescape(name, true) || !aws_unescape(pair, true) ||
            !decode_pair(action->request, parameters, name, is_ec2, pair)) {
            error_set(error, ERROR_INVALID, "%s: the request is malformed at %.100s",
                      action->permission, text_or_empty(name));
            json_decref(parameters);
            return NULL;
        }
    }
    return parameters;
}
