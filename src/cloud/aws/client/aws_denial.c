#include "cloud/aws/client/aws_denial.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/nanoseconds.h"

#define KNOWN_FOR (10 * MINUTE)

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
