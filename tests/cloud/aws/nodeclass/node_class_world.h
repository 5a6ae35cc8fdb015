// The reconcilers of EC2NodeClasses against a simulated account and API server, on virtual time.
#pragma once

#include "base/loop_virtual.h"
#include "base/metrics.h"
#include "base/text.h"
#include "cloud/aws/nodeclass/node_class_controllers.h"
#include "kube/event_recorder.h"
#include "model/reading/settings_read.h"
#include "reconcile/operations.h"
#include "sim/apiserver/api_server.h"
#include "sim/apiserver/sim_transport.h"
#include "sim/aws/aws_account.h"
#include "sim/store/resources.h"
#include "sim/store/store.h"
#include "sim/store/store_remove.h"
#include "support/cmocka_all.h"

#define EPOCH (INT64_C(1792000000) * SECOND) // October 2026, as the recordings

struct run {
    struct loop *loop;
    struct store *store;
    struct api_server *server;
    struct kube_client *kube;
    struct mirror *mirror;
    struct settings settings;
    struct metrics *metrics;
    struct event_recorder *recorder;
    struct manager manager;
    struct aws_account *account;
    struct aws_http *http;
    struct aws_credentials_source *credentials;
    struct aws_client *client;
    struct cluster_facts cluster;
    json_t *environment;
    struct ec2_prices *prices;
    struct unavailable_offerings *unavailable;
    struct reservation_counts *reservations;
    struct placement_groups *groups;
    struct subnet_addresses *addresses;
    struct ec2_types *types;
    struct launch_templates *templates;
    struct node_class_controllers *controllers;
    const struct store_resource *resource;
    uint32_t creations; // of launch templates
    json_t *requests;   // [{"action": "DescribeSubnets", "params": {...}, "error": "code"}]
};

// `adjust` may change settings and facts before the controllers exist; NULL: as they are.
void open_run_with(struct run *run, void (*adjust)(struct run *run));
void open_run(struct run *run);
void close_run(struct run *run);

// The requests of an action since the last forget_requests(): how many, and the last one.
size_t requests_of(const struct run *run, const char *action);
const json_t *last_request(const struct run *run, const char *action); // its parameters
void forget_requests(struct run *run);

json_t *node_class_now(struct run *run, const char *name); // NULL: gone; borrowed
