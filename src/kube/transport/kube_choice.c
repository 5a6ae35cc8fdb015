#include "kube/transport/kube_choice.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "kube/transport/secret_file.h"

bool kube_choice_is_made(const struct kube_choice *choice)
{
    struct kube_choice rest = *choice;
    rest.namespace = NULL;
    const char *const texts[] = {rest.kubeconfig,
                                 rest.context,
                                 rest.cluster,
                                 rest.user,
                                 rest.server,
                                 rest.tls_server_name,
                                 rest.token,
                                 rest.certificate_authority,
                                 rest.client_certificate,
                                 rest.client_key};
    for (size_t i = 0; i < ARRAY_LENGTH(texts); i++)
        if (texts[i] != NULL)
            return true;
    return rest.insecure_skip_tls_verify;
}

static void replace(char **text, const char *by)
{
    if (by == NULL)
        return;
    secret_wipe(text);
    *text = memory_copy_string(by);
}

// A missing file that the user named is bad input.
static bool read_file(const char *option, const char *path, char **content, struct error *error)
{
    struct error why = {0};
    if (path == NULL)
        return true;
    secret_wipe(content);
    *content = secret_file_read(path, NULL, &why);
    return *content != NULL || error_set(error, ERROR_INVALID, "%s: %s", option, why.message);
}

static bool apply_server(const struct kube_choice *choice, struct kube_config *config,
                         struct error *error)
{
    const char *server = choice->server;
    if (server != NULL && !text_starts_with(server, "https://") &&
        !text_starts_with(server, "http://"))
        return error_set(error, ERROR_INVALID,
                         "--server should begin with https:// (or http://), not \"%s\"", server);
    replace(&config->server, server);
    for (size_t length = strlen(config->server); length > 0 && config->server[length - 1] == '/';
         length--)
        config->server[length - 1] = '\0';
    replace(&config->tls_server_name, choice->tls_server_name);
    if (!read_file("--certificate-authority", choice->certificate_authority, &config->ca_data,
                   error))
        return false;
    if (choice->insecure_skip_tls_verify && choice->certificate_authority != NULL)
        return error_set(error, ERROR_INVALID,
                         "--certificate-authority and --insecure-skip-tls-verify exclude each "
                         "other");
    config->insecure_skip_tls_verify =
        choice->insecure_skip_tls_verify ||
        (config->insecure_skip_tls_verify && choice->certificate_authority == NULL);
    if (choice->insecure_skip_tls_verify)
        secret_wipe(&config->ca_data);
    return choice->certificate_authority == NULL ||
           secret_check_certificates(config->ca_data, "--certificate-authority", error);
}

// A token is all that counts then.
static void apply_token(struct kube_config *config, const char *token)
{
    secret_wipe(&config->token_file);
    secret_wipe(&config->username);
    secret_wipe(&config->password);
    secret_wipe(&config->exec_command);
    replace(&config->token, token);
}

bool kube_choice_apply(const struct kube_choice *choice, struct kube_config *config,
                       struct error *error)
{
    replace(&config->namespace, choice->namespace);
    if (choice->token != NULL)
        apply_token(config, choice->token);
    if ((choice->client_certificate == NULL) != (choice->client_key == NULL))
        return error_set(error, ERROR_INVALID,
                         "--client-certificate and --client-key belong together");
    return apply_server(choice, config, error) &&
           read_file("--client-certificate", choice->client_certificate,
                     &config->client_certificate, error) &&
           read_file("--client-key", choice->client_key, &config->client_key, error) &&
           (choice->client_certificate == NULL ||
            (secret_check_certificates(config->client_certificate, "--client-certificate", error) &&
             secret_check_key(config->client_key, "--client-key", error)));
}
