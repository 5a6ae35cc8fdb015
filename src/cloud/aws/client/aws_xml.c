#include "cloud/aws/client/aws_xml.h"

#include <assert.h>
#include <ctype.h>
#include <libxml/xmlreader.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cloud/aws/client/aws_http.h"
#include "cloud/aws/client/aws_query.h"

#define DEPTH_MAX 64

struct decoder {
    xmlTextReaderPtr reader;
    bool is_ec2, is_broken;
    const char *fault; // static text
};

static void read_root(struct decoder *decoder, const struct aws_action_info *action, json_t *reply,
                      char request_id[AWS_ID_BYTES]);
static bool next_child(struct decoder *decoder, int depth);
static json_t *read_struct(struct decoder *decoder, const struct aws_shape *shape);
static void read_member(struct decoder *decoder, const struct aws_shape *shape, json_t *object);
static json_t *read_list(struct decoder *decoder, const struct aws_shape *shape);
static json_t *read_scalar(struct decoder *decoder, enum aws_kind kind);
static void read_text(struct decoder *decoder, struct text *text);
static void skip(struct decoder *decoder);
static bool step(struct decoder *decoder);
static bool name_is(const struct aws_field *field, const char *name, bool is_ec2);

static xmlTextReaderPtr reader_open(const char *body, size_t length)
{
    assert(length <= INT32_MAX);
    return xmlReaderForMemory(body, (int)length, NULL, NULL,
                              XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING |
                                  XML_PARSE_NOCDATA | XML_PARSE_COMPACT);
}

json_t *aws_xml_decode(const struct aws_action_info *action, const char *body, size_t length,
                       char request_id[AWS_ID_BYTES], struct error *error)
{
    request_id[0] = '\0';
    const struct aws_service_info *service = aws_service_info(action->service);
    struct decoder decoder = {.is_ec2 = service->protocol == AWS_PROTOCOL_EC2};
    if (length > AWS_BODY_BYTES_MAX || (decoder.reader = reader_open(body, length)) == NULL) {
        error_set(error, ERROR_INTERNAL, "%s: the answer is too large", action->permission);
        return NULL;
    }
    json_t *reply = json_object();
    read_root(&decoder, action, reply, request_id);
    while (!decoder.is_broken && xmlTextReaderReadState(decoder.reader) != XML_TEXTREADER_MODE_EOF)
        step(&decoder); // to the end, so that a cut text is noticed
    xmlFreeTextReader(decoder.reader);
    if (!decoder.is_broken)
        return reply;
    json_decref(reply);
    error_set(error, ERROR_INTERNAL, "%s: the answer cannot be read: %s", action->permission,
              decoder.fault);
    return NULL;
}

static bool broken(struct decoder *decoder, const char *fault)
{
    if (!decoder->is_broken)
        decoder->fault = fault;
    decoder->is_broken = true;
    return false;
}

// Goes to the next node. False at the end of the text, and when it is malformed.
static bool step(struct decoder *decoder)
{
    if (decoder->is_broken)
        return false;
    int result = xmlTextReaderRead(decoder->reader);
    if (result < 0)
        return broken(decoder, "it is no well-formed XML");
    if (result == 0)
        return false;
    int type = xmlTextReaderNodeType(decoder->reader);
    if (type == XML_READER_TYPE_DOCUMENT_TYPE || type == XML_READER_TYPE_ENTITY_REFERENCE)
        return broken(decoder, "it has a document type or entities of its own");
    if (xmlTextReaderDepth(decoder->reader) > DEPTH_MAX)
        return broken(decoder, "it is nested too deep");
    return true;
}

// From an element, or from the end of one of its children, to the next child element; false at the
// element's end.
static bool next_child(struct decoder *decoder, int depth)
{
    xmlTextReaderPtr reader = decoder->reader;
    if (xmlTextReaderDepth(reader) == depth && xmlTextReaderIsEmptyElement(reader) == 1)
        return false;
    while (step(decoder)) {
        int type = xmlTextReaderNodeType(reader);
        if (type == XML_READER_TYPE_ELEMENT)
            return true;
        if (type == XML_READER_TYPE_END_ELEMENT && xmlTextReaderDepth(reader) == depth)
            return false;
    }
    broken(decoder, "it ends too early");
    return false;
}

