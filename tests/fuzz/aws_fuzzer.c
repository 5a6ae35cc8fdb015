// Texts that AWS, its metadata services and shared files give: replies of every protocol, errors,
// requests from the wire, credentials, configuration. The first byte chooses.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cloud/aws/client/aws_codec.h"
#include "cloud/aws/credentials/credential_plan.h"
#include "cloud/aws/credentials/held_credentials.h"
#include "cloud/aws/credentials/shared_config.h"

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
    char *again = aws_codec_encode_reply(action, reply, "id", NULL);
    json_t *back = aws_codec_decode_reply(action, again, strlen(again), id, &error);
    json_decref(back);
    free(again);
    json_decref(reply);
}

static void read_request(enum aws_action action, const char *text, size_t length)
{
    struct error error = {0};
    struct aws_http_request request = {
        .method = "POST", .url = "https://aws/", .body = text, .body_bytes = length};
    (void)aws_codec_identify(&request);
    json_t *parameters = aws_codec_decode_request(action, &request, &error);
    struct aws_wire wire;
    if (parameters != NULL && aws_codec_encode_request(action, parameters, &wire, &error))
        aws_wire_clear(&wire);
    json_decref(parameters);
}

static void read_texts(const char *text, size_t length)
{
    struct held_credentials held = {0};
    struct error error = {0};
    if (held_credentials_parse(text, length, "the text", &held, &error) !=
        (held.access_key_id != NULL))
        abort();
    held_credentials_clear(&held);
    struct shared_config *config = shared_config_parse(text, text);
    (void)shared_config_get(config, "default", "region");
    shared_config_destroy(config);
    (void)credential_url_is_allowed(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    size_t length = size - 1;
    char *text = strndup((const char *)data + 1, length);
    length = strlen(text);
    uint8_t choice = data[0];
    struct aws_http_response response = {.status = 400, .body = text, .body_bytes = length};
    struct aws_codec_error error;
    if (choice < AWS_ACTION_COUNT)
        read_reply(choice, text, length);
    else if (choice < 2 * AWS_ACTION_COUNT)
        read_request(choice - AWS_ACTION_COUNT, text, length);
    else if (choice < 2 * AWS_ACTION_COUNT + AWS_SERVICE_COUNT)
        aws_codec_decode_error(choice - 2 * AWS_ACTION_COUNT, &response, &error);
    else
        read_texts(text, length);
    free(text);
    return 0;
}
