#include "cloud/aws/aws_access.h"

#include <assert.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/random.h"
#include "cloud/aws/client/aws_http_curl.h"
#include "cloud/aws/credentials/aws_region.h"
#include "cloud/aws/credentials/credential_chain.h"
#include "cloud/aws/credentials/profile_settings.h"

struct search {
    struct loop *loop;
    struct aws_access *access;
    struct error *error;
};

static void region_found(void *context, const char *region, const struct error *error)
{
    struct search *search = context;
    if (region != NULL)
        search->access->region = memory_copy_string(region);
    else
        *search->error = *error;
    loop_stop(search->loop);
}

bool aws_access_find(struct aws_access *access, struct loop *loop, struct error *error)
{
    static const struct aws_environment variables = {0};
    assert(access->http == NULL);
    access->settings = profile_settings_create(&variables, error);
    if (access->settings == NULL)
        return false;
    access->environment = profile_settings_environment(access->settings);
    access->http = aws_http_curl_create(
        loop, aws_environment_get(&access->environment, "AWS_CA_BUNDLE"), error);
    if (access->http == NULL)
        return false;
    struct search search = {loop, access, error};
    aws_region_find(loop, access->http, &access->environment, region_found, &search);
    loop_run(loop);
    if (access->region == NULL)
        return false;
    struct credential_chain_options chain = {.loop = loop,
                                             .http = access->http,
                                             .region = access->region,
                                             .environment = access->environment.get,
                                             .environment_context = access->environment.context,
                                             .seed = random_entropy()};
    access->credentials = credential_chain_create(&chain);
    return true;
}

bool aws_access_open(struct aws_access *access, struct loop *loop, struct metrics *metrics,
                     struct error *error)
{
    if (!aws_access_find(access, loop, error))
        return false;
    struct aws_client_options client = {.loop = loop,
                                        .http = access->http,
                                        .credentials = access->credentials,
                                        .region = access->region,
                                        .environment = access->environment.get,
                                        .environment_context = access->environment.context,
                                        .metrics = metrics,
                                        .seed = random_entropy(),
                                        .decodes_denials = true};
    access->client = aws_client_create(&client, error);
    return access->client != NULL;
}

void aws_access_close(struct aws_access *access)
{
    aws_client_destroy(access->client);
    if (access->credentials != NULL)
        access->credentials->operations->destroy(access->credentials);
    if (access->http != NULL)
        access->http->operations->destroy(access->http);
    profile_settings_destroy(access->settings);
    free(access->region);
    *access = (struct aws_access){0};
}