static const char *local_name(const struct decoder *decoder)
{
    const xmlChar *name = xmlTextReaderConstLocalName(decoder->reader);
    return name != NULL ? (const char *)name : "";
}

static void read_request_id(struct decoder *decoder, char request_id[AWS_ID_BYTES])
{
    struct text text = {0};
    read_text(decoder, &text);
    snprintf(request_id, AWS_ID_BYTES, "%s", text_or_empty(text.data));
    text_repair(request_id);
    text_free(&text);
}

// EC2 has the members in the root; the others in <ActionResult>.
static void read_root(struct decoder *decoder, const struct aws_action_info *action, json_t *reply,
                      char request_id[AWS_ID_BYTES])
{
    bool found = false;
    while (!found && step(decoder))
        found = xmlTextReaderNodeType(decoder->reader) == XML_READER_TYPE_ELEMENT;
    if (!found) {
        broken(decoder, "it is empty");
        return;
    }
    if (!text_starts_with(local_name(decoder), action->name) ||
        !text_ends_with(local_name(decoder), "Response")) {
        broken(decoder, "it answers another question");
        return;
    }
    int depth = xmlTextReaderDepth(decoder->reader);
    while (next_child(decoder, depth)) {
        const char *name = local_name(decoder);
        if (strcmp(name, "requestId") == 0) {
            read_request_id(decoder, request_id);
        } else if (decoder->is_ec2) {
            read_member(decoder, action->reply, reply);
        } else if (text_ends_with(name, "Result")) {
            json_t *result = read_struct(decoder, action->reply);
            json_object_update(reply, result);
            json_decref(result);
        } else if (strcmp(name, "ResponseMetadata") == 0) {
            int inner = xmlTextReaderDepth(decoder->reader);
            while (next_child(decoder, inner)) {
                if (strcmp(local_name(decoder), "RequestId") == 0)
                    read_request_id(decoder, request_id);
                else
                    skip(decoder);
            }
        } else {
            skip(decoder);
        }
    }
}

static json_t *read_struct(struct decoder *decoder, const struct aws_shape *shape)
{
    json_t *object = json_object();
    int depth = xmlTextReaderDepth(decoder->reader);
    while (next_child(decoder, depth))
        read_member(decoder, shape, object);
    return object;
}

static void read_member(struct decoder *decoder, const struct aws_shape *shape, json_t *object)
{
    const char *name = local_name(decoder);
    for (uint32_t i = 0; i < shape->count; i++) {
        const struct aws_field *field = &shape->fields[i];
        if (!name_is(field, name, decoder->is_ec2))
            continue;
        json_t *value;
        if (field->kind == AWS_STRUCT)
            value = read_struct(decoder, field->shape);
        else if (field->kind == AWS_LIST)
            value = read_list(decoder, field->shape);
        else
            value = read_scalar(decoder, field->kind);
        if (value != NULL)
            json_object_set_new_nocheck(object, field->name, value);
        return;
    }
    skip(decoder);
}

static json_t *read_list(struct decoder *decoder, const struct aws_shape *shape)
{
    json_t *list = json_array();
    int depth = xmlTextReaderDepth(decoder->reader);
    while (next_child(decoder, depth)) {
        json_t *item = shape != NULL ? read_struct(decoder, shape) : read_scalar(decoder, AWS_TEXT);
        if (item != NULL)
            json_array_append_new(list, item);
    }
    return list;
}

