#include "cloud/aws/aws_access.h"

#include <assert.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/random.h"
#include "cloud/aws/client/aws_http_curl.h"
#include "cloud/aws/credentials/aws_region.h"
#include "cloud/aws/credentials/credential_chain.h"

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
    static const struct aws_environment environment = {0};
    assert(access->http == NULL);
    access->http = aws_http_curl_create(loop, getenv("AWS_CA_BUNDLE"), error);
    if (access->http == NULL)
        return false;
    struct search search = {loop, access, error};
    aws_region_find(loop, access->http, &environment, region_found, &search);
    loop_run(loop);
    if (access->region == NULL)
        return false;
    struct credential_chain_options chain = {
        .loop = loop, .http = access->http, .region = access->region, .seed = random_entropy()};
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
                                        .metrics = metrics,
                                        .seed = random_entropy()};
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
    free(access->region);
    *access = (struct aws_access){0};
}
