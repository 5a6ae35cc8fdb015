#include "cloud/aws/client/aws_credentials.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

struct fixed_source {
    struct aws_credentials_source base;
    struct aws_credentials credentials;
    char *access_key_id, *secret_access_key, *session_token;
};

static void fixed_get(struct aws_credentials_source *base, aws_credentials_done done,
                      void *context);
static void fixed_cancel(struct aws_credentials_source *base, void *context);
static void fixed_refused(struct aws_credentials_source *base);
static void fixed_destroy(struct aws_credentials_source *base);

static const struct aws_credentials_operations operations = {
    .get = fixed_get, .cancel = fixed_cancel, .refused = fixed_refused, .destroy = fixed_destroy};

struct aws_credentials_source *aws_credentials_fixed(const struct aws_credentials *credentials)
{
    struct fixed_source *source = memory_allocate(sizeof *source);
    source->base.operations = &operations;
    source->access_key_id = memory_copy_string(credentials->access_key_id);
    source->secret_access_key = memory_copy_string(credentials->secret_access_key);
    source->session_token = memory_copy_string(credentials->session_token);
    source->credentials = (struct aws_credentials){source->access_key_id, source->secret_access_key,
                                                   source->session_token, credentials->expires};
    return &source->base;
}

static void fixed_get(struct aws_credentials_source *base, aws_credentials_done done, void *context)
{
    struct fixed_source *source = (struct fixed_source *)base;
    done(context, &(struct aws_credentials_result){.credentials = &source->credentials});
}

static void fixed_cancel(struct aws_credentials_source *base, void *context)
{
    (void)base, (void)context; // every get() is answered at once
}

static void fixed_refused(struct aws_credentials_source *base)
{
    (void)base; // there are no others
}

static void wipe(char *secret)
{
    if (secret != NULL)
        explicit_bzero(secret, strlen(secret));
    free(secret);
}

static void fixed_destroy(struct aws_credentials_source *base)
{
    struct fixed_source *source = (struct fixed_source *)base;
    free(source->access_key_id);
    wipe(source->secret_access_key);
    wipe(source->session_token);
    free(source);
}
