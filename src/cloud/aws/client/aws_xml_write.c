#include "cloud/aws/client/aws_xml_write.h"

#include <assert.h>
#include <ctype.h>
#include <string.h>

#include "cloud/aws/client/aws_query.h"

struct writer {
    struct text out;
    const struct aws_action_info *action;
    bool is_ec2, is_wrong;
    struct error *error;
};

static void write_members(struct writer *writer, const struct aws_shape *shape,
                          const json_t *object);
static void write_field(struct writer *writer, const struct aws_field *field, const json_t *value);
static void write_scalar(struct writer *writer, const struct aws_field *field, const json_t *value);
static void escape(struct text *out, const char *text);

static void wrong(struct writer *writer, const char *name, const char *fault)
{
    writer->is_wrong = true;
    error_set(writer->error, ERROR_INVALID, "%s: member %s of the reply %s",
              writer->action->permission, name, fault);
}

char *aws_xml_encode(const struct aws_action_info *action, const json_t *reply,
                     const char *request_id, struct error *error)
{
    assert(action->reply != NULL);
    const struct aws_service_info *service = aws_service_info(action->service);
    struct writer writer = {
        .action = action, .is_ec2 = service->protocol == AWS_PROTOCOL_EC2, .error = error};
    const char *name = action->name;
    text_add(&writer.out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    if (writer.is_ec2) {
        text_format(&writer.out, "<%sResponse xmlns=\"http://ec2.amazonaws.com/doc/%s/\">", name,
                    service->version);
        text_format(&writer.out, "<requestId>%s</requestId>", request_id);
        write_members(&writer, action->reply, reply);
        if (action->reply->count == 0)
            text_add(&writer.out, "<return>true</return>");
    } else {
        text_format(&writer.out, "<%sResponse xmlns=\"https://%s.amazonaws.com/doc/%s/\">", name,
                    service->endpoint_prefix, service->version);
        if (action->reply->count > 0) {
            text_format(&writer.out, "<%sResult>", name);
            write_members(&writer, action->reply, reply);
            text_format(&writer.out, "</%sResult>", name);
        }
        text_format(&writer.out, "<ResponseMetadata><RequestId>%s</RequestId></ResponseMetadata>",
                    request_id);
    }
    text_format(&writer.out, "</%sResponse>", name);
    if (!writer.is_wrong || error == NULL)
        return text_take(&writer.out);
    text_free(&writer.out);
    return NULL;
}

static void write_members(struct writer *writer, const struct aws_shape *shape,
                          const json_t *object)
{
    size_t known = 0;
    for (uint32_t i = 0; i < shape->count; i++) {
        const json_t *value = json_object_get(object, shape->fields[i].name);
        known += value != NULL;
        if (value != NULL && !json_is_null(value))
            write_field(writer, &shape->fields[i], value);
    }
    if (known == json_object_size(object))
        return;
    const char *key;
    json_t *value;
    json_object_foreach ((json_t *)object, key, value) {
        bool found = false;
        for (uint32_t i = 0; i < shape->count; i++)
            found = found || strcmp(shape->fields[i].name, key) == 0;
        if (!found)
            wrong(writer, key, "is unknown");
    }
}

static void write_tag(struct writer *writer, const struct aws_field *field, const char *before)
{
    const char *name = field->wire != NULL ? field->wire : field->name;
    bool is_lowered = writer->is_ec2 && field->wire == NULL;
    text_add(&writer->out, before);
    text_add_char(&writer->out, is_lowered ? (char)tolower((unsigned char)name[0]) : name[0]);
    text_add(&writer->out, name + 1);
    text_add_char(&writer->out, '>');
}

static void write_field(struct writer *writer, const struct aws_field *field, const json_t *value)
{
    const char *item_name = writer->is_ec2 ? "item" : "member";
    size_t index;
    json_t *item;
    write_tag(writer, field, "<");
    if (field->kind == AWS_STRUCT && json_is_object(value)) {
        write_members(writer, field->shape, value);
    } else if (field->kind == AWS_LIST && json_is_array(value)) {
        json_array_foreach (value, index, item) {
            text_format(&writer->out, "<%s>", item_name);
            if (field->shape == NULL)
                write_scalar(writer, &(struct aws_field){field->name}, item);
            else
                write_members(writer, field->shape, item);
            text_format(&writer->out, "</%s>", item_name);
        }
    } else {
        write_scalar(writer, field, value);
    }
    write_tag(writer, field, "</");
}

static void write_scalar(struct writer *writer, const struct aws_field *field, const json_t *value)
{
    enum aws_kind kind = field->kind;
    if ((kind == AWS_TEXT || kind == AWS_TIMESTAMP) && json_is_string(value))
        escape(&writer->out, json_string_value(value));
    else if ((kind == AWS_INTEGER || kind == AWS_DOUBLE) && json_is_integer(value))
        text_format(&writer->out, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
    else if (kind == AWS_DOUBLE && json_is_real(value))
        aws_query_number(json_real_value(value), &writer->out);
    else if (kind == AWS_BOOLEAN && json_is_boolean(value))
        text_add(&writer->out, json_is_true(value) ? "true" : "false");
    else
        wrong(writer, field->name, "has a wrong type");
}

static void escape(struct text *out, const char *text)
{
    for (; *text != '\0'; text++) {
        unsigned char byte = (unsigned char)*text;
        if (byte == '&')
            text_add(out, "&amp;");
        else if (byte == '<')
            text_add(out, "&lt;");
        else if (byte == '>')
            text_add(out, "&gt;");
        else if (byte == '\r')
            text_add(out, "&#13;");
        else if (byte >= ' ' || byte == '\n' || byte == '\t') // XML has no other control characters
            text_add_char(out, *text);
    }
}

char *aws_xml_encode_error(enum aws_protocol protocol, const char *code, const char *message,
                           const char *request_id)
{
    struct text out = {0};
    bool is_ec2 = protocol == AWS_PROTOCOL_EC2;
    text_add(&out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    text_add(&out, is_ec2 ? "<Response><Errors><Error><Code>"
                          : "<ErrorResponse><Error><Type>Sender</Type><Code>");
    escape(&out, code);
    text_add(&out, "</Code><Message>");
    escape(&out, message);
    text_add(&out,
             is_ec2 ? "</Message></Error></Errors><RequestID>" : "</Message></Error><RequestId>");
    escape(&out, request_id);
    text_add(&out, is_ec2 ? "</RequestID></Response>" : "</RequestId></ErrorResponse>");
    return text_take(&out);
}
