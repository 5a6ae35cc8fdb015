// EC2 instances of a simulated account.
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

struct aws_account;
struct aws_instance; // one EC2 instance

uint32_t aws_account_instances(const struct aws_account *account); // not terminated
// Of these in order of launch, `index` from 0; NULL at the end.
const struct aws_instance *aws_account_instance_at(const struct aws_account *account,
                                                   uint32_t index);
const struct aws_instance *aws_account_instance(const struct aws_account *account, const char *id);
// The spot interruption: the warning goes to the queue now, the instance two minutes later.
bool aws_account_interrupt(struct aws_account *account, const char *id);
bool aws_account_recommend_rebalance(struct aws_account *account, const char *id);
// Ends an instance from outside: shutting-down now, terminated some seconds later.
bool aws_account_terminate(struct aws_account *account, const char *id);
void aws_account_each_instance(const struct aws_account *account,
                               void (*visit)(void *context, const struct aws_instance *instance),
                               void *context); // not terminated, in order of launch
const char *aws_instance_id(const struct aws_instance *instance);
const char *aws_instance_type_of(const struct aws_instance *instance);
const char *aws_instance_zone(const struct aws_instance *instance);
const char *aws_instance_capacity_type(const struct aws_instance *instance);
int64_t aws_instance_price(const struct aws_instance *instance); // nano-USD an hour, of now
const char *aws_instance_provider_id(const struct aws_instance *instance);
const char *aws_instance_private_dns(const struct aws_instance *instance); // the node's name
const char *aws_instance_user_data(const struct aws_instance *instance);   // decoded
const char *aws_instance_tag(const struct aws_instance *instance, const char *key); // or NULL
// As DescribeInstances shows it, in EC2's wire names: {"instanceId", "instanceState": {"code",
// "name"}, "tagSet": [{"key", "value"}], "networkInterfaceSet", ...}.
const json_t *aws_instance_json(const struct aws_instance *instance);
