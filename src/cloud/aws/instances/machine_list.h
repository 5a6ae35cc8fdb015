// Lists of the cluster's instances, of one snapshot for all who ask (AWI-410 to 415, 936).
#pragma once

#include "cloud/aws/instances/machines_state.h"

void machine_list_create(struct aws_machines *machines);
void machine_list_destroy(struct aws_machines *machines);
void machine_list_ask(struct aws_machines *machines, const struct list_waiter *waiter);
