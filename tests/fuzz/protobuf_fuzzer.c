// Bodies in Kubernetes' protobuf encoding, as kubectl sends them to the embedded API server.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "sim/printing/protobuf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_body(const char *data, size_t size)
{
    struct failure failure = {0};
    json_t *object = protobuf_read(data, size, &failure);
    if ((object != NULL) != (failure.code == 0))
        abort();
    json_decref(object);
    failure_clear(&failure);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char magic[4] = "k8s";
    char *body = malloc(sizeof magic + size);
    memcpy(body, magic, sizeof magic);
    memcpy(body + sizeof magic, data, size);
    read_body(body, sizeof magic + size);
    if (protobuf_is_body((const char *)data, size))
        read_body((const char *)data, size);
    free(body);
    return 0;
}
