#include "kube/transport/status.h"

#include <assert.h>
#include <string.h>

#include "base/nanoseconds.h"
#include "base/text.h"

static enum error_kind kind_of_reason(const char *reason);
static enum error_kind kind_of_code(int code);
static const char *name_of_code(int code);

static bool status_is_failure(const json_t *body)
{
    return text_equal(json_string_value(json_object_get(body, "kind")), "Status") &&
           !text_equal(json_string_value(json_object_get(body, "status")), "Success");
}

bool status_to_error(int http_status, const json_t *body, const char *what, struct error *error)
{
    assert(what != NULL);
    const char *reason = NULL, *message = NULL;
    int code = http_status;
    if (status_is_failure(body)) {
        reason = json_string_value(json_object_get(body, "reason"));
        message = json_string_value(json_object_get(body, "message"));
        if (code == 0)
            code = (int)json_integer_value(json_object_get(body, "code"));
    }
    enum error_kind kind = reason != NULL ? kind_of_reason(reason) : ERROR_NONE;
    if (kind == ERROR_NONE)
        kind = kind_of_code(code);
    assert(kind != ERROR_NONE);
    if (message != NULL && message[0] != '\0')
        return error_set(error, kind, "%s", message);
    const char *name = reason != NULL && reason[0] != '\0' ? reason : name_of_code(code);
    return error_set(error, kind, "%s answered %d%s%s", what, code, name[0] != '\0' ? " " : "",
                     name);
}

int64_t status_retry_after_ns(const json_t *body)
{
    json_int_t seconds =
        json_integer_value(json_object_get(json_object_get(body, "details"), "retryAfterSeconds"));
    return seconds <= 0 ? 0 : ns_multiply(seconds > 3600 ? 3600 : seconds, SECOND);
}

// Reasons more specific than their code. InternalError, ServiceUnavailable and ServerTimeout follow
// the code.
static enum error_kind kind_of_reason(const char *reason)
{
    static const struct {
        const char *reason;
        enum error_kind kind;
    } table[] = {
        {"NotFound", ERROR_NOT_FOUND},  {"AlreadyExists", ERROR_ALREADY_EXISTS},
        {"Conflict", ERROR_CONFLICT},   {"Gone", ERROR_GONE},
        {"Expired", ERROR_GONE},        {"Unauthorized", ERROR_UNAUTHORIZED},
        {"Forbidden", ERROR_FORBIDDEN}, {"Invalid", ERROR_INVALID},
        {"BadRequest", ERROR_INVALID},  {"TooManyRequests", ERROR_TOO_MANY_REQUESTS},
        {"Timeout", ERROR_TIMEOUT},
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        if (strcmp(table[i].reason, reason) == 0)
            return table[i].kind;
    return ERROR_NONE;
}

static enum error_kind kind_of_code(int code)
{
    switch (code) {
    case 401:
        return ERROR_UNAUTHORIZED;
    case 403:
        return ERROR_FORBIDDEN;
    case 404:
        return ERROR_NOT_FOUND;
    case 408:
    case 504:
        return ERROR_TIMEOUT;
    case 409:
        return ERROR_CONFLICT;
    case 410:
        return ERROR_GONE;
    case 429:
        return ERROR_TOO_MANY_REQUESTS;
    default:
        if (code >= 500)
            return ERROR_UNAVAILABLE;
        return code >= 400 ? ERROR_INVALID : ERROR_INTERNAL;
    }
}

static const char *name_of_code(int code)
{
    static const struct {
        int code;
        const char *name;
    } table[] = {
        {301, "Moved Permanently"},
        {302, "Found"},
        {307, "Temporary Redirect"},
        {400, "Bad Request"},
        {401, "Unauthorized"},
        {403, "Forbidden"},
        {404, "Not Found"},
        {405, "Method Not Allowed"},
        {408, "Request Timeout"},
        {409, "Conflict"},
        {410, "Gone"},
        {415, "Unsupported Media Type"},
        {422, "Unprocessable Entity"},
        {429, "Too Many Requests"},
        {500, "Internal Server Error"},
        {502, "Bad Gateway"},
        {503, "Service Unavailable"},
        {504, "Gateway Timeout"},
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        if (table[i].code == code)
            return table[i].name;
    return "";
}
