#include "cloud/aws/credentials/held_credentials.h"

#include <assert.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/duration.h"
#include "base/memory.h"
#include "base/text.h"

static void wipe(char **text)
{
    if (*text != NULL)
        explicit_bzero(*text, strlen(*text));
    free(*text);
    *text = NULL;
}

void held_credentials_set(struct held_credentials *held, const char *access_key_id,
                          const char *secret_access_key, const char *session_token, int64_t expires)
{
    struct held_credentials fresh = {
        memory_copy_string(access_key_id), memory_copy_string(secret_access_key),
        text_is_empty(session_token) ? NULL : memory_copy_string(session_token), expires, false};
    held_credentials_clear(held);
    *held = fresh;
}

void held_credentials_clear(struct held_credentials *held)
{
    wipe(&held->access_key_id);
    wipe(&held->secret_access_key);
    wipe(&held->session_token);
    held->expires = 0;
    held->is_of_instance = false;
}

struct aws_credentials held_credentials_view(const struct held_credentials *held)
{
    assert(held->access_key_id != NULL);
    return (struct aws_credentials){held->access_key_id, held->secret_access_key,
                                    held->session_token, held->expires};
}

static bool is_printable(const char *text) // they go into headers
{
    for (; text != NULL && *text != '\0'; text++) {
        if ((unsigned char)*text <= ' ' || (unsigned char)*text >= 127)
            return false;
    }
    return true;
}

static const char *member(const json_t *object, const char *name)
{
    const char *text = json_string_value(json_object_get(object, name));
    return text_is_empty(text) ? NULL : text;
}

static bool take(const json_t *object, const char *place, struct held_credentials *held,
                 struct error *error)
{
    const char *code = member(object, "Code"), *when = member(object, "Expiration");
    const char *key = member(object, "AccessKeyId"), *secret = member(object, "SecretAccessKey");
    const char *token = member(object, "Token");
    int64_t expires = INT64_MAX;
    struct error why = {0};
    if (token == NULL)
        token = member(object, "SessionToken");
    if (code != NULL && strcmp(code, "Success") != 0)
        return error_set(error, ERROR_UNAUTHORIZED, "%s: %.100s", place, code);
    if (key == NULL || secret == NULL)
        return error_set(error, ERROR_UNAUTHORIZED,
                         "%s: the answer has no AccessKeyId or no SecretAccessKey", place);
    if (!is_printable(key) || !is_printable(secret) || !is_printable(token) || strlen(key) > 128)
        return error_set(error, ERROR_UNAUTHORIZED, "%s: the answer holds no valid keys", place);
    if (when != NULL && !instant_parse(when, &expires, &why))
        return error_set(error, ERROR_UNAUTHORIZED, "%s: Expiration is no time", place);
    held_credentials_set(held, key, secret, token, expires);
    return true;
}

bool held_credentials_parse(const char *json, size_t length, const char *place,
                            struct held_credentials *held, struct error *error)
{
    json_t *object = length > 0 ? json_loadb(json, length, 0, NULL) : NULL;
    bool good = json_is_object(object) ? take(object, place, held, error)
                                       : error_set(error, ERROR_UNAUTHORIZED,
                                                   "%s: the answer is no JSON object", place);
    json_decref(object);
    return good;
}
