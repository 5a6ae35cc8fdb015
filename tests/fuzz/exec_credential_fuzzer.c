// Answers of credential plugins.
#include <stdint.h>
#include <stdlib.h>

#include "kube/transport/exec_credential.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const versions[] = {"client.authentication.k8s.io/v1",
                                           "client.authentication.k8s.io/v1beta1"};
    for (size_t i = 0; i < 2; i++) {
        struct exec_credential credential = {0};
        struct error error = {0};
        bool good =
            exec_credential_parse((const char *)data, size, versions[i], &credential, &error);
        bool whole = (credential.certificate == NULL) == (credential.key == NULL) &&
                     (credential.token != NULL || credential.certificate != NULL);
        if (good ? !whole : error.kind == ERROR_NONE)
            abort();
        exec_credential_clear(&credential);
    }
    return 0;
}
