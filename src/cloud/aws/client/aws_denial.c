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

// Where the text of a call is kept (aws_denials.h).
static size_t slot_of(const struct aws_call *call)
{
    return call->denied->reply != NULL ? AWS_ACTION_COUNT : (size_t)call->action;
}

static void tell_refused(struct aws_call *call, const struct aws_denied *denied, const char *text)
{
    char *message = message_with(denied->message, text);
    struct aws_result result = {.fault = AWS_FAULT_UNAUTHORIZED,
                                .status = denied->status,
                                .code = denied->code,
                                .message = message,
                                .request_id = denied->request_id};
    error_set(&result.error, ERROR_FORBIDDEN, "%s: %s: %s", call->info->permission, denied->code,
              message);
    denied->end(call, &result);
    free(message);
}

static void tell_answered(struct aws_call *call, const struct aws_denied *denied, const char *text)
{
    json_t *error;
    size_t i;
    json_array_foreach (json_object_get(denied->reply, "Errors"), i, error) {
        const char *encoded = json_string_value(json_object_get(error, "ErrorMessage"));
        char *message = message_with(text_or_empty(encoded), text);
        json_object_set_new(error, "ErrorMessage", json_string(message));
        free(message);
    }
    struct aws_result result = {.status = denied->status,
                                .code = denied->code,
                                .message = denied->message,
                                .request_id = denied->request_id,
                                .reply = denied->reply};
    denied->end(call, &result);
}

static void tell(struct aws_call *call)
{
    const char *text = call->client->denials.texts[slot_of(call)];
    struct aws_denied *denied = call->denied;
    call->denied = NULL;
    if (denied->reply != NULL)
        tell_answered(call, denied, text);
    else
        tell_refused(call, denied, text);
    aws_denied_free(denied);
}

static void decoded(void *context, const struct aws_result *result)
{
    struct aws_call *call = context;
    struct aws_denials *denials = &call->client->denials;
    size_t slot = slot_of(call);
    struct text text = {0};
    aws_denial_read(json_string_value(json_object_get(result->reply, "DecodedMessage")), &text);
    free(denials->texts[slot]);
    denials->texts[slot] = memory_copy_string(text_or_empty(text.data));
    denials->asked[slot] = loop_monotonic_ns(call->client->loop);
    text_free(&text);
    tell(call);
}

static void start_decoding(struct aws_call *call, const char *encoded)
{
    struct aws_client *client = call->client;
    json_t *parameters =
        json_pack("{s:s%}", "EncodedMessage", encoded, strcspn(encoded, " \n\r\t"));
    call->decoding =
        client->start(client, &(struct aws_request){.action = STS_DECODE_AUTHORIZATION_MESSAGE,
                                                    .parameters = parameters,
                                                    .once = true,
                                                    .done = decoded,
                                                    .context = call});
    call->decoding->decodes_for = call;
}

bool aws_denial_explain(struct aws_call *call, const struct aws_result *result, aws_denial_end end)
{
    struct aws_client *client = call->client;
    bool is_refused = result->fault == AWS_FAULT_UNAUTHORIZED;
    if (!client->decodes_denials || call->action == STS_DECODE_AUTHORIZATION_MESSAGE ||
        (!is_refused && call->action != EC2_CREATE_FLEET))
        return false;
    const char *introduction,
        *encoded = aws_denial_encoded(
            is_refused ? result->message : aws_denial_in_fleet(result->reply), &introduction);
    if (encoded == NULL)
        return false;
    call->denied = memory_allocate(sizeof *call->denied);
    *call->denied = (struct aws_denied){.code = memory_copy_string(result->code),
                                        .message = memory_copy_string(result->message),
                                        .request_id = memory_copy_string(result->request_id),
                                        .reply = is_refused ? NULL : json_deep_copy(result->reply),
                                        .status = result->status,
                                        .end = end};
    size_t slot = slot_of(call);
    int64_t known_until = ns_add(client->denials.asked[slot], KNOWN_FOR);
    if (client->denials.texts[slot] != NULL && loop_monotonic_ns(client->loop) < known_until)
        tell(call);
    else
        start_decoding(call, encoded);
    return true;
}
