#include "sim/aws/account_wire.h"

#include <assert.h>
#include <ctype.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define DEPTH_MAX  12
#define FIELDS_MAX 20000

static const struct {
    const char *version;
    enum aws_service service;
} query_versions[] = {
    {"2016-11-15", AWS_EC2},
    {"2010-05-08", AWS_IAM},
    {"2011-06-15", AWS_STS},
};
static const struct {
    const char *target;
    enum aws_service service;
    const char *shape_prefix; // of __type
} targets[] = {
    {"AmazonSSM", AWS_SSM, ""},
    {"AmazonSQS", AWS_SQS, "com.amazonaws.sqs#"},
    {"AWSPriceListService", AWS_PRICING, ""},
    {"ServiceQuotasV20190624", AWS_SERVICE_QUOTAS, ""},
};

static bool query_read(struct account_call *call, const char *form, size_t length);
static bool json_target_read(struct account_call *call, const struct aws_http_request *request,
                             const char *target);
static bool rest_read(struct account_call *call, const struct aws_http_request *request);
static char *base64_decode(const char *text, size_t *length);

static const char *header(const struct aws_http_request *request, const char *name)
{
    for (uint32_t i = 0; i < request->headers_count; i++)
        if (strcasecmp(request->headers[i].name, name) == 0)
            return request->headers[i].value;
    return NULL;
}

bool account_wire_read(struct account_call *call, const struct aws_http_request *request)
{
    assert(call->params == NULL);
    call->service = AWS_EC2;
    if (request->body_bytes > ACCOUNT_REQUEST_BYTES_MAX)
        return account_refuse(call, 413, "RequestEntityTooLarge", "the request is too large");
    const char *target = header(request, "X-Amz-Target");
    if (target != NULL)
        return json_target_read(call, request, target);
    const char *type = text_or_empty(header(request, "Content-Type"));
    if (request->body != NULL && text_starts_with(type, "application/x-www-form-urlencoded"))
        return query_read(call, request->body, request->body_bytes);
    const char *question = strchr(request->url, '?');
    if (question != NULL && strstr(question, "Action=") != NULL)
        return query_read(call, question + 1, strlen(question + 1));
    return rest_read(call, request);
}

// --- the query protocol --------------------------------------------------------------------------

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c = (char)tolower((unsigned char)c);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static char *unescape(const char *text, size_t length, bool plus_is_space)
{
    char *out = memory_allocate(length + 1);
    size_t used = 0;
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '%' && length - i > 2 && hex_digit(text[i + 1]) >= 0 &&
            hex_digit(text[i + 2]) >= 0) {
            out[used++] = (char)(hex_digit(text[i + 1]) * 16 + hex_digit(text[i + 2]));
            i += 2;
        } else
            out[used++] = plus_is_space && text[i] == '+' ? ' ' : text[i];
    }
    assert(used <= length);
    return out;
}

static bool nest(json_t *root, char *path, const char *value)
{
    int depth = 0;
    char *rest = NULL;
    json_t *place = root;
    for (char *part = strtok_r(path, ".", &rest); part != NULL; depth++) {
        char *next = strtok_r(NULL, ".", &rest);
        if (depth == DEPTH_MAX || !json_is_object(place))
            return false;
        if (next == NULL)
            return json_object_set_new(place, part, json_string(value)) == 0;
        json_t *inner = json_object_get(place, part);
        if (inner == NULL) {
            inner = json_object();
            if (json_object_set_new(place, part, inner) != 0) // no UTF-8
                return false;
        }
        place = inner;
        part = next;
    }
    return false;
}

static bool is_number(const char *text)
{
    return text[0] != '\0' && strspn(text, "0123456789") == strlen(text) && strlen(text) < 7;
}

static int number_compare(const void *a, const void *b)
{
    long x = strtol(*(char *const *)a, NULL, 10), y = strtol(*(char *const *)b, NULL, 10);
    return x < y ? -1 : x > y;
}

static json_t *listed(json_t *value);

