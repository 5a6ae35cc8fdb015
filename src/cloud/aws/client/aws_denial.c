#include "cloud/aws/client/aws_denial.h"

#include <assert.h>
#include <ctype.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/nanoseconds.h"
#include "cloud/aws/client/aws_client_internal.h"

#define INTRODUCTION      "Encoded authorization failure message:"
#define ENCODED_BYTES_MAX 10240 // STS's own limit
#define WORD_MAX          400
#define KNOWN_FOR         (10 * MINUTE)

const char *aws_denial_encoded(const char *message, const char **introduction)
{
    const char *start = strstr(text_or_empty(message), INTRODUCTION);
    if (start == NULL)
        return NULL;
    const char *encoded = start + strlen(INTRODUCTION);
    encoded += strspn(encoded, " ");
    size_t length = strcspn(encoded, " \n\r\t");
    if (length == 0 || length > ENCODED_BYTES_MAX)
        return NULL;
    *introduction = start;
    return encoded;
}

// A member that is one plain word; NULL: it is not.
static const char *word_in(const json_t *object, const char *key)
{
    const char *word = json_string_value(json_object_get(object, key));
    if (text_is_empty(word) || strlen(word) > WORD_MAX)
        return NULL;
    for (const char *at = word; *at != '\0'; at++)
        if (!isgraph((unsigned char)*at))
            return NULL;
    return word;
}

bool aws_denial_read(const char *decoded, struct text *out)
{
    json_t *plain = json_loads(text_or_empty(decoded), JSON_REJECT_DUPLICATES, NULL);
    const json_t *context = json_object_get(plain, "context");
    const char *principal = word_in(json_object_get(context, "principal"), "arn");
    const char *action = word_in(context, "action"), *resource = word_in(context, "resource");
    if (action != NULL) {
        text_format(out, "User: %s is not authorized to perform: %s",
                    principal != NULL ? principal : "(unknown)", action);
        if (resource != NULL)
            text_format(out, " on resource: %s", resource);
        if (json_is_true(json_object_get(plain, "explicitDeny")))
            text_add(out, " with an explicit deny");
        else
            text_format(out, " because no identity-based policy allows the %s action", action);
    }
    json_decref(plain);
    return action != NULL;
}

void aws_denials_free(struct aws_denials *denials)
{
    for (size_t i = 0; i < AWS_ACTION_COUNT; i++)
        free(denials->texts[i]);
}

// --- a refused call ------------------------------------------------------------------------------

struct aws_denied { // its result, until the message is decoded
    char *code, *message, *request_id;
    int status;
    aws_denial_end end;
};

void aws_denied_free(struct aws_denied *denied)
{
    if (denied == NULL)
        return;
    free(denied->code);
    free(denied->message);
    free(denied->request_id);
    free(denied);
}

static char *message_with(const char *message, const char *explanation)
{
    const char *introduction = NULL;
    struct text text = {0};
    if (aws_denial_encoded(message, &introduction) == NULL)
        return memory_copy_string(message);
    text_format(&text, "%.*s", (int)(introduction - message), message);
    if (text_is_empty(explanation))
        text_add(&text, "AWS gives the reason encoded; grant sts:DecodeAuthorizationMessage to "
                        "read it here");
    else
        text_add(&text, explanation);
    return text_take(&text);
}

static void tell(struct aws_call *call)
{
    struct aws_denied *denied = call->denied;
    const char *permission = call->info->permission;
    char *message = message_with(denied->message, call->client->denials.texts[call->action]);
    struct aws_result result = {.fault = AWS_FAULT_UNAUTHORIZED,
                                .status = denied->status,
                                .code = denied->code,
                                .message = message,
                                .request_id = denied->request_id};
    error_set(&result.error, ERROR_FORBIDDEN, "%s: %s: %s", permission, denied->code, message);
    call->denied = NULL;
    denied->end(call, &result);
    aws_denied_free(denied);
    free(message);
}

static void decoded(void *context, const struct aws_result *result)
{
    struct aws_call *call = context;
    struct aws_denials *denials = &call->client->denials;
    struct text text = {0};
    aws_denial_read(json_string_value(json_object_get(result->reply, "DecodedMessage")), &text);
    free(denials->texts[call->action]);
    denials->texts[call->action] = memory_copy_string(text_or_empty(text.data));
    denials->asked[call->action] = loop_monotonic_ns(call->client->loop);
    text_free(&text);
    tell(call);
}

bool aws_denial_explain(struct aws_call *call, const struct aws_result *refused, aws_denial_end end)
{
    struct aws_client *client = call->client;
    const char *introduction, *encoded = aws_denial_encoded(refused->message, &introduction);
    assert(refused->fault == AWS_FAULT_UNAUTHORIZED);
    if (!client->decodes_denials || encoded == NULL ||
        call->action == STS_DECODE_AUTHORIZATION_MESSAGE)
        return false;
    call->denied = memory_allocate(sizeof *call->denied);
    *call->denied = (struct aws_denied){.code = memory_copy_string(refused->code),
                                        .message = memory_copy_string(refused->message),
                                        .request_id = memory_copy_string(refused->request_id),
                                        .status = refused->status,
                                        .end = end};
    int64_t known_until = ns_add(client->denials.asked[call->action], KNOWN_FOR);
    if (client->denials.texts[call->action] != NULL &&
        loop_monotonic_ns(client->loop) < known_until) {
        tell(call);
        return true;
    }
    json_t *parameters =
        json_pack("{s:s%}", "EncodedMessage", encoded, strcspn(encoded, " \n\r\t"));
    call->decoding =
        client->start(client, &(struct aws_request){.action = STS_DECODE_AUTHORIZATION_MESSAGE,
                                                    .parameters = parameters,
                                                    .once = true,
                                                    .done = decoded,
                                                    .context = call});
    call->decoding->decodes_for = call;
    return true;
}
