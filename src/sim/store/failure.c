#include "sim/store/failure.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"

PRINTF_LIKE(4, 0)
static void failure_fill(struct failure *failure, int code, const char *reason, const char *format,
                         va_list arguments)
{
    if (failure == NULL)
        return;
    char text[sizeof failure->message];
    vsnprintf(text, sizeof text, format, arguments);
    failure_clear(failure);
    failure->code = code;
    failure->reason = reason;
    memcpy(failure->message, text, sizeof text);
}

bool failure_set(struct failure *failure, int code, const char *reason, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    failure_fill(failure, code, reason, format, arguments);
    va_end(arguments);
    return false;
}

bool failure_bad_request(struct failure *failure, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    failure_fill(failure, 400, "BadRequest", format, arguments);
    va_end(arguments);
    return false;
}

void failure_clear(struct failure *failure)
{
    json_decref(failure->details);
    memset(failure, 0, sizeof *failure);
}

// "deployments.apps", a resource's name in messages.
static void qualified_resource(const struct store_resource *resource, char *out, size_t size)
{
    bool core = resource->group[0] == '\0';
    snprintf(out, size, "%s%s%s", resource->plural, core ? "" : ".", resource->group);
}

static void failure_details(struct failure *failure, const struct store_resource *resource,
                            const char *name)
{
    if (failure == NULL)
        return;
    failure->details = json_object();
    if (name != NULL && name[0] != '\0')
        json_object_set_new(failure->details, "name", json_string(name));
    if (resource->group[0] != '\0')
        json_object_set_new(failure->details, "group", json_string(resource->group));
    json_object_set_new(failure->details, "kind", json_string(resource->plural));
}

bool failure_not_found(struct failure *failure, const struct store_resource *resource,
                       const char *name)
{
    char qualified[300];
    qualified_resource(resource, qualified, sizeof qualified);
    failure_set(failure, 404, "NotFound", "%s \"%s\" not found", qualified, name);
    failure_details(failure, resource, name);
    return false;
}

bool failure_already_exists(struct failure *failure, const struct store_resource *resource,
                            const char *name)
{
    char qualified[300];
    qualified_resource(resource, qualified, sizeof qualified);
    failure_set(failure, 409, "AlreadyExists", "%s \"%s\" already exists", qualified, name);
    failure_details(failure, resource, name);
    return false;
}

bool failure_conflict(struct failure *failure, const struct store_resource *resource,
                      const char *name, const char *format, ...)
{
    char qualified[300], why[1000];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(why, sizeof why, format, arguments);
    va_end(arguments);
    qualified_resource(resource, qualified, sizeof qualified);
    failure_set(failure, 409, "Conflict", "Operation cannot be fulfilled on %s \"%s\": %s",
                qualified, name, why);
    failure_details(failure, resource, name);
    return false;
}

bool failure_forbidden(struct failure *failure, const struct store_resource *resource,
                       const char *name, const char *format, ...)
{
    char qualified[300], why[1000];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(why, sizeof why, format, arguments);
    va_end(arguments);
    qualified_resource(resource, qualified, sizeof qualified);
    failure_set(failure, 403, "Forbidden", "%s \"%s\" is forbidden: %s", qualified, name, why);
    failure_details(failure, resource, name);
    return false;
}

static const struct {
    const char *reason, *text;
} problems[] = {
    [FIELD_PROBLEM_REQUIRED] = {"FieldValueRequired", "Required value"},
    [FIELD_PROBLEM_INVALID] = {"FieldValueInvalid", "Invalid value"},
    [FIELD_PROBLEM_DUPLICATE] = {"FieldValueDuplicate", "Duplicate value"},
    [FIELD_PROBLEM_FORBIDDEN] = {"FieldValueForbidden", "Forbidden"},
    [FIELD_PROBLEM_NOT_SUPPORTED] = {"FieldValueNotSupported", "Unsupported value"},
};

void field_errors_add(struct field_errors *errors, enum field_problem problem, const char *field,
                      const char *value, const char *format, ...)
{
    char detail[1000];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(detail, sizeof detail, format, arguments);
    va_end(arguments);
    struct text message = {0};
    text_add(&message, problems[problem].text);
    if (value != NULL)
        text_format(&message, ": %s", value);
    if (detail[0] != '\0')
        text_format(&message, ": %s", detail);
    field_errors_add_ready(errors, problems[problem].reason, field, message.data);
    text_free(&message);
}

