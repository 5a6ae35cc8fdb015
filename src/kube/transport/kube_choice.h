// What a command line says of the cluster to talk to, as kubectl's options do. NULL: not said.
#pragma once

#include <stdbool.h>

#include "base/error.h"
#include "kube/transport/kube_config.h"

struct kube_choice {
    const char *kubeconfig, *context; // the file, and the context in it
    const char *cluster, *user;       // in place of the context's
    const char *server, *tls_server_name, *certificate_authority;
    const char *namespace;
    const char *token, *client_certificate, *client_key;
    bool insecure_skip_tls_verify;
};

// Whether anything but the namespace is said.
bool kube_choice_is_made(const struct kube_choice *choice);
// Puts what is said of the server and the user in place of what the kubeconfig says.
bool kube_choice_apply(const struct kube_choice *choice, struct kube_config *config,
                       struct error *error) MUST_USE;
