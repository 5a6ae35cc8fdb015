#include "cloud/aws/credentials/aws_region.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "cloud/aws/credentials/instance_metadata.h"
#include "cloud/aws/credentials/shared_config.h"

#define REGION_PATH "/latest/meta-data/placement/region"

struct aws_region_search {
    struct loop *loop;
    struct aws_http *http;
    struct aws_environment environment;
    aws_region_found found;
    void *context;
    struct timer *timer;
    struct instance_metadata *metadata;
};

static void begin(void *context);
static void region_read(void *context, const char *body, size_t length, const struct error *error);

struct aws_region_search *aws_region_find(struct loop *loop, struct aws_http *http,
                                          const struct aws_environment *environment,
                                          aws_region_found found, void *context)
{
    assert(found != NULL);
    struct aws_region_search *search = memory_allocate(sizeof *search);
    *search = (struct aws_region_search){.loop = loop,
                                         .http = http,
                                         .environment = *environment,
                                         .found = found,
                                         .context = context};
    search->timer = timer_create_on(loop, begin, search);
    timer_start(search->timer, 0);
    return search;
}

static void search_free(struct aws_region_search *search)
{
    instance_metadata_destroy(search->metadata);
    timer_destroy(search->timer);
    free(search);
}

static void finish(struct aws_region_search *search, const char *region, const struct error *error)
{
    char copy[AWS_REGION_BYTES] = "";
    struct error why = {0};
    if (region == NULL)
        why = *error;
    else if (!aws_region_is_valid(region))
        error_set(&why, ERROR_INVALID, "AWS region \"%.64s\" is no name of a region", region);
    else
        snprintf(copy, sizeof copy, "%s", region);
    aws_region_found found = search->found;
    void *context = search->context;
    search_free(search);
    found(context, why.kind == ERROR_NONE ? copy : NULL, &why);
}

static void begin(void *context)
{
    struct aws_region_search *search = context;
    struct error error = {0};
    const char *region = aws_environment_get(&search->environment, "AWS_REGION");
    if (region == NULL)
        region = aws_environment_get(&search->environment, "AWS_DEFAULT_REGION");
    if (region != NULL) {
        finish(search, region, NULL);
        return;
    }
    struct shared_config *files = shared_config_read(&search->environment, &error);
    if (files == NULL) {
        finish(search, NULL, &error);
        return;
    }
    bool chosen;
    const char *profile = shared_config_profile(&search->environment, &chosen);
    region = shared_config_get(files, profile, "region");
    if (region != NULL) {
        finish(search, region, NULL);
    } else {
        search->metadata =
            instance_metadata_create(search->loop, search->http, &search->environment, &error);
        if (search->metadata != NULL)
            instance_metadata_read(search->metadata, REGION_PATH, region_read, search);
        else
            region_read(search, NULL, 0, &error);
    }
    shared_config_destroy(files);
}

static void region_read(void *context, const char *body, size_t length, const struct error *error)
{
    struct aws_region_search *search = context;
    struct error why = {0};
    char region[AWS_REGION_BYTES];
    if (body != NULL && length < sizeof region) {
        snprintf(region, sizeof region, "%.*s", (int)strcspn(body, " \r\n"), body);
        finish(search, region, NULL);
        return;
    }
    error_set(&why, ERROR_INVALID,
              "the AWS region is unknown: neither AWS_REGION nor AWS_DEFAULT_REGION is set, the "
              "profile has none, and %s",
              body != NULL ? "the instance's metadata name none" : error->message);
    finish(search, NULL, &why);
}
