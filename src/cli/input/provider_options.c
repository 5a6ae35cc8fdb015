#include "cli/input/provider_options.h"

#include <stdlib.h>

#include "base/text.h"
#include "cli/input/options.h"
#include "cloud/providers.h"

bool provider_is_offered(const struct command *command, const char *name, int *status)
{
    const char *offered[PROVIDERS_MAX + 1];
    providers_offered(offered);
    return name == NULL || option_is_one_of(command, "--provider", name, offered, status);
}

const struct cloud_provider *provider_to_run(const struct command *command, const char *name,
                                             int *status)
{
    const struct cloud_provider *provider = provider_find(name);
    if (provider != NULL && provider->create != NULL)
        return provider;
    struct text text = {0};
    const char *running[PROVIDERS_MAX + 1];
    providers_running(running);
    for (const char **item = running; *item != NULL; item++)
        text_join(&text, " or ", *item);
    *status = command_usage_error(command, "--provider %s: only %s runs against a cluster", name,
                                  text.data);
    text_free(&text);
    return NULL;
}

char *providers_offered_help(void)
{
    struct text text = {0};
    const char *offered[PROVIDERS_MAX + 1];
    providers_offered(offered);
    text_add(&text, "Providers:\n");
    for (const char **name = offered; *name != NULL; name++) {
        const struct cloud_provider *provider = provider_find(*name);
        text_format(&text, "  %-20s %s%s\n", *name, provider->catalog_help,
                    provider == provider_of_files() ? " (default)" : "");
    }
    return text_take(&text);
}

char *providers_running_help(void)
{
    struct text text = {0};
    const char *running[PROVIDERS_MAX + 1];
    providers_running(running);
    text_add(&text, "Providers:\n");
    for (const char **name = running; *name != NULL; name++) {
        const struct cloud_provider *provider = provider_find(*name);
        text_format(&text, "  %-20s machines are %s%s\n", *name, provider->machines,
                    provider == provider_of_clusters() ? " (default)" : "");
    }
    return text_take(&text);
}
