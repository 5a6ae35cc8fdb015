// Addresses of interruption queues (AWI-500, 950): a name, an ARN of SQS or a URL; several are
// separated by commas. Pure.
#pragma once

#include <stdbool.h>

#include "base/error.h"

#define QUEUES_MAX        4
#define QUEUE_NAME_MAX    80 // of SQS
#define QUEUE_ADDRESS_MAX 512
#define QUEUE_REGION_MAX  32
#define QUEUE_ACCOUNT_MAX 16

struct queue_address {
    char name[QUEUE_NAME_MAX + 1];
    char account[QUEUE_ACCOUNT_MAX]; // of an ARN or a URL; "": the credentials' own
    char region[QUEUE_REGION_MAX];   // "": the client's own
    char url[QUEUE_ADDRESS_MAX];     // of a URL; "": to be asked for (GetQueueUrl)
};
// One address. The error says what is wrong with it. `upstream`: the text is a name whatever it is.
bool queue_address_parse(const char *text, bool upstream, struct queue_address *address,
                         struct error *error) MUST_USE;
// The addresses of the setting; their number in `count`. An empty setting has none.
bool queue_addresses_parse(const char *setting, bool upstream,
                           struct queue_address addresses[QUEUES_MAX], unsigned *count,
                           struct error *error) MUST_USE;
