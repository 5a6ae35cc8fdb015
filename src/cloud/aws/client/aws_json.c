#include "cloud/aws/client/aws_json.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/nanoseconds.h"
#include "base/text.h"

#define SECONDS_MAX 253402300799.0 // of the year 9999

static bool value_fits(const struct aws_action_info *action, const struct aws_field *field,
                       const json_t *value, struct error *error);
static void convert(const struct aws_shape *shape, json_t *object,
                    json_t *(*time)(const json_t *value));
static json_t *time_from_wire(const json_t *value);
static json_t *time_to_wire(const json_t *value);

bool aws_json_check(const struct aws_action_info *action, const struct aws_shape *shape,
                    const json_t *parameters, struct error *error)
{
    const char *key;
    json_t *value;
    json_object_foreach ((json_t *)parameters, key, value) {
        const struct aws_field *field = NULL;
        for (uint32_t i = 0; i < shape->count && field == NULL; i++)
            field = strcmp(shape->fields[i].name, key) == 0 ? &shape->fields[i] : NULL;
        if (field == NULL)
            return error_set(error, ERROR_INVALID, "%s has no parameter %s", action->permission,
                             key);
        if (!json_is_null(value) && !value_fits(action, field, value, error))
            return false;
    }
    return true;
}

static bool value_fits(const struct aws_action_info *action, const struct aws_field *field,
                       const json_t *value, struct error *error)
{
    bool good = true;
    switch (field->kind) {
    case AWS_TEXT:
    case AWS_TIMESTAMP:
        good = json_is_string(value);
        break;
    case AWS_INTEGER:
        good = json_is_integer(value);
        break;
    case AWS_DOUBLE:
        good = json_is_number(value);
        break;
    case AWS_BOOLEAN:
        good = json_is_boolean(value);
        break;
    case AWS_LIST:
        good = json_is_array(value);
        break;
    case AWS_STRUCT:
        good = json_is_object(value);
        break;
    case AWS_ANY:
        break;
    }
    if (good && field->kind == AWS_STRUCT)
        return aws_json_check(action, field->shape, value, error);
    size_t index;
    json_t *item;
    if (good && field->kind == AWS_LIST) {
        json_array_foreach (value, index, item) {
            good = good && (field->shape != NULL ? json_is_object(item) : json_is_string(item));
            if (good && field->shape != NULL && !aws_json_check(action, field->shape, item, error))
                return false;
        }
    }
    return good || error_set(error, ERROR_INVALID, "%s: parameter %s has a wrong type",
                             action->permission, field->name);
}

json_t *aws_json_without_empty(const json_t *parameters)
{
    json_t *copy = json_object();
    const char *key;
    json_t *value;
    json_object_foreach ((json_t *)parameters, key, value) {
        bool is_empty = json_is_null(value) ||
                        (json_is_array(value) && json_array_size(value) == 0) ||
                        (json_is_object(value) && json_object_size(value) == 0);
        if (!is_empty)
            json_object_set(copy, key, value);
    }
    return copy;
}

json_t *aws_json_decode(const struct aws_action_info *action, const char *body, size_t length,
                        struct error *error)
{
    json_error_t fault;
    if (length == 0) // SQS answers so when there is nothing to say
        return json_object();
    json_t *reply = json_loadb(body, length, JSON_REJECT_DUPLICATES, &fault);
    if (!json_is_object(reply)) {
        json_decref(reply);
        error_set(error, ERROR_INTERNAL, "%s: the answer is no JSON object", action->permission);
        return NULL;
    }
    if (action->reply != NULL)
        convert(action->reply, reply, time_from_wire);
    return reply;
}

char *aws_json_encode(const struct aws_action_info *action, const json_t *reply)
{
    json_t *copy = json_deep_copy(reply);
    if (action->reply != NULL)
        convert(action->reply, copy, time_to_wire);
    char *text = json_dumps(copy, JSON_COMPACT);
    json_decref(copy);
    return text;
}

static void convert(const struct aws_shape *shape, json_t *object,
                    json_t *(*time)(const json_t *value))
{
    for (uint32_t i = 0; i < shape->count; i++) {
        const struct aws_field *field = &shape->fields[i];
        json_t *value = json_object_get(object, field->name), *item;
        size_t index;
        if (field->kind == AWS_TIMESTAMP) {
            json_t *converted = value != NULL ? time(value) : NULL;
            if (converted != NULL)
                json_object_set_new(object, field->name, converted);
        } else if (field->shape != NULL && json_is_object(value)) {
            convert(field->shape, value, time);
        } else if (field->shape != NULL) {
            json_array_foreach (value, index, item)
                convert(field->shape, item, time);
        }
    }
}

// Seconds since the epoch become RFC 3339; anything else stays.
static json_t *time_from_wire(const json_t *value)
{
    double seconds = json_number_value(value);
    if (!json_is_number(value) || !(fabs(seconds) < SECONDS_MAX))
        return NULL;
    char text[INSTANT_TEXT_MAX];
    instant_format(ns_multiply((int64_t)seconds, SECOND), text);
    return json_string(text);
}

static json_t *time_to_wire(const json_t *value)
{
    int64_t instant;
    struct error error = {0};
    if (!json_is_string(value) || !instant_parse(json_string_value(value), &instant, &error))
        return NULL;
    return json_integer(instant / SECOND);
}

// "com.amazonaws.sqs#QueueDoesNotExist:http://..." is QueueDoesNotExist.
static void copy_code(char out[AWS_CODE_BYTES], const char *type)
{
    const char *hash = strrchr(type, '#');
    const char *begin = hash != NULL ? hash + 1 : type;
    snprintf(out, AWS_CODE_BYTES, "%.*s", (int)strcspn(begin, ":"), begin);
    text_repair(out);
}

void aws_json_decode_error(const struct aws_http_response *response, struct aws_codec_error *error)
{
    json_t *body = response->body_bytes == 0
                       ? NULL
                       : json_loadb(response->body, response->body_bytes, 0, NULL);
    static const char *const messages[] = {"message", "Message", "errorMessage"};
    const char *type = aws_http_header_of(response, "x-amzn-errortype");
    if (type == NULL)
        type = json_string_value(json_object_get(body, "__type"));
    if (type == NULL)
        type = json_string_value(json_object_get(body, "code"));
    copy_code(error->code, text_or_empty(type));
    for (size_t i = 0; i < 3 && error->message[0] == '\0'; i++) {
        const char *message = json_string_value(json_object_get(body, messages[i]));
        snprintf(error->message, sizeof error->message, "%s", text_or_empty(message));
    }
    text_repair(error->message);
    json_decref(body);
}