static json_t *numbered_list(json_t *value)
{
    VECTOR(const char *) keys = {0};
    const char *key;
    json_t *member, *list = json_array();
    json_object_foreach (value, key, member)
        vector_push(&keys, key);
    qsort(keys.items, keys.count, sizeof *keys.items, number_compare);
    for (uint32_t i = 0; i < keys.count; i++)
        json_array_append_new(list, listed(json_object_get(value, keys.items[i])));
    vector_free(&keys);
    return list;
}

// A copy in which numbered members are lists; "member", IAM's step before the numbers, goes.
static json_t *listed(json_t *value)
{
    if (!json_is_object(value))
        return json_incref(value);
    bool numbers = json_object_size(value) > 0;
    const char *key;
    json_t *member;
    json_object_foreach (value, key, member)
        numbers = numbers && is_number(key);
    if (numbers)
        return numbered_list(value);
    json_t *inner = json_object_get(value, "member");
    if (json_object_size(value) == 1 && json_is_object(inner))
        return listed(inner);
    json_t *copy = json_object();
    json_object_foreach (value, key, member)
        json_object_set_new(copy, key, listed(member));
    return copy;
}

static void user_data_decode(json_t *value)
{
    const char *text = json_string_value(json_object_get(value, "UserData"));
    size_t length = 0;
    CLEANUP_FREE char *decoded = text != NULL ? base64_decode(text, &length) : NULL;
    json_t *plain = decoded != NULL ? json_stringn(decoded, length) : NULL;
    if (plain != NULL)
        json_object_set_new(value, "UserData", plain);
}

static bool fields_read(json_t *flat, const char *form, size_t length)
{
    uint32_t fields = 0;
    for (const char *at = form, *end = form + length; at < end;) {
        const char *stop = memchr(at, '&', (size_t)(end - at));
        stop = stop != NULL ? stop : end;
        const char *equals = memchr(at, '=', (size_t)(stop - at));
        const char *name_end = equals != NULL ? equals : stop;
        CLEANUP_FREE char *name = unescape(at, (size_t)(name_end - at), true);
        CLEANUP_FREE char *value = equals != NULL
                                       ? unescape(equals + 1, (size_t)(stop - equals - 1), true)
                                       : memory_copy_string("");
        if (stop > at && (++fields > FIELDS_MAX || !nest(flat, name, value)))
            return false;
        at = stop + 1;
    }
    return true;
}

static bool query_read(struct account_call *call, const char *form, size_t length)
{
    json_t *flat = json_object();
    bool good = fields_read(flat, form, length);
    json_t *params = listed(flat);
    json_decref(flat);
    if (!json_is_object(params)) {
        json_decref(params);
        params = json_object();
        good = false;
    }
    call->params = params;
    const char *action = json_string_value(json_object_get(params, "Action"));
    const char *version = json_text(params, "Version");
    bool known = false;
    for (size_t i = 0; i < ARRAY_LENGTH(query_versions); i++)
        if (strcmp(query_versions[i].version, version) == 0) {
            call->service = query_versions[i].service;
            known = true;
        }
    if (!good || action == NULL || !known)
        return account_refuse(call, 400, "MalformedQueryString", "the query cannot be read");
    snprintf(call->action, sizeof call->action, "%s", action);
    json_object_del(params, "Action");
    json_object_del(params, "Version");
    user_data_decode(params);
    user_data_decode(json_object_get(params, "LaunchTemplateData"));
    call->dry_run = call->service == AWS_EC2 && strcmp(json_text(params, "DryRun"), "true") == 0;
    return true;
}

// --- JSON ----------------------------------------------------------------------------------------

static bool body_read(struct account_call *call, const struct aws_http_request *request)
{
    call->params = request->body != NULL && request->body_bytes > 0
                       ? json_loadb(request->body, request->body_bytes, 0, NULL)
                       : json_object();
    if (json_is_object(call->params))
        return true;
    json_decref(call->params);
    call->params = json_object();
    return account_refuse(call, 400, "SerializationException", "the body is no JSON object");
}

static bool json_target_read(struct account_call *call, const struct aws_http_request *request,
                             const char *target)
{
    const char *dot = strrchr(target, '.');
    bool known = false;
    for (size_t i = 0; dot != NULL && i < ARRAY_LENGTH(targets); i++)
        if (strlen(targets[i].target) == (size_t)(dot - target) &&
            strncmp(targets[i].target, target, (size_t)(dot - target)) == 0) {
            call->service = targets[i].service;
            known = true;
        }
    if (!known) {
        call->service = AWS_SSM;
        return account_refuse(call, 400, "UnknownOperationException", "no such target");
    }
    snprintf(call->action, sizeof call->action, "%s", dot + 1);
    return body_read(call, request);
}

