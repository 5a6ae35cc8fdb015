// Replies, requests and errors of AWS's protocols: any text through the table of every action. The
// first byte chooses: the members of a reply, a whole reply, a request, an error.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cloud/aws/client/aws_action_info.h"
#include "cloud/aws/client/aws_codec.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_reply(enum aws_action action, const char *text, size_t length)
{
    char id[AWS_ID_BYTES];
    struct error error = {0};
    json_t *reply = aws_codec_decode_reply(action, text, length, id, &error);
    if (reply == NULL) {
        if (error.kind == ERROR_NONE)
            abort();
        return;
    }
    if (!json_is_object(reply))
        abort();
    char *again = aws_codec_encode_reply(action, reply, "id", NULL);
    json_t *back = aws_codec_decode_reply(action, again, strlen(again), id, &error);
    if (back == NULL)
        abort();
    json_decref(back);
    free(again);
    json_decref(reply);
}

static void read_members(enum aws_action action, const char *text)
{
    const struct aws_action_info *info = aws_action_info(action);
    enum aws_protocol protocol = aws_service_info(info->service)->protocol;
    struct text whole = {0};
    if (protocol == AWS_PROTOCOL_EC2)
        text_format(&whole, "<%sResponse>%s</%sResponse>", info->name, text, info->name);
    else if (protocol == AWS_PROTOCOL_QUERY)
        text_format(&whole, "<%sResponse><%sResult>%s</%sResult></%sResponse>", info->name,
                    info->name, text, info->name, info->name);
    else
        text_format(&whole, "{%s}", text);
    read_reply(action, whole.data, whole.length);
    text_free(&whole);
}

static void read_request(enum aws_action action, const char *text, size_t length)
{
    struct error error = {0};
    struct aws_http_request request = {
        .method = "POST", .url = "https://aws/", .body = text, .body_bytes = length};
    (void)aws_codec_identify(&request);
    const char *path = aws_action_info(action)->path;
    struct text url = {0};
    if (path != NULL) {
        text_format(&url, "https://aws%s%s", path, text);
        request.url = url.data;
    }
    json_t *parameters = aws_codec_decode_request(action, &request, &error);
    if (parameters == NULL && error.kind == ERROR_NONE)
        abort();
    struct aws_wire wire;
    if (parameters != NULL && aws_codec_encode_request(action, parameters, &wire, &error))
        aws_wire_clear(&wire);
    json_decref(parameters);
    text_free(&url);
}

static void read_errors(const char *text, size_t length)
{
    const struct aws_http_header header = {"x-amzn-errortype", text};
    for (enum aws_service service = 0; service < AWS_SERVICE_COUNT; service++) {
        for (uint32_t headers = 0; headers < 2; headers++) {
            struct aws_http_response response = {.status = 400,
                                                 .headers = &header,
                                                 .headers_count = headers,
                                                 .body = text,
                                                 .body_bytes = length};
            struct aws_codec_error error;
            aws_codec_decode_error(service, &response, &error);
            if (strcasestr(error.message, "AWS4-HMAC-SHA256") != NULL ||
                strcasestr(error.message, "x-amz-security-token") != NULL)
                abort();
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    char *text = strndup((const char *)data + 1, size - 1);
    size_t length = strlen(text);
    for (enum aws_action action = 0; action < AWS_ACTION_COUNT && data[0] % 4 < 3; action++) {
        if (data[0] % 4 == 0)
            read_members(action, text);
        else if (data[0] % 4 == 1)
            read_reply(action, text, length);
        else
            read_request(action, text, length);
    }
    if (data[0] % 4 == 3)
        read_errors(text, length);
    free(text);
    return 0;
}
