// Token buckets, one for reads and one for changes of each service (AWI-936).
//
// A bucket has no limit until AWS throttles a call of its class. Then its rate is cut to a share of
// the rate that was measured, grows again second by second, and after a while without throttling
// the limit is gone. Calls that wait go by priority, then in the order of arrival.
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include "base/loop.h"
#include "cloud/aws/client/aws_action_info.h"

struct aws_throttle;
struct aws_turn { // one call; zeroed before its first use
    TAILQ_ENTRY(aws_turn) link;
    bool is_waiting;
    enum aws_action action;
    void (*ready)(void *context);
    void *context;
};
struct aws_throttle *aws_throttle_create(struct loop *loop);
void aws_throttle_destroy(struct aws_throttle *throttle); // NULL is fine; no turn may be waiting
// True: go now. False: `ready` is called later, once.
bool aws_throttle_enter(struct aws_throttle *throttle, struct aws_turn *turn);
void aws_throttle_leave(struct aws_throttle *throttle, struct aws_turn *turn); // waiting or not
void aws_throttle_refused(struct aws_throttle *throttle, enum aws_action action);
