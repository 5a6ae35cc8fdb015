// The port's operations on EC2 instances (cloud/port/cloud.h): create (AWI-250 to 345), get, list,
// delete (AWI-400 to 421), drift (AWN-480 to 483, AWI-455).
#pragma once

#include "cloud/aws/instances/instance_facts.h"
#include "cloud/aws/instances/machine_answer.h"
#include "cloud/aws/instances/machines_environment.h"

struct aws_machines;
struct aws_machines *aws_machines_create(const struct aws_machines_environment *environment);
void aws_machines_destroy(struct aws_machines *machines); // no callback comes after this

void aws_machines_launch(struct aws_machines *machines, const struct node_claim *claim,
                         machine_callback callback, void *context);
void aws_machines_delete(struct aws_machines *machines, const char *provider_id,
                         machine_callback callback, void *context);
void aws_machines_get(struct aws_machines *machines, const char *provider_id,
                      machine_callback callback, void *context);
void aws_machines_list(struct aws_machines *machines, machine_list_callback callback,
                       void *context);
const char *aws_machines_drift_reason(struct aws_machines *machines,
                                      const struct node_claim *claim);
// AWI-16: without types, and no error, for a pool whose NodeClass is missing or being deleted.
const struct instance_type_catalog *aws_machines_instance_types(struct aws_machines *machines,
                                                                const struct node_pool *pool,
                                                                struct error *error);
