// HTTP(S) transport over libcurl's multi interface, driven by the loop; and where its settings come
// from.
#pragma once

#include "kube/transport/transport.h"

struct kube_config {                       // one cluster and one user, resolved
    char *server;                          // https://host:port, without trailing slash
    char *namespace;                       // of the context, or "default"
    char *ca_data;                         // PEM; NULL: the system's
    char *client_certificate, *client_key; // PEM
    char *token, *token_file;              // token_file is read again when it changes (rotation)
    char *username, *password;
    char *exec_command; // credential plugin, with its arguments and environment
    char **exec_arguments, **exec_environment; // NULL-terminated; environment as NAME=VALUE
    char *exec_api_version;
    char *exec_install_hint;   // shown if the command is not there
    char *exec_cluster_config; // provideClusterInfo: JSON text for the plugin; NULL: not wanted
    char *tls_server_name, *proxy_url;
    bool insecure_skip_tls_verify;
};
// `path`: a kubeconfig; NULL: $KUBECONFIG (colon-separated list, merged), else in-cluster if the
// service account is there, else ~/.kube/config. `context` NULL: the current one.
struct kube_config *kube_config_load(const char *path, const char *context, struct error *error);
// The service account of a pod; `folder` NULL: where Kubernetes mounts it.
struct kube_config *kube_config_in_cluster(const char *folder, struct error *error);
struct kube_config *kube_config_copy(const struct kube_config *config);
void kube_config_free(struct kube_config *config); // NULL is fine; secrets are wiped

struct http_transport_options {
    const char *user_agent;                         // "karpenter/<version>" (LIF-336)
    int64_t connect_timeout_ns, request_timeout_ns; // 0: 10 s, 60 s (not for watches)
    size_t line_bytes_max, response_bytes_max; // of a watch event, of an answer; 0: 16 MiB, 512 MiB
};
// `config` is copied. Token files are read again every minute and after a 401, credential plugins
// run again when what they gave has expired or been refused; a refused request is then sent once
// more. An answer that is plain text (/readyz, /healthz) becomes a JSON string.
// At most 64 calls are under way at a time, in the order of their start; watches and leases do not
// wait. The process ignores SIGPIPE from here on.
struct kube_transport *http_transport_create(struct loop *loop, const struct kube_config *config,
                                             const struct http_transport_options *options,
                                             struct error *error);
