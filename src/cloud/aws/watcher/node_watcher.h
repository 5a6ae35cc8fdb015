// Watches the instance that it runs on (AWI-959): polls the instance metadata service and keeps the
// annotations of the instance's Node (cloud/aws/interruption/node_annotations.h) as it says.
#pragma once

#include "base/loop.h"
#include "cloud/aws/client/aws_endpoints.h"
#include "cloud/aws/client/aws_http.h"
#include "kube/client.h"

struct node_watcher_options { // borrowed; they outlive the watcher
    struct loop *loop;
    struct aws_http *http;
    struct aws_environment environment; // AWS_EC2_METADATA_SERVICE_ENDPOINT and so on
    struct kube_client *kube;
    const char *node_name;
    int64_t interval_ns;
};
struct node_watcher;
// NULL: the environment says that there is no metadata service.
struct node_watcher *node_watcher_create(const struct node_watcher_options *options,
                                         struct error *error);
void node_watcher_destroy(struct node_watcher *watcher); // NULL is fine
