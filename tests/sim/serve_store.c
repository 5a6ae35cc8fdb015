// The store and its API server over HTTP, without a world around it: for tests with kubectl and for
// trials by hand. Writes a kubeconfig to the given path and runs until it is stopped.
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/loop.h"
#include "base/loop_real.h"
#include "sim/apiserver/api_server.h"
#include "sim/apiserver/http_server.h"
#include "sim/apiserver/kubeconfig_writer.h"
#include "sim/store/store.h"
#include "sim/store/store_furnish.h"

static void stop(void *context)
{
    loop_stop(context);
}

static void add_node(struct store *store)
{
    json_t *node =
        json_pack("{s:{s:s, s:{s:s, s:s}}, s:{s:{s:s, s:s, s:s}, s:{s:s, s:s, s:s},"
                  "s:{s:s, s:s, s:s, s:s}, s:[{s:s, s:s, s:s}]}}",
                  "metadata", "name", "node-1", "labels", "kubernetes.io/hostname", "node-1",
                  "node-role.kubernetes.io/worker", "", "status", "capacity", "cpu", "4", "memory",
                  "8Gi", "pods", "110", "allocatable", "cpu", "4", "memory", "8Gi", "pods", "110",
                  "nodeInfo", "kubeletVersion", "v1.36.0", "osImage", "adze", "kernelVersion",
                  "6.1", "containerRuntimeVersion", "sim://1", "conditions", "type", "Ready",
                  "status", "True", "reason", "KubeletReady");
    struct error error = {0};
    const struct store_resource *nodes = store_resource_find(store, "", "v1", "nodes");
    if (store_add(store, nodes, NULL, node, &error) == NULL)
        fprintf(stderr, "%s\n", error.message);
    json_decref(node);
}

int main(int count, char **arguments)
{
    if (count != 2) {
        fprintf(stderr, "usage: %s KUBECONFIG\n", arguments[0]);
        return 2;
    }
    struct loop *loop = loop_create();
    struct store *store = store_create(loop, 1);
    store_furnish(store);
    struct api_server *api = api_server_create(loop, store);
    struct error error = {0};
    struct http_server *server = http_server_create(loop, api, NULL, &error);
    struct kubeconfig_file written = {0};
    bool good = server != NULL;
    if (good) {
        add_node(store);
        good = kubeconfig_write(&written, arguments[1], http_server_url(server), NULL, &error);
    }
    if (good) {
        loop_on_signal(loop, SIGTERM, stop, loop);
        loop_on_signal(loop, SIGINT, stop, loop);
        loop_run(loop);
    } else {
        fprintf(stderr, "%s\n", error.message);
    }
    kubeconfig_remove(&written);
    http_server_destroy(server);
    api_server_destroy(api);
    store_destroy(store);
    loop_destroy(loop);
    return good ? 0 : 1;
}
