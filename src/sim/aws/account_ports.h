// The account's end of the HTTP port: latency, lost answers, long polling.
//
// A request arrives after half of its latency; its effect happens then, and the answer takes the
// other half. An exchange that is cancelled before it arrives has no effect.
#pragma once

#include "sim/aws/account_internal.h"

struct account_ports;
struct account_ports *account_ports_create(struct aws_account *account);
void account_ports_destroy(struct account_ports *ports);
struct aws_http *account_ports_open(struct aws_account *account);
