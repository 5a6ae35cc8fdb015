// One cluster and one of its users, resolved: everything a transport needs for an API server.
#pragma once

#include <stdbool.h>

struct kube_config {
    char *server;                          // https://host:port, without trailing slash
    char *namespace;                       // of the context, or "default"
    char *ca_data;                         // PEM; NULL: the system's
    char *client_certificate, *client_key; // PEM
    char *token, *token_file;              // token_file is read again when it changes (rotation)
    char *username, *password;
    char *exec_command; // credential plugin, with its arguments and environment
    char **exec_arguments, **exec_environment; // NULL-terminated; environment as NAME=VALUE
    char *exec_api_version;
    char *exec_install_hint;   // shown if the command is missing
    char *exec_cluster_config; // provideClusterInfo: JSON text for the plugin; NULL: off
    char *tls_server_name, *proxy_url;
    bool insecure_skip_tls_verify;
};
struct kube_config *kube_config_copy(const struct kube_config *config);
void kube_config_free(struct kube_config *config); // NULL is fine; secrets are wiped
