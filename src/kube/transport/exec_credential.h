// The protocol of credential plugins (client.authentication.k8s.io/v1 and v1beta1):
// KUBERNETES_EXEC_INFO as input, an ExecCredential as output.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "kube/transport/kube_config.h"

struct exec_credential {
    char *token;             // NULL if none
    char *certificate, *key; // PEM; both or neither
    int64_t expires_ns;      // wall clock; INT64_MAX: never
};
// The plugin's environment: this process's, the config's, and KUBERNETES_EXEC_INFO.
// NULL-terminated.
char **exec_credential_environment(const struct kube_config *config);
void exec_credential_environment_free(char **environment);
// Errors never quote the output.
bool exec_credential_parse(const char *output, size_t length, const char *api_version,
                           struct exec_credential *credential, struct error *error) MUST_USE;
void exec_credential_clear(struct exec_credential *credential); // wipes and frees
