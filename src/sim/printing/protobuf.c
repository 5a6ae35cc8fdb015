#include "sim/printing/protobuf.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/evp.h>

#include "base/memory.h"
#include "base/nanoseconds.h"
#include "base/text.h"
#include "sim/printing/protobuf_tables.h"

#define MAGIC        "k8s"
#define MAGIC_LENGTH 4 // with the NUL
#define DEPTH_MAX    32

enum wire_type { WIRE_VARINT = 0, WIRE_FIXED64 = 1, WIRE_BYTES = 2, WIRE_FIXED32 = 5 };

struct wire { // the unread rest of a message
    const uint8_t *at, *end;
};

struct value { // one field on the wire
    uint32_t number;
    enum wire_type type;
    uint64_t integer;
    struct wire bytes;
};

struct field_row { // of a table
    uint32_t number;
    bool repeated, zero_counts;
    char type[60], name[80];
};

static json_t *read_message(const char *message_name, struct wire wire, int depth,
                            struct failure *failure);

static bool refuse(struct failure *failure, const char *why, const char *what)
{
    return failure_set(failure, 415, "UnsupportedMediaType",
                       "the protobuf body cannot be read: %s %s; send JSON instead", why, what);
}

// --- the wire ------------------------------------------------------------------------------------

static bool take_varint(struct wire *wire, uint64_t *value)
{
    *value = 0;
    for (int shift = 0; shift < 64 && wire->at < wire->end; shift += 7) {
        uint8_t byte = *wire->at++;
        *value |= (uint64_t)(byte & 0x7f) << shift;
        if ((byte & 0x80) == 0)
            return true;
    }
    return false;
}

static bool take_bytes(struct wire *wire, uint64_t length, struct wire *bytes)
{
    if (length > (uint64_t)(wire->end - wire->at))
        return false;
    *bytes = (struct wire){wire->at, wire->at + length};
    wire->at += length;
    return true;
}

static bool take_value(struct wire *wire, struct value *value)
{
    uint64_t tag, length;
    if (!take_varint(wire, &tag) || tag >> 3 == 0 || tag >> 3 > UINT32_MAX)
        return false;
    value->number = (uint32_t)(tag >> 3);
    value->type = (enum wire_type)(tag & 7);
    switch (value->type) {
    case WIRE_VARINT:
        return take_varint(wire, &value->integer);
    case WIRE_BYTES:
        return take_varint(wire, &length) && take_bytes(wire, length, &value->bytes);
    case WIRE_FIXED64:
        return take_bytes(wire, 8, &value->bytes);
    case WIRE_FIXED32:
        return take_bytes(wire, 4, &value->bytes);
    }
    return false;
}

static size_t length_of(struct wire wire)
{
    return (size_t)(wire.end - wire.at);
}

// NULL if it is not UTF-8.
static json_t *text_of_wire(struct wire wire)
{
    return json_stringn((const char *)wire.at, length_of(wire));
}

// --- tables --------------------------------------------------------------------------------------

// The message of a kind; of one that differs by version, "KIND@APIVERSION".
static const char *message_of(const char *kind, const char *api_version)
{
    size_t count;
    const struct protobuf_message *messages = protobuf_messages(&count);
    size_t length = strlen(kind);
    for (size_t i = 0; i < count; i++)
        if (strncmp(messages[i].name, kind, length) == 0 && messages[i].name[length] == '@' &&
            strcmp(messages[i].name + length + 1, api_version) == 0)
            return messages[i].name;
    return kind;
}

static const char *fields_of_message(const char *name)
{
    size_t count;
    const struct protobuf_message *messages = protobuf_messages(&count);
    for (size_t i = 0; i < count; i++)
        if (strcmp(messages[i].name, name) == 0)
            return messages[i].fields;
    return NULL;
}

static bool find_field(const char *fields, uint32_t number, struct field_row *row)
{
    char type[60];
    int used;
    while (sscanf(fields, "%u %59s %79[^,]%n", &row->number, type, row->name, &used) == 3) {
        if (row->number == number) {
            size_t length = strlen(type);
            row->repeated = type[0] == '*';
            row->zero_counts = type[length - 1] == '!';
            if (row->zero_counts)
                type[length - 1] = '\0';
            memcpy(row->type, type + row->repeated, length + 1 - row->repeated);
            return true;
        }
        fields += used;
        fields += strspn(fields, ", ");
    }
    return false;
}

