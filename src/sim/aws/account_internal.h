// Shared by the files of the simulated account; nobody else includes it.
#pragma once

#include "base/loop.h"
#include "base/map.h"
#include "base/nanoseconds.h"
#include "base/random.h"
#include "base/text.h"
#include "base/vector.h"
#include "cloud/aws/client/aws_http.h"
#include "sim/aws/aws_account_options.h"

#define ACCOUNT_REQUEST_BYTES_MAX ((size_t)1 << 20)

struct account_type { // an instance type, as DescribeInstanceTypes shows it
    char *name;
    char *item;     // XML: "<item>...</item>"
    double price;   // on demand, USD an hour; < 0: none
    json_t *prices; // spot: zone -> USD an hour; NULL: none
};
struct account_offering {
    char *type;
    char *zone;
};
struct account_template {
    char *id, *name;
    json_t *data; // LaunchTemplateData of the request, user data decoded
    json_t *shown;
};
struct aws_instance {
    struct aws_account *account;
    const char *id, *type, *zone, *subnet, *provider_id, *private_dns; // of the arena
    const char *user_data;
    json_t *shown;           // as DescribeInstances shows it
    const char *reservation; // NULL: none
    struct account_type *facts;
    int64_t volume_gibibytes;    // of its largest volume; 0: the image's own
    int64_t visible_from, ended; // instants; ended 0: it lives
    bool ending;                 // shutting-down
    struct timer *timer;         // from shutting-down to terminated
    struct timer *reclaim;       // to the interruption's warning, then to the end
    int64_t warned_at;           // of the interruption; 0: not warned
    struct arena *arena;
};

// A request under way inside the account, and its outcome.
struct account_call {
    struct aws_account *account;
    enum aws_service service;
    char action[80];     // "" if none could be read
    json_t *params;      // struct aws_account_request
    json_t *reply;       // in the wire's names; lists become <item> or <member>
    struct text raw;     // XML in place of reply
    const char *code;    // NULL: fine
    char *message;       // with code
    int status;          // HTTP
    json_t *count;       // for the observer
    json_t *fleet_reply; // for the observer
    bool dry_run;
    bool waits; // the answer comes later (long polling), by this function; it empties the call
    void (*answer)(struct account_call *call);
    struct aws_http_call *exchange;
};
typedef void (*account_handler)(struct account_call *call);

struct aws_account {
    struct aws_account_options options;
    struct loop *loop;
    struct random random;  // of faults and choices
    struct random latency; // apart, so that latency does not change choices
    struct random ids;     // of ids
    char *catalogue, *folder;
    json_t *environment;
    VECTOR(struct account_type) types; // sorted by name
    VECTOR(struct account_offering) offerings;
    struct map *instances;       // id -> struct aws_instance
    struct map *templates;       // name -> struct account_template
    struct map *profiles;        // name -> struct account_profile
    struct map *tokens;          // of idempotency -> struct account_token
    struct map *statuses;        // instance id -> json_t, for DescribeInstanceStatus
    struct account_queue *queue; // SQS
    struct account_ports *ports; // HTTP
    struct account_faults *faults;
    json_t *policy;       // of the caller; NULL: everything is allowed
    json_t *policy_uses;  // {"<Sid> <action>": count}
    json_t *denials;      // {"<encoded message>": plain}
    json_t *quotas;       // {"<code>": value}
    json_t *zonal_shifts; // [{"awayFrom", "expiryTime", "appliedStatus", ...}]
    int64_t start;        // instant; reservations end relative to it
    int64_t clock_skew;   // AWS's clock is ahead of the loop's by this
    uint64_t requests;    // counted for request ids
};

// Ends the call with an error of AWS; returns false.
bool account_refuse(struct account_call *call, int status, const char *code, const char *format,
                    ...) PRINTF_LIKE(4, 5);
bool account_refuse_dry_run(struct account_call *call); // "would have succeeded"
// "<prefix><17 hex digits>"
char *account_id(struct aws_account *account, const char *prefix);
const char *account_region(const struct aws_account *account);
const char *account_number(const struct aws_account *account); // "111122223333"
const char *account_zone_id(const struct aws_account *account, const char *zone);
// A resource of the environment by kind and id; NULL if there is none.
json_t *account_resource(const struct aws_account *account, const char *kind, const char *id);

static inline const char *json_text(const json_t *object, const char *key) // "" if none
{
    const char *text = json_string_value(json_object_get(object, key));
    return text != NULL ? text : "";
}
