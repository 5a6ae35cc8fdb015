// A simulated AWS account behind the HTTP port (cloud/aws/client/aws_http.h): EC2, SSM, SQS, IAM,
// STS, EKS, Pricing and ARC zonal shift as far as adze calls them, on the loop's time, virtual or
// real.
//
// It reads the requests from the wire and answers in the wire's form, so that client, signatures
// and protocols are all exercised. Its resources come from a folder (environment.json and the files
// beside it, tests/conformance/aws/README.md) or are built in: region us-west-2, four zones, an
// EKS cluster, the types and prices of data/ec2/.
#pragma once

#include "cloud/aws/client/aws_actions.h"
#include "cloud/aws/client/aws_http.h"
#include "model/schema/core.h"
#include "sim/world/world_options.h"

struct aws_account;
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
    const char *folder;    // NULL: the built-in account
    const char *cluster;   // name of the built-in account's cluster, and its tags; NULL: "demo"
    const char *catalogue; // regular expression for whole names of instance types; NULL: all
    int64_t latency_min, latency_max; // of an answer
    int64_t lag_min, lag_max;         // until DescribeInstances shows a new instance
    double throttle_share, lost_share, server_error_share; // random faults, of all calls
    double stock_out_share; // of pools, each for ten minutes at a time; fleets become partial
    double interruptions_per_hour; // of a spot instance, with messages
    bool pricing_fails;
    bool check_signatures; // answers SignatureDoesNotMatch and the like
    bool state_messages;   // EC2's state changes go to the interruption queue
    const char *queue;     // name of the interruption queue; NULL: "interruptions"
    // Observers; may be NULL.
    void (*requested)(void *context, const struct aws_account_request *request);
    void *context;
    void (*launched)(void *context, const struct aws_instance *instance);
    void (*gone)(void *context, const struct aws_instance *instance); // terminated
    void *machines_context;                                           // of launched and gone
};
struct aws_account *aws_account_create(const struct aws_account_options *options,
                                       struct error *error);
void aws_account_destroy(struct aws_account *account); // NULL is fine
// The account's end of the HTTP port: any number of clients; each calls its destroy operation, and
// calls under way of one that is gone do not answer (a killed controller).
struct aws_http *aws_account_http(struct aws_account *account);
// The credentials that the account accepts.
#define AWS_ACCOUNT_ACCESS_KEY "AKIASIMULATEDACCOUNT"
#define AWS_ACCOUNT_SECRET_KEY "simulated-secret-key-of-the-account-0000"

const char *aws_account_region(const struct aws_account *account);
const json_t *aws_account_environment(const struct aws_account *account); // environment.json's form

void aws_account_add_fault(struct aws_account *account, const struct aws_account_fault *fault);
void aws_account_clear_faults(struct aws_account *account);
// From now on nothing fails at random, and no spot instance is interrupted that was not warned.
void aws_account_calm(struct aws_account *account);
// AWS's clock is ahead of the loop's: with check_signatures, more than 5 minutes refuses requests
// (EC2: RequestExpired), and the Date header tells the client.
void aws_account_skew_clock(struct aws_account *account, int64_t nanoseconds);
// Puts a message on the interruption queue.
void aws_account_send_message(struct aws_account *account, const char *body);
// Adds or replaces an image, subnet, security group, SSM parameter... in environment.json's form:
// kind "images", "subnets", "securityGroups", "ssmParameters", "capacityReservations".
bool aws_account_put(struct aws_account *account, const char *kind, const json_t *resource,
                     struct error *error) MUST_USE;
bool aws_account_remove(struct aws_account *account, const char *kind, const char *id);
uint32_t aws_account_templates(const struct aws_account *account); // launch templates
uint32_t aws_account_profiles(const struct aws_account *account);  // instance profiles
// Deletes every launch template, as by another's hand.
void aws_account_lose_templates(struct aws_account *account);

// --- instances -----------------------------------------------------------------------------------
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
// DescribeInstanceStatus shows this for the instance: {"instanceStatus": {"status": "impaired",
// "details": [...]}, "systemStatus": ..., "eventsSet": [...]} in EC2's wire names; NULL: well
// again.
void aws_account_set_status(struct aws_account *account, const char *id, const json_t *status);
// The zonal shifts that ARC reports: [{"awayFrom": "usw2-az1", "expiryTime": 1767225600 (Unix
// seconds), "appliedStatus": "APPLIED"}].
void aws_account_set_zonal_shifts(struct aws_account *account, const json_t *shifts);
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
// The labels and taints that its kubelet registers with, from the user data of any family; facts of
// its type as a real node reports them.
bool aws_instance_boot(const struct aws_instance *instance, struct arena *arena,
                       struct machine_boot *boot);
