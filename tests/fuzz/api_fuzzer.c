// Requests to the embedded API server: the first line is method, path and query, the rest the body.
#include <stdlib.h>
#include <string.h>

#include "base/loop_virtual.h"
#include "sim/apiserver/api_server.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void ask(struct api_server *server, const char *method, char *path, json_t *body)
{
    struct api_response response = {0};
    char *query = strchr(path, '?');
    if (query != NULL)
        *query++ = '\0';
    struct api_request request = {.method = method, .path = path, .query = query, .body = body};
    api_handle(server, &request, &response);
    api_response_clear(&response);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const methods[] = {"GET", "POST", "PUT", "PATCH", "DELETE"};
    struct loop *loop = loop_create_virtual(INT64_C(1767225600) * 1000000000);
    struct store *store = store_create(loop, 1);
    struct api_server *server = api_server_create(loop, store);
    char *text = malloc(size + 1);
    memcpy(text, data, size);
    text[size] = '\0';
    char *rest = strchr(text, '\n');
    json_t *body = NULL;
    if (rest != NULL) {
        *rest++ = '\0';
        body = json_loads(rest, JSON_DECODE_ANY, NULL);
    }
    ask(server, methods[size % 5], text, body);
    loop_run_for(loop, 1000000000);
    json_decref(body);
    free(text);
    api_server_destroy(server);
    store_destroy(store);
    loop_destroy(loop);
    return 0;
}
