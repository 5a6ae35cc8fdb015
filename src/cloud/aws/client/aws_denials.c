#include "cloud/aws/client/aws_denials.h"

#include <ctype.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

#define INTRODUCTION      "Encoded authorization failure message:"
#define ENCODED_BYTES_MAX 10240 // STS's own limit
#define WORD_MAX          400

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

const char *aws_denial_in_fleet(const json_t *reply)
{
    const json_t *error;
    const char *introduction;
    size_t i;
    if (json_array_size(json_object_get(reply, "Instances")) > 0)
        return NULL;
    json_array_foreach (json_object_get(reply, "Errors"), i, error) {
        const char *message = json_string_value(json_object_get(error, "ErrorMessage"));
        if (aws_denial_encoded(message, &introduction) != NULL)
            return message;
    }
    return NULL;
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
    for (size_t i = 0; i < AWS_DENIALS_COUNT; i++)
        free(denials->texts[i]);
}

void aws_denied_free(struct aws_denied *denied)
{
    if (denied == NULL)
        return;
    free(denied->code);
    free(denied->message);
    free(denied->request_id);
    json_decref(denied->reply);
    free(denied);
}