// NULL for a number or flag without text.
static json_t *read_scalar(struct decoder *decoder, enum aws_kind kind)
{
    struct text text = {0};
    read_text(decoder, &text);
    const char *value = text_or_empty(text.data);
    json_t *scalar = NULL;
    int64_t number;
    char *end;
    if (decoder->is_broken) {
    } else if (kind == AWS_TEXT || kind == AWS_TIMESTAMP) {
        scalar = json_stringn(value, text.length);
    } else if (value[0] == '\0') {
    } else if (kind == AWS_INTEGER && text_parse_int64(value, &number)) {
        scalar = json_integer(number);
    } else if (kind == AWS_BOOLEAN) {
        bool flag = false;
        scalar = text_parse_bool(value, &flag) ? json_boolean(flag) : NULL;
    } else if (kind == AWS_DOUBLE) {
        double real = strtod(value, &end);
        scalar = *end == '\0' && isfinite(real) ? json_real(real) : NULL;
    }
    if (scalar == NULL && value[0] != '\0')
        broken(decoder, "a number, a flag or a text has a wrong form");
    text_free(&text);
    return scalar;
}

// The element's own text, to its end.
static void read_text(struct decoder *decoder, struct text *text)
{
    xmlTextReaderPtr reader = decoder->reader;
    int depth = xmlTextReaderDepth(reader);
    if (xmlTextReaderIsEmptyElement(reader) == 1)
        return;
    while (step(decoder)) {
        int type = xmlTextReaderNodeType(reader);
        if (type == XML_READER_TYPE_END_ELEMENT && xmlTextReaderDepth(reader) == depth)
            return;
        bool is_text = type == XML_READER_TYPE_TEXT || type == XML_READER_TYPE_CDATA ||
                       type == XML_READER_TYPE_SIGNIFICANT_WHITESPACE ||
                       type == XML_READER_TYPE_WHITESPACE;
        const xmlChar *value = is_text ? xmlTextReaderConstValue(reader) : NULL;
        if (value != NULL)
            text_add(text, (const char *)value);
    }
    broken(decoder, "it ends too early");
}

static void skip(struct decoder *decoder)
{
    int depth = xmlTextReaderDepth(decoder->reader);
    if (xmlTextReaderIsEmptyElement(decoder->reader) == 1)
        return;
    while (step(decoder)) {
        if (xmlTextReaderNodeType(decoder->reader) == XML_READER_TYPE_END_ELEMENT &&
            xmlTextReaderDepth(decoder->reader) == depth)
            return;
    }
    broken(decoder, "it ends too early");
}

static bool name_is(const struct aws_field *field, const char *name, bool is_ec2)
{
    const char *own = field->wire != NULL ? field->wire : field->name;
    bool is_lowered = is_ec2 && field->wire == NULL;
    char first = is_lowered ? (char)tolower((unsigned char)own[0]) : own[0];
    return first == name[0] && strcmp(own + 1, name + 1) == 0;
}

static void copy_first(struct decoder *decoder, char *out, size_t size)
{
    struct text text = {0};
    read_text(decoder, &text);
    if (out[0] == '\0') {
        snprintf(out, size, "%s", text_or_empty(text.data));
        text_repair(out);
    }
    text_free(&text);
}

bool aws_xml_decode_error(const char *body, size_t length, struct aws_codec_error *out)
{
    struct decoder decoder = {0};
    if (length > AWS_BODY_BYTES_MAX || (decoder.reader = reader_open(body, length)) == NULL)
        return false;
    while (step(&decoder)) {
        if (xmlTextReaderNodeType(decoder.reader) != XML_READER_TYPE_ELEMENT)
            continue;
        const char *name = local_name(&decoder);
        if (strcmp(name, "Code") == 0)
            copy_first(&decoder, out->code, sizeof out->code);
        else if (strcmp(name, "Message") == 0)
            copy_first(&decoder, out->message, sizeof out->message);
        else if (strcasecmp(name, "RequestID") == 0)
            copy_first(&decoder, out->request_id, sizeof out->request_id);
    }
    xmlFreeTextReader(decoder.reader);
    return !decoder.is_broken && out->code[0] != '\0';
}
