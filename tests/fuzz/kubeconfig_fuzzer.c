// Kubeconfigs: for any bytes, a configuration that can be copied, or an error without a password.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/text.h"
#include "base/url.h"
#include "kube/transport/http_transport.h"
#include "kube/transport/kube_config_load.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void show(const char *url)
{
    struct text shown = {0};
    url_show(&shown, url);
    if (shown.data != NULL && strchr(shown.data, '@') != NULL)
        abort();
    text_free(&shown);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64];
    struct error error = {0};
    int file = memfd_create("kubeconfig", MFD_CLOEXEC);
    if (file < 0 || write(file, data, size) != (ssize_t)size || lseek(file, 0, SEEK_SET) != 0)
        abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    struct kube_config *config =
        kube_config_load(&(struct kube_choice){.kubeconfig = path}, &error);
    if (config != NULL) {
        show(config->server);
        kube_config_free(kube_config_copy(config));
    } else if (error.kind == ERROR_NONE) {
        abort();
    }
    kube_config_free(config);
    close(file);
    char *text = strndup((const char *)data, size);
    show(text);
    free(text);
    return 0;
}