static bool rest_read(struct account_call *call, const struct aws_http_request *request)
{
    static const struct {
        const char *prefix, *parameter, *action;
        enum aws_service service;
    } paths[] = {
        {"/clusters/", "name", "DescribeCluster", AWS_EKS},
        {"/managedresources/", "resourceIdentifier", "GetManagedResource", AWS_ARC_ZONAL_SHIFT},
    };
    const char *host = strstr(request->url, "://");
    const char *path = host != NULL ? strchr(host + 3, '/') : NULL;
    for (size_t i = 0; path != NULL && i < ARRAY_LENGTH(paths); i++) {
        if (!text_starts_with(path, paths[i].prefix) || strcmp(request->method, "GET") != 0)
            continue;
        const char *last = path + strlen(paths[i].prefix);
        CLEANUP_FREE char *value = unescape(last, strcspn(last, "?"), false);
        call->service = paths[i].service;
        snprintf(call->action, sizeof call->action, "%s", paths[i].action);
        call->params = json_object();
        json_object_set_new(call->params, paths[i].parameter, json_string(value));
        return true;
    }
    call->service = AWS_EKS;
    return account_refuse(call, 404, "UnknownOperationException", "no such path");
}

// --- replies -------------------------------------------------------------------------------------

static void xml_text_add(struct text *out, const char *text)
{
    for (; *text != '\0'; text++)
        switch (*text) {
        case '&':
            text_add(out, "&amp;");
            break;
        case '<':
            text_add(out, "&lt;");
            break;
        case '>':
            text_add(out, "&gt;");
            break;
        case '\r':
            text_add(out, "&#13;");
            break;
        default:
            text_add_char(out, *text);
        }
}

static void xml_value_add(struct text *out, const json_t *value, const char *item_name)
{
    size_t i;
    json_t *item;
    if (json_is_string(value))
        xml_text_add(out, json_string_value(value));
    else if (json_is_integer(value))
        text_format(out, "%lld", (long long)json_integer_value(value));
    else if (json_is_real(value))
        text_format(out, "%.10g", json_real_value(value));
    else if (json_is_boolean(value))
        text_add(out, json_is_true(value) ? "true" : "false");
    else if (json_is_object(value))
        account_xml_add(out, value, item_name);
    json_array_foreach (value, i, item) {
        text_format(out, "<%s>", item_name);
        xml_value_add(out, item, item_name);
        text_format(out, "</%s>", item_name);
    }
}

void account_xml_add(struct text *out, const json_t *value, const char *item_name)
{
    const char *key;
    json_t *member;
    json_object_foreach ((json_t *)value, key, member) {
        text_format(out, "<%s>", key);
        xml_value_add(out, member, item_name);
        text_format(out, "</%s>", key);
    }
}

