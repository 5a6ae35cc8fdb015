#include "cloud/aws/credentials/profile_settings.h"

#include <assert.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "cloud/aws/credentials/shared_config.h"

#define ENDPOINT      "AWS_ENDPOINT_URL"
#define SERVICE_BYTES 64

struct profile_settings {
    struct aws_environment environment;
    struct shared_config *files;
    const char *profile; // the environment's
};

static const struct {
    const char *variable, *key;
} keys[] = {
    {ENDPOINT, "endpoint_url"},
    {"AWS_IGNORE_CONFIGURED_ENDPOINT_URLS", "ignore_configured_endpoint_urls"},
    {"AWS_USE_FIPS_ENDPOINT", "use_fips_endpoint"},
    {"AWS_USE_DUALSTACK_ENDPOINT", "use_dualstack_endpoint"},
    {"AWS_CA_BUNDLE", "ca_bundle"},
    {"AWS_MAX_ATTEMPTS", "max_attempts"},
    {"AWS_RETRY_MODE", "retry_mode"},
    {"AWS_EC2_METADATA_SERVICE_ENDPOINT", "ec2_metadata_service_endpoint"},
    {"AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE", "ec2_metadata_service_endpoint_mode"},
};

struct profile_settings *profile_settings_create(const struct aws_environment *environment,
                                                 struct error *error)
{
    bool is_chosen;
    struct shared_config *files = shared_config_read(environment, error);
    if (files == NULL)
        return NULL;
    struct profile_settings *settings = memory_allocate(sizeof *settings);
    settings->environment = *environment;
    settings->files = files;
    settings->profile = shared_config_profile(environment, &is_chosen);
    return settings;
}

void profile_settings_destroy(struct profile_settings *settings)
{
    if (settings == NULL)
        return;
    shared_config_destroy(settings->files);
    free(settings);
}

// The endpoint of one service, "AWS_ENDPOINT_URL_" and `suffix`.
static const char *service_endpoint(const struct profile_settings *settings, const char *suffix)
{
    char service[SERVICE_BYTES];
    if (strlen(suffix) >= sizeof service ||
        aws_environment_get(&settings->environment, ENDPOINT) != NULL)
        return NULL;
    size_t length = 0;
    for (; suffix[length] != '\0'; length++)
        service[length] = (char)tolower((unsigned char)suffix[length]);
    service[length] = '\0';
    return shared_config_service(settings->files, settings->profile, service, "endpoint_url");
}

static const char *setting(void *context, const char *name)
{
    const struct profile_settings *settings = context;
    const char *value = aws_environment_get(&settings->environment, name);
    if (value != NULL)
        return value;
    if (text_starts_with(name, ENDPOINT "_"))
        return service_endpoint(settings, name + strlen(ENDPOINT "_"));
    for (size_t i = 0; i < ARRAY_LENGTH(keys); i++) {
        if (strcmp(name, keys[i].variable) == 0)
            return shared_config_get(settings->files, settings->profile, keys[i].key);
    }
    return NULL;
}

struct aws_environment profile_settings_environment(struct profile_settings *settings)
{
    assert(settings != NULL);
    return (struct aws_environment){.get = setting, .context = settings};
}
