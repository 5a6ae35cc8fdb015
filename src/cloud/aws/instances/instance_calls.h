// Calls of EC2 about instances: described and terminated in batches (AWI-362, 363, 367, 368),
// listed by their tags (AWI-410). Each request gets one answer, later.
#pragma once

#include "cloud/aws/client/aws_client.h"
#include "cloud/aws/families/cluster_facts.h"
#include "cloud/aws/instances/instance_facts.h"

struct instance_calls;
struct instance_calls_options { // borrowed
    struct loop *loop;
    struct aws_client *client;
    const struct cluster_facts *cluster;
    bool reserved_capacity;  // gate ReservedCapacity
    struct metrics *metrics; // NULL: none
};
struct instance_calls *instance_calls_create(const struct instance_calls_options *options);
void instance_calls_destroy(struct instance_calls *calls); // no callback comes after this

// NOT_FOUND: EC2 does not know the instance, or it has terminated. Borrowed until the callback
// returns.
typedef void (*instance_described)(void *context, const struct error *error,
                                   const struct aws_instance_facts *facts);
void instance_calls_describe(struct instance_calls *calls, const char *id, instance_described done,
                             void *context);
typedef void (*instance_changed)(void *context, const struct error *error);
void instance_calls_terminate(struct instance_calls *calls, const char *id, instance_changed done,
                              void *context);
typedef void (*instances_listed)(void *context, const struct error *error,
                                 const struct aws_instance_facts *items, uint32_t count);
// Of the cluster, by id.
void instance_calls_list(struct instance_calls *calls, instances_listed done, void *context);
