#include "cloud/aws/client/aws_codec.h"

#include <assert.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/memory.h"
#include "cloud/aws/client/aws_action_info.h"
#include "cloud/aws/client/aws_escape.h"
#include "cloud/aws/client/aws_json.h"
#include "cloud/aws/client/aws_query.h"
#include "cloud/aws/client/aws_xml.h"
#include "cloud/aws/client/aws_xml_write.h"

static bool encode_rest(const struct aws_action_info *action, const json_t *parameters,
                        struct aws_wire *wire, struct error *error);
static void encode_json(const struct aws_action_info *action, const json_t *parameters,
                        struct aws_wire *wire);
static json_t *decode_rest(const struct aws_action_info *action,
                           const struct aws_http_request *request, struct error *error);

static enum aws_protocol protocol_of(enum aws_service service)
{
    return aws_service_info(service)->protocol;
}

static bool protocol_is_form(enum aws_protocol protocol)
{
    return protocol == AWS_PROTOCOL_EC2 || protocol == AWS_PROTOCOL_QUERY;
}

bool aws_codec_encode_request(enum aws_action action, const json_t *parameters,
                              struct aws_wire *wire, struct error *error)
{
    const struct aws_action_info *info = aws_action_info(action);
    const struct aws_service_info *service = aws_service_info(info->service);
    *wire = (struct aws_wire){.method = "POST"};
    bool good =
        parameters == NULL || json_is_object(parameters) ||
        error_set(error, ERROR_INVALID, "%s: the parameters are no object", info->permission);
    if (good && protocol_is_form(service->protocol)) {
        wire->content_type = "application/x-www-form-urlencoded; charset=utf-8";
        wire->path = memory_copy_string("/");
        good = aws_query_encode(info, parameters, &wire->body, error);
    } else if (good && aws_json_check(info, info->request, parameters, error)) {
        if (service->protocol == AWS_PROTOCOL_REST_JSON)
            good = encode_rest(info, parameters, wire, error);
        else
            encode_json(info, parameters, wire);
    } else {
        good = false;
    }
    if (!good)
        aws_wire_clear(wire);
    return good;
}

void aws_wire_clear(struct aws_wire *wire)
{
    free(wire->path);
    text_free(&wire->body);
    *wire = (struct aws_wire){0};
}

static bool encode_rest(const struct aws_action_info *action, const json_t *parameters,
                        struct aws_wire *wire, struct error *error)
{
    const char *value = json_string_value(json_object_get(parameters, action->path_parameter));
    if (text_is_empty(value))
        return error_set(error, ERROR_INVALID, "%s: parameter %s is missing", action->permission,
                         action->path_parameter);
    struct text path = {0};
    text_add(&path, action->path);
    aws_escape(&path, value, false);
    wire->method = "GET";
    wire->path = text_take(&path);
    return true;
}

static void encode_json(const struct aws_action_info *action, const json_t *parameters,
                        struct aws_wire *wire)
{
    const struct aws_service_info *service = aws_service_info(action->service);
    wire->path = memory_copy_string("/");
    wire->content_type = strcmp(service->version, "1.0") == 0 ? "application/x-amz-json-1.0"
                                                              : "application/x-amz-json-1.1";
    snprintf(wire->target, sizeof wire->target, "%s.%s", service->target, action->name);
    json_t *sent = aws_json_without_empty(parameters);
    char *text = json_dumps(sent, JSON_COMPACT);
    text_add(&wire->body, text);
    free(text);
    json_decref(sent);
}

// --- the other end -------------------------------------------------------------------------------
static const char *request_header(const struct aws_http_request *request, const char *name)
{
    for (uint32_t i = 0; i < request->headers_count; i++) {
        if (strcasecmp(request->headers[i].name, name) == 0)
            return request->headers[i].value;
    }
    return NULL;
}

static const char *url_path(const char *url)
{
    const char *host = strstr(url, "://");
    const char *path = host != NULL ? strchr(host + 3, '/') : strchr(url, '/');
    return path != NULL ? path : "/";
}

// A value of a form that needs no escapes; false if absent or longer.
static bool form_value(const struct aws_http_request *request, const char *name, char *out,
                       size_t size)
{
    size_t length = strlen(name);
    for (const char *at = request->body; at != NULL; at = strchr(at, '&')) {
        at += *at == '&';
        if (strncmp(at, name, length) != 0 || at[length] != '=')
            continue;
        size_t value = strcspn(at + length + 1, "&");
        if (value >= size)
            return false;
        memcpy(out, at + length + 1, value);
        out[value] = '\0';
        return true;
    }
    return false;
}

