// Private to the client: its state, and that of a call.
#pragma once

#include <sys/queue.h>

#include "base/loop.h"
#include "base/map.h"
#include "base/random.h"
#include "cloud/aws/client/aws_action_info.h"
#include "cloud/aws/client/aws_client_metrics.h"
#include "cloud/aws/client/aws_codec.h"
#include "cloud/aws/client/aws_credentials.h"
#include "cloud/aws/client/aws_denials.h"
#include "cloud/aws/client/aws_endpoints.h"
#include "cloud/aws/client/aws_http.h"
#include "cloud/aws/client/aws_request.h"
#include "cloud/aws/client/aws_retry.h"
#include "cloud/aws/client/aws_throttle.h"

LIST_HEAD(aws_calls, aws_call);

struct aws_client {
    struct loop *loop;
    struct aws_http *http;
    struct aws_credentials_source *credentials; // NULL: only unsigned actions
    struct aws_environment environment;
    struct aws_client_metrics metrics;
    char region[AWS_REGION_BYTES];
    struct random random;
    struct aws_retry retry;
    struct aws_throttle *throttle;
    int64_t clock_skew; // AWS's clock less ours
    struct aws_calls calls;
    uint64_t sent[AWS_ACTION_COUNT];
    bool decodes_denials;
    // aws_client_start(), for calls on behalf of others.
    struct aws_call *(*start)(struct aws_client *client, const struct aws_request *request);
    struct aws_denials denials;
};

// One call: throttle, credentials, exchange, and again for retries and further pages. At most one
// of them is under way.
struct aws_call {
    LIST_ENTRY(aws_call) link;
    struct aws_client *client;
    const struct aws_action_info *info;
    enum aws_action action;
    json_t *parameters;
    bool all_pages, once;
    aws_page page;
    aws_done done;
    void *context;
    struct aws_endpoint endpoint;
    struct aws_wire wire;
    struct timer *timer; // the start, and the delay before a retry
    struct aws_turn turn;
    struct aws_http_call *exchange;
    bool waits_for_credentials, lacks_credentials;
    bool is_paging, is_cancelled;            // a page callback runs; it has cancelled the call
    uint32_t attempt, pages;                 // attempts of this page, from 1
    uint32_t taken;                          // of the retry quota
    bool has_new_credentials, has_new_clock; // each is tried once a page
    int64_t signed_at;                       // by our clock
    int64_t began, attempt_began;            // monotonic
    json_t *joined;                          // replies so far
    struct map *tokens;                      // of the pages so far; NULL: none
    struct error error;                      // of the start: the call ends with it
    struct aws_denied *denied;               // refused; its message is being decoded
    struct aws_call *decoding;               // by this call
    struct aws_call *decodes_for;            // this call decodes for that one
};