// --- values --------------------------------------------------------------------------------------

static json_t *base64_of(struct wire wire)
{
    size_t length = length_of(wire);
    CLEANUP_FREE char *text = memory_allocate(length * 4 / 3 + 8);
    EVP_EncodeBlock((unsigned char *)text, wire.at, (int)length);
    return json_string(text);
}

// The first field of a message, if it is the requested one: quantities are {1: text}.
static json_t *inner_text(struct wire wire)
{
    struct value value;
    while (wire.at < wire.end && take_value(&wire, &value))
        if (value.number == 1 && value.type == WIRE_BYTES)
            return text_of_wire(value.bytes);
    return NULL;
}

// {1: seconds, 2: nanoseconds}; empty is no time.
static json_t *time_of(struct wire wire)
{
    struct value value;
    int64_t seconds = 0;
    while (wire.at < wire.end && take_value(&wire, &value))
        if (value.number == 1 && value.type == WIRE_VARINT)
            seconds = (int64_t)value.integer;
    if (seconds <= 0 || seconds > INT64_MAX / SECOND)
        return NULL;
    char text[INSTANT_TEXT_MAX];
    instant_format(ns_multiply(seconds, SECOND), text);
    return json_string(text);
}

// {1: type, 2: number, 3: text}
static json_t *int_or_string_of(struct wire wire)
{
    struct value value;
    bool is_text = false;
    int64_t number = 0;
    struct wire text = {(const uint8_t *)"", (const uint8_t *)""};
    while (wire.at < wire.end && take_value(&wire, &value)) {
        if (value.number == 1 && value.type == WIRE_VARINT)
            is_text = value.integer != 0;
        else if (value.number == 2 && value.type == WIRE_VARINT)
            number = (int64_t)value.integer;
        else if (value.number == 3 && value.type == WIRE_BYTES)
            text = value.bytes;
    }
    return is_text ? text_of_wire(text) : json_integer(number);
}

static bool add_map_entry(json_t *map, char type, struct wire wire, struct failure *failure)
{
    struct value value;
    struct wire key = {0};
    json_t *item = NULL;
    bool good = true;
    while (good && wire.at < wire.end) {
        good = take_value(&wire, &value) && value.type == WIRE_BYTES;
        if (good && value.number == 1) {
            key = value.bytes;
        } else if (good && value.number == 2) {
            json_decref(item);
            item = type == 'S'   ? text_of_wire(value.bytes)
                   : type == 'Y' ? base64_of(value.bytes)
                                 : inner_text(value.bytes);
        }
    }
    if (item == NULL)
        item = json_string("");
    good = good && key.at != NULL &&
           json_object_setn_new(map, (const char *)key.at, length_of(key), json_incref(item)) == 0;
    json_decref(item);
    return good || refuse(failure, "a map has", "an entry of the wrong form");
}

static json_t *scalar_of(const struct field_row *row, const struct value *value)
{
    if (value->type == WIRE_VARINT && row->type[0] == 'i')
        return value->integer != 0 || row->zero_counts ? json_integer((json_int_t)value->integer)
                                                       : NULL;
    if (value->type == WIRE_VARINT && row->type[0] == 'b')
        return value->integer != 0 || row->zero_counts ? json_boolean(value->integer != 0) : NULL;
    if (value->type != WIRE_BYTES)
        return NULL;
    bool empty = length_of(value->bytes) == 0 && !row->repeated;
    switch (row->type[0]) {
    case 's':
        return empty ? NULL : text_of_wire(value->bytes);
    case 'y':
        return empty ? NULL : base64_of(value->bytes);
    case 'q':
        return inner_text(value->bytes);
    case 't':
        return time_of(value->bytes);
    case 'I':
        return int_or_string_of(value->bytes);
    default:
        return NULL;
    }
}

static bool is_map(const struct field_row *row)
{
    return row->type[1] == '\0' && strchr("SRY", row->type[0]) != NULL;
}

