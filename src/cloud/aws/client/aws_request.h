// A call of AWS and its result.
#pragma once

#include <jansson.h>
#include <stdbool.h>

#include "base/error.h"
#include "cloud/aws/client/aws_action.h"

// AWN-600: what behaviour depends on.
enum aws_fault {
    AWS_FAULT_NONE,
    AWS_FAULT_NOT_FOUND,
    AWS_FAULT_ALREADY_EXISTS,
    AWS_FAULT_UNAUTHORIZED,   // UnauthorizedOperation, AccessDenied and their like
    AWS_FAULT_THROTTLED,      // RequestLimitExceeded and its like
    AWS_FAULT_DRY_RUN_PASSED, // DryRunOperation
    AWS_FAULT_SERVER,         // 5xx
    AWS_FAULT_NO_ANSWER,      // network, time-out, credentials
    AWS_FAULT_OTHER,
};

struct aws_result {
    // "ec2:CreateFleet: UnauthorizedOperation: You are not ..."; kind NONE after success.
    struct error error;
    enum aws_fault fault;
    bool lacks_credentials; // none could be had: nothing was asked
    int status;             // HTTP; 0: no answer
    const char *code;       // "InvalidInstanceID.NotFound"; "" without an AWS error
    const char *message;    // AWS's own text; "" if none
    const char *request_id; // "" if none
    const json_t *reply;    // borrowed; NULL after an error
};
typedef void (*aws_done)(void *context, const struct aws_result *result);
// Of a paged call: each page's reply. False: no further page is asked for, and the call ends well.
typedef bool (*aws_page)(void *context, const json_t *reply);

struct aws_request {
    enum aws_action action;
    json_t *parameters; // stolen; NULL: {}
    bool all_pages;     // follows the action's paginator; without `page` the lists are joined
    bool once;          // no retries (AWN-437)
    const char *region; // NULL: the client's, or the action's own (IAM, Pricing)
    aws_page page;      // may be NULL
    aws_done done;
    void *context;
};
