// Credentials that own their texts, and the JSON that sources give them in.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cloud/aws/client/aws_credentials.h"

struct held_credentials { // zeroed: none
    char *access_key_id, *secret_access_key, *session_token;
    int64_t expires;     // instant; INT64_MAX: never
    bool is_of_instance; // of its metadata: used beyond the end while there are no newer ones
};
void held_credentials_set(struct held_credentials *held, const char *access_key_id,
                          const char *secret_access_key, const char *session_token,
                          int64_t expires);                 // copies
void held_credentials_clear(struct held_credentials *held); // wipes
struct aws_credentials held_credentials_view(const struct held_credentials *held);
// The answer of the metadata service, of a container's endpoint, or of a credential_process: an
// object with AccessKeyId, SecretAccessKey, Token or SessionToken, Expiration. Errors begin with
// `place` and never quote the text.
bool held_credentials_parse(const char *json, size_t length, const char *place,
                            struct held_credentials *held, struct error *error) MUST_USE;
