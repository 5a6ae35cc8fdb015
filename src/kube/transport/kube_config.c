#include "kube/transport/kube_config.h"

#include <stdlib.h>

#include "base/memory.h"
#include "kube/transport/secret_file.h"

static char **copy_strings(char *const *strings);
static void free_strings(char **strings);

struct kube_config *kube_config_copy(const struct kube_config *config)
{
    struct kube_config *copy = memory_copy(config, sizeof *config);
    char **texts[] = {&copy->server,
                      &copy->namespace,
                      &copy->ca_data,
                      &copy->client_certificate,
                      &copy->client_key,
                      &copy->token,
                      &copy->token_file,
                      &copy->username,
                      &copy->password,
                      &copy->exec_command,
                      &copy->exec_api_version,
                      &copy->exec_install_hint,
                      &copy->exec_cluster_config,
                      &copy->tls_server_name,
                      &copy->proxy_url};
    for (size_t i = 0; i < ARRAY_LENGTH(texts); i++)
        *texts[i] = memory_copy_string(*texts[i]);
    copy->exec_arguments = copy_strings(config->exec_arguments);
    copy->exec_environment = copy_strings(config->exec_environment);
    return copy;
}

void kube_config_free(struct kube_config *config)
{
    if (config == NULL)
        return;
    secret_wipe(&config->client_key);
    secret_wipe(&config->token);
    secret_wipe(&config->password);
    secret_wipe(&config->proxy_url); // may carry a password
    char *texts[] = {config->server,
                     config->namespace,
                     config->ca_data,
                     config->client_certificate,
                     config->token_file,
                     config->username,
                     config->exec_command,
                     config->exec_api_version,
                     config->exec_install_hint,
                     config->exec_cluster_config,
                     config->tls_server_name};
    for (size_t i = 0; i < ARRAY_LENGTH(texts); i++)
        free(texts[i]);
    free_strings(config->exec_arguments);
    free_strings(config->exec_environment);
    free(config);
}

static char **copy_strings(char *const *strings)
{
    if (strings == NULL)
        return NULL;
    size_t count = 0;
    while (strings[count] != NULL)
        count++;
    char **copy = memory_allocate_array(count + 1, sizeof *copy);
    for (size_t i = 0; i < count; i++)
        copy[i] = memory_copy_string(strings[i]);
    return copy;
}

static void free_strings(char **strings)
{
    for (char **at = strings; at != NULL && *at != NULL; at++)
        secret_wipe(at);
    free(strings);
}