enum aws_action aws_codec_identify(const struct aws_http_request *request)
{
    const char *target = request_header(request, "X-Amz-Target");
    char name[64], version[24];
    bool has_form = target == NULL && form_value(request, "Action", name, sizeof name) &&
                    form_value(request, "Version", version, sizeof version);
    const char *path = url_path(request->url);
    for (enum aws_action action = 0; action < AWS_ACTION_COUNT; action++) {
        const struct aws_action_info *info = aws_action_info(action);
        const struct aws_service_info *service = aws_service_info(info->service);
        if (service->target != NULL && target != NULL) {
            size_t length = strlen(service->target);
            if (strncmp(target, service->target, length) == 0 && target[length] == '.' &&
                strcmp(target + length + 1, info->name) == 0)
                return action;
        } else if (info->path != NULL) {
            if (!has_form && target == NULL && strcmp(request->method, "GET") == 0 &&
                text_starts_with(path, info->path))
                return action;
        } else if (has_form && service->target == NULL && strcmp(name, info->name) == 0 &&
                   strcmp(version, service->version) == 0) {
            return action;
        }
    }
    return AWS_ACTION_COUNT;
}

json_t *aws_codec_decode_request(enum aws_action action, const struct aws_http_request *request,
                                 struct error *error)
{
    const struct aws_action_info *info = aws_action_info(action);
    enum aws_protocol protocol = protocol_of(info->service);
    if (protocol == AWS_PROTOCOL_REST_JSON)
        return decode_rest(info, request, error);
    if (protocol_is_form(protocol)) {
        char *form = memory_allocate(request->body_bytes + 1);
        if (request->body_bytes > 0)
            memcpy(form, request->body, request->body_bytes);
        json_t *parameters = aws_query_decode(info, form, error);
        free(form);
        return parameters;
    }
    json_t *parameters = json_loadb(text_or_empty(request->body), request->body_bytes, 0, NULL);
    if (json_is_object(parameters))
        return parameters;
    json_decref(parameters);
    error_set(error, ERROR_INVALID, "%s: the request is no JSON object", info->permission);
    return NULL;
}

static json_t *decode_rest(const struct aws_action_info *action,
                           const struct aws_http_request *request, struct error *error)
{
    char *value = memory_copy_string(url_path(request->url) + strlen(action->path));
    value[strcspn(value, "?")] = '\0';
    json_t *parameters = NULL;
    if (aws_unescape(value, false))
        parameters = json_pack("{s:s}", action->path_parameter, value);
    if (parameters == NULL)
        error_set(error, ERROR_INVALID, "%s: the path is malformed", action->permission);
    free(value);
    return parameters;
}

// --- replies -------------------------------------------------------------------------------------
json_t *aws_codec_decode_reply(enum aws_action action, const char *body, size_t length,
                               char request_id[AWS_ID_BYTES], struct error *error)
{
    const struct aws_action_info *info = aws_action_info(action);
    request_id[0] = '\0';
    if (protocol_is_form(protocol_of(info->service)))
        return aws_xml_decode(info, body, length, request_id, error);
    return aws_json_decode(info, body, length, error);
}

char *aws_codec_encode_reply(enum aws_action action, const json_t *reply, const char *request_id,
                             struct error *error)
{
    const struct aws_action_info *info = aws_action_info(action);
    if (protocol_is_form(protocol_of(info->service)))
        return aws_xml_encode(info, reply, request_id, error);
    return aws_json_encode(info, reply);
}

static void copy_id(struct aws_codec_error *error, const struct aws_http_response *response)
{
    static const char *const names[] = {"x-amzn-requestid", "x-amz-request-id"};
    for (size_t i = 0; i < ARRAY_LENGTH(names) && error->request_id[0] == '\0'; i++) {
        const char *value = aws_http_header_of(response, names[i]);
        snprintf(error->request_id, sizeof error->request_id, "%s", text_or_empty(value));
    }
    text_repair(error->request_id);
}

// AWS explains a refused signature by the request that it has seen, session token and all.
static void hide_request(char *message)
{
    static const char *const marks[] = {"Canonical String", "AWS4-HMAC-SHA256",
                                        "Authorization=", "Authorization:", "x-amz-security-token"};
    char *end = NULL;
    for (size_t i = 0; i < ARRAY_LENGTH(marks); i++) {
        char *mark = strcasestr(message, marks[i]);
        if (mark != NULL && (end == NULL || mark < end))
            end = mark;
    }
    if (end == NULL)
        return;
    char *line = memchr(message, '\n', (size_t)(end - message));
    *(line != NULL ? line : end) = '\0';
    for (size_t length = strlen(message);
         length > 0 && isspace((unsigned char)message[length - 1]);)
        message[--length] = '\0';
}

void aws_codec_decode_error(enum aws_service service, const struct aws_http_response *response,
                            struct aws_codec_error *error)
{
    *error = (struct aws_codec_error){0};
    if (protocol_is_form(protocol_of(service))) {
        if (!aws_xml_decode_error(text_or_empty(response->body), response->body_bytes, error))
            error->code[0] = error->message[0] = '\0';
    } else {
        aws_json_decode_error(response, error);
    }
    hide_request(error->message);
    copy_id(error, response);
}

char *aws_codec_encode_error(enum aws_service service, const char *code, const char *message,
                             const char *request_id)
{
    enum aws_protocol protocol = protocol_of(service);
    if (protocol_is_form(protocol))
        return aws_xml_encode_error(protocol, code, message, request_id);
    json_t *body = json_pack("{s:s, s:s}", "__type", code, "message", message);
    char *text = json_dumps(body, JSON_COMPACT);
    json_decref(body);
    return text;
}
