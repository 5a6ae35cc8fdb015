// The interruption queue: visibility time-outs, long polling, duplicates of nothing.
#pragma once

#include "sim/aws/account_internal.h"

struct account_queue;
struct account_queue *account_queue_create(struct aws_account *account);
void account_queue_destroy(struct account_queue *queue);
void account_queue_send(struct aws_account *account, const char *body);
// A call that waits for messages is gone.
void account_queue_forget(struct aws_account *account, const struct account_call *call);