static void ec2_write(const struct account_call *call, const char *request_id, struct text *out)
{
    text_add(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    if (call->code != NULL) {
        text_format(out, "<Response><Errors><Error><Code>%s</Code><Message>", call->code);
        xml_text_add(out, call->message);
        text_format(out, "</Message></Error></Errors><RequestID>%s</RequestID></Response>",
                    request_id);
        return;
    }
    text_format(out, "<%sResponse xmlns=\"http://ec2.amazonaws.com/doc/2016-11-15/\">",
                call->action);
    text_format(out, "<requestId>%s</requestId>", request_id);
    if (call->raw.length > 0)
        text_add(out, call->raw.data);
    account_xml_add(out, call->reply, "item");
    text_format(out, "</%sResponse>", call->action);
}

static void query_write(const struct account_call *call, const char *request_id, struct text *out)
{
    const char *space = call->service == AWS_IAM ? "https://iam.amazonaws.com/doc/2010-05-08/"
                                                 : "https://sts.amazonaws.com/doc/2011-06-15/";
    if (call->code != NULL) {
        text_format(out, "<ErrorResponse xmlns=\"%s\"><Error><Type>%s</Type><Code>%s</Code>", space,
                    call->status < 500 ? "Sender" : "Receiver", call->code);
        text_add(out, "<Message>");
        xml_text_add(out, call->message);
        text_format(out, "</Message></Error><RequestId>%s</RequestId></ErrorResponse>", request_id);
        return;
    }
    text_format(out, "<%sResponse xmlns=\"%s\">", call->action, space);
    if (call->reply != NULL) {
        text_format(out, "<%sResult>", call->action);
        account_xml_add(out, call->reply, "member");
        text_format(out, "</%sResult>", call->action);
    }
    text_format(out, "<ResponseMetadata><RequestId>%s</RequestId></ResponseMetadata></%sResponse>",
                request_id, call->action);
}

static void json_write(const struct account_call *call, struct account_body *body)
{
    bool rest = call->service == AWS_EKS || call->service == AWS_ARC_ZONAL_SHIFT;
    const char *prefix = "", *short_code = call->code;
    for (size_t i = 0; i < ARRAY_LENGTH(targets); i++)
        if (targets[i].service == call->service)
            prefix = targets[i].shape_prefix;
    json_t *value = call->code == NULL ? json_incref(call->reply) : json_object();
    if (call->code != NULL) {
        if (!rest)
            json_object_set_new(value, "__type", json_sprintf("%s%s", prefix, call->code));
        json_object_set_new(value, "message", json_string(call->message));
    }
    if (call->code != NULL && rest)
        snprintf(body->error_type, sizeof body->error_type, "%s", call->code);
    if (call->code != NULL && call->service == AWS_SQS) {
        if (strcmp(call->code, "QueueDoesNotExist") == 0)
            short_code = "AWS.SimpleQueueService.NonExistentQueue";
        snprintf(body->query_error, sizeof body->query_error, "%s;%s", short_code,
                 call->status < 500 ? "Sender" : "Receiver");
    }
    char *text = value != NULL ? json_dumps(value, JSON_COMPACT) : NULL;
    text_add(&body->text, text != NULL ? text : "");
    free(text);
    json_decref(value);
}

void account_wire_write(const struct account_call *call, const char *request_id,
                        struct account_body *body)
{
    assert((call->code == NULL) == (call->message == NULL));
    switch (call->service) {
    case AWS_EC2:
        body->content_type = "text/xml;charset=UTF-8";
        ec2_write(call, request_id, &body->text);
        break;
    case AWS_IAM:
    case AWS_STS:
        body->content_type = "text/xml";
        query_write(call, request_id, &body->text);
        break;
    case AWS_SQS:
        body->content_type = "application/x-amz-json-1.0";
        json_write(call, body);
        break;
    case AWS_EKS:
    case AWS_ARC_ZONAL_SHIFT:
        body->content_type = "application/json";
        json_write(call, body);
        break;
    case AWS_SSM:
    case AWS_PRICING:
    case AWS_SERVICE_QUOTAS:
    case AWS_SERVICE_COUNT:
        body->content_type = "application/x-amz-json-1.1";
        json_write(call, body);
        break;
    }
}

// --- base64 --------------------------------------------------------------------------------------

// NULL: not base64; NUL-terminated.
static char *base64_decode(const char *text, size_t *length)
{
    size_t size = strlen(text);
    if (size % 4 != 0 || size > ACCOUNT_REQUEST_BYTES_MAX)
        return NULL;
    unsigned char *out = memory_allocate(size / 4 * 3 + 1);
    int used = size > 0 ? EVP_DecodeBlock(out, (const unsigned char *)text, (int)size) : 0;
    if (used < 0) {
        free(out);
        return NULL;
    }
    for (size_t i = size; i > 0 && text[i - 1] == '=' && used > 0; i--)
        used--;
    *length = (size_t)used;
    out[used] = '\0';
    return (char *)out;
}

char *account_base64_encode(const void *data, size_t length)
{
    assert(length <= (size_t)1 << 24);
    char *out = memory_allocate((length + 2) / 3 * 4 + 1);
    EVP_EncodeBlock((unsigned char *)out, data, (int)length);
    return out;
}
