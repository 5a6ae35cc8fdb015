// Instances of the account: launch, tags, end, events.
#pragma once

#include "sim/aws/account_internal.h"

// A launch that has been decided.
struct account_launch {
    const struct account_template *template; // NULL: none (RunInstances with its own parameters)
    const char *type, *zone, *subnet, *image;
    const char *lifecycle;   // "spot", "capacity-block", "interruptible-capacity-reservation"; NULL
    const char *reservation; // NULL: none
    const json_t *tags;      // {"k": "v"}
};
struct aws_instance *account_instance_launch(struct aws_account *account,
                                             const struct account_launch *launch);
void account_instance_terminate(struct aws_instance *instance, const char *reason);
void account_instance_free(void *instance);
// DescribeInstances does not show it yet, or no more.
bool account_instance_is_hidden(const struct aws_instance *instance);
// The free count of a reservation; -1: there is none that is active.
int64_t account_reservation_free(const struct aws_account *account, const char *id);