static void put(json_t *object, const struct field_row *row, json_t *item)
{
    if (!row->repeated) {
        json_object_set_new(object, row->name, item);
        return;
    }
    json_t *list = json_object_get(object, row->name);
    if (list == NULL) {
        list = json_array();
        json_object_set_new(object, row->name, list);
    }
    json_array_append_new(list, item);
}

static bool add_field(json_t *object, const struct field_row *row, const struct value *value,
                      int depth, struct failure *failure)
{
    bool is_message = row->type[1] != '\0';
    if (row->type[0] == '?') // Go writes unset structs as empty ones
        return (value->type == WIRE_BYTES && length_of(value->bytes) == 0 && !row->repeated) ||
               refuse(failure, "there is no support for the field", row->name);
    if ((is_message || is_map(row)) && value->type != WIRE_BYTES)
        return refuse(failure, "wrong wire type of", row->name);
    if (is_map(row)) {
        json_t *map = json_object_get(object, row->name);
        if (map == NULL) {
            map = json_object();
            json_object_set_new(object, row->name, map);
        }
        return add_map_entry(map, row->type[0], value->bytes, failure);
    }
    json_t *item = is_message ? read_message(row->type, value->bytes, depth + 1, failure)
                              : scalar_of(row, value);
    if (item == NULL)
        return !is_message; // an empty scalar is an absent one
    put(object, row, item);
    return true;
}

static json_t *read_message(const char *message_name, struct wire wire, int depth,
                            struct failure *failure)
{
    const char *fields = fields_of_message(message_name);
    if (fields == NULL || depth > DEPTH_MAX) {
        refuse(failure, "there is no support for", message_name);
        return NULL;
    }
    json_t *object = json_object();
    while (wire.at < wire.end) {
        struct value value;
        struct field_row row;
        bool good = take_value(&wire, &value);
        if (!good)
            refuse(failure, "it is damaged in", message_name);
        else if (!find_field(fields, value.number, &row))
            good = refuse(failure, "there is an unknown field in", message_name);
        else
            good = add_field(object, &row, &value, depth, failure);
        if (!good) {
            json_decref(object);
            return NULL;
        }
    }
    return object;
}

// --- the envelope --------------------------------------------------------------------------------

bool protobuf_is_body(const char *data, size_t length)
{
    return length >= MAGIC_LENGTH && memcmp(data, MAGIC, MAGIC_LENGTH) == 0;
}

// {1: {1: apiVersion, 2: kind}, 2: the object}
static bool read_envelope(struct wire wire, json_t **api_version, json_t **kind, struct wire *raw)
{
    struct value value, inner;
    while (wire.at < wire.end) {
        if (!take_value(&wire, &value))
            return false;
        if (value.number == 2 && value.type == WIRE_BYTES)
            *raw = value.bytes;
        if (value.number != 1 || value.type != WIRE_BYTES)
            continue;
        while (value.bytes.at < value.bytes.end && take_value(&value.bytes, &inner)) {
            json_t **into = inner.number == 1 ? api_version : inner.number == 2 ? kind : NULL;
            if (into == NULL || inner.type != WIRE_BYTES)
                continue;
            json_decref(*into);
            *into = text_of_wire(inner.bytes);
        }
    }
    return *api_version != NULL && *kind != NULL;
}

json_t *protobuf_read(const char *data, size_t length, struct failure *failure)
{
    struct wire wire = {(const uint8_t *)data + MAGIC_LENGTH, (const uint8_t *)data + length};
    struct wire raw = {wire.end, wire.end};
    json_t *api_version = NULL, *kind = NULL, *object = NULL;
    if (!protobuf_is_body(data, length) || !read_envelope(wire, &api_version, &kind, &raw))
        refuse(failure, "it is", "not a Kubernetes object");
    else
        object = read_message(message_of(json_string_value(kind), json_string_value(api_version)),
                              raw, 0, failure);
    if (object != NULL) {
        json_object_set(object, "apiVersion", api_version);
        json_object_set(object, "kind", kind);
    }
    json_decref(api_version);
    json_decref(kind);
    return object;
}
