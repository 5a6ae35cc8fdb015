// A simulated account is made with these; its observers.
#pragma once

#include <jansson.h>

#include "base/loop.h"
#include "cloud/aws/client/aws_action.h"

struct aws_instance; // one EC2 instance

// A request as the account has decoded it.
struct aws_account_request {
    enum aws_service service;
    const char *action; // "DescribeSubnets"
    const json_t
        *params; // EC2, IAM, STS: nested by the dots of the wire, numbered members as lists,
                 // all leaves text, user data decoded from base64; others: the JSON body
    bool dry_run;
    const char *error_code, *error_message; // NULL: it was not refused
    const json_t *reply; // CreateFleet: {"instances": [...], "errors": [...]}; else NULL
    const json_t *count; // reads: number of results by the name of the list; else NULL
};
// What AWS refuses (a scenario's faults); later faults are asked after earlier ones.
struct aws_account_fault {
    char *action; // "CreateFleet"
    char *code, *message;
    int status;    // HTTP; 0: 400
    int64_t times; // < 0: always
    int dry_run;   // 1: only dry runs, 0: only real calls, -1: both
    json_t *pools; // [[type, zone, capacity type]], "*" matches all: an error inside a
                   // fleet's answer; NULL: the whole call fails
};
struct aws_account_options {
    struct loop *loop;
    uint64_t seed;
    const char *folder;        // NULL: the built-in account
    const char *cluster;       // name of the built-in account's cluster, and its tags; NULL: "demo"
    const char *catalogue;     // regular expression for whole names of instance types; NULL: all
    const json_t *spot_prices; // built in: {type: USD an hour} in all zones; NULL: 30 to 70 % of
                               // the list price, by type and zone
    int64_t latency_min, latency_max; // of an answer
    int64_t lag_min, lag_max;         // until DescribeInstances shows a new instance
    double throttle_share, lost_share, server_error_share; // random faults, of all calls
    double stock_out_share; // of pools, each for ten minutes at a time; fleets become partial
    double interruptions_per_hour; // of a spot instance, with messages
    bool pricing_fails;
    bool check_signatures; // answers SignatureDoesNotMatch and the like
    bool state_messages;   // EC2's state changes go to the interruption queue
    const json_t *policy;  // IAM policy of the caller; NULL: everything is allowed
    const char *queue;     // name of the interruption queue; NULL: "interruptions"
    // Observers; may be NULL.
    void (*requested)(void *context, const struct aws_account_request *request);
    void *context;
    void (*launched)(void *context, const struct aws_instance *instance);
    void (*gone)(void *context, const struct aws_instance *instance); // terminated
    void *machines_context;                                           // of launched and gone
};
// The credentials that the account accepts.
#define AWS_ACCOUNT_ACCESS_KEY "AKIASIMULATEDACCOUNT"
#define AWS_ACCOUNT_SECRET_KEY "simulated-secret-key-of-the-account-0000"