void field_errors_add_string(struct field_errors *errors, enum field_problem problem,
                             const char *field, const char *value, const char *detail)
{
    struct text quoted = {0};
    text_format(&quoted, "\"%s\"", value);
    field_errors_add(errors, problem, field, quoted.data, "%s", detail);
    text_free(&quoted);
}

void field_errors_add_ready(struct field_errors *errors, const char *reason, const char *field,
                            const char *message)
{
    if (errors->causes == NULL)
        errors->causes = json_array();
    json_array_append_new(errors->causes, json_pack("{s:s, s:s, s:s}", "reason", reason, "message",
                                                    message, "field", field));
}

// One problem stands alone; several are in brackets, separated by commas.
static void describe_causes(const json_t *causes, struct text *text)
{
    size_t count = json_array_size(causes);
    if (count > 1)
        text_add_char(text, '[');
    for (size_t i = 0; i < count; i++) {
        const json_t *cause = json_array_get(causes, i);
        const char *field = json_string_value(json_object_get(cause, "field"));
        const char *message = json_string_value(json_object_get(cause, "message"));
        text_format(text, "%s%s%s%s", i > 0 ? ", " : "", field, field[0] != '\0' ? ": " : "",
                    message);
    }
    if (count > 1)
        text_add_char(text, ']');
}

bool field_errors_finish(struct field_errors *errors, const struct store_resource *resource,
                         const char *name, struct failure *failure)
{
    if (errors->causes == NULL)
        return true;
    struct text text = {0};
    describe_causes(errors->causes, &text);
    bool core = resource->group[0] == '\0';
    failure_set(failure, 422, "Invalid", "%s%s%s \"%s\" is invalid: %s", resource->kind,
                core ? "" : ".", resource->group, name, text.data);
    text_free(&text);
    if (failure != NULL) {
        failure_details(failure, resource, name);
        json_object_set_new(failure->details, "kind", json_string(resource->kind));
        json_object_set(failure->details, "causes", errors->causes);
    }
    json_decref(errors->causes);
    errors->causes = NULL;
    return false;
}

json_t *failure_status(const struct failure *failure)
{
    json_t *status = json_pack("{s:s, s:s, s:{}, s:s}", "kind", "Status", "apiVersion", "v1",
                               "metadata", "status", "Failure");
    // A message truncated inside a character is no valid JSON string.
    json_t *message = json_string(failure->message);
    json_object_set_new(status, "message",
                        message != NULL ? message : json_string(failure->reason));
    if (failure->reason[0] != '\0')
        json_object_set_new(status, "reason", json_string(failure->reason));
    if (failure->details != NULL)
        json_object_set(status, "details", failure->details);
    json_object_set_new(status, "code", json_integer(failure->code));
    return status;
}

json_t *status_success(void)
{
    return json_pack("{s:s, s:s, s:{}, s:s}", "kind", "Status", "apiVersion", "v1", "metadata",
                     "status", "Success");
}

static enum error_kind error_kind_of(int code, const char *reason)
{
    switch (code) {
    case 400:
    case 405:
    case 406:
    case 415:
    case 422:
        return ERROR_INVALID;
    case 401:
        return ERROR_UNAUTHORIZED;
    case 403:
        return ERROR_FORBIDDEN;
    case 404:
        return ERROR_NOT_FOUND;
    case 409:
        return reason != NULL && strcmp(reason, "AlreadyExists") == 0 ? ERROR_ALREADY_EXISTS
                                                                      : ERROR_CONFLICT;
    case 410:
        return ERROR_GONE;
    case 429:
        return ERROR_TOO_MANY_REQUESTS;
    case 504:
        return ERROR_TIMEOUT;
    default:
        return code >= 500 ? ERROR_UNAVAILABLE : ERROR_INTERNAL;
    }
}

bool failure_to_error(const struct failure *failure, struct error *error)
{
    return error_set(error, error_kind_of(failure->code, failure->reason), "%s", failure->message);
}
