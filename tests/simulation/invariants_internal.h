// Shared by the parts of the observer (invariants.h).
#pragma once

#include "base/duration.h"
#include "base/map.h"
#include "base/text.h"
#include "base/vector.h"
#include "model/schema/karpenter.h"
#include "simulation/invariants.h"

#define STALE_NS  (15 * SECOND) // greatest age of the controller's view of the world
#define MOMENT_NS (3 * SECOND)  // the same without delayed watches or lost requests

#define MARK "adze.dev/disruption-command" // on the Nodes of a command and on its replacements

// --- records: facts that the store does not keep -------------------------------------------------
struct claim_record { // of a NodeClaim, by UID, for good
    char *name;       // NULL: not seen yet
    char *uid;
    char *provider_id; // of its machine
    char *command;     // identifier of the command that it replaces nodes of
    bool vanished;     // the test removed that machine
    bool voluntary;    // deleted by voluntary disruption
    bool present;      // in the store
    bool named;        // has a reason to be disrupted
    uint32_t member;   // index among its NodePool's
    char *node;        // status.nodeName; NULL: none yet
    bool initialized;  // and the instance is not terminating: DIS-125
    int64_t seen_ns;   // monotonic, as all times here
    int64_t deleting_ns;
    uint32_t commands; // number of commands of its node since the time below
    int64_t commands_ns;
};

struct node_record { // by name
    char command[37];
    int64_t unready_ns; // since when it is not Ready; 0: it is
    int64_t residue_ns; // how long there has been a taint or reason of no command, counted while a
                        // controller is alive
    bool tainted, deleting;
    bool marked; // has a command's mark, tainted or not
};

struct machine_record {      // by provider ID, permanently: finds the NodeClaim and Node
    char *claim, *node;      // names; NULL: none was seen
    uint64_t absent_version; // version of the store without that NodeClaim
};

struct pod_record { // by UID, until half a minute after its end
    char *uid, *name, *namespace, *node, *app, *protection;
    char *moved_by; // the command whose eviction it replaces
    bool of_daemon_set;
    bool ready, leaving;                        // leaving: deleted, ended or gone
    int64_t ready_ns, leaving_ns, protected_ns; // since when; ready_ns: the last time
};

typedef VECTOR(struct pod_record *) pod_records;

struct app_record { // of the pods with a label app, by its value
    pod_records pods;
    int64_t healthy;
    uint32_t surprises; // pods without room after a move (invariants_savings.c)
    int64_t wanted; // replicas of the workloads with such pods, at the last sample of the budgets
};

struct occupants { // the pods of a Node, by its name
    pod_records pods;
};

#define REASONS 3

extern const char *const disruption_reasons[REASONS];

struct overrun { // a command that seemed to exceed a NodePool's budgets
    char claim[80], reason[16];
    int64_t since_ns; // 0: none
    int64_t disrupting, allowed;
    uint32_t nodes;
};

struct pool_record { // by name
    char uid[40];
    VECTOR(struct claim_record *) members; // existing NodeClaims
    int64_t generation, changed_ns;
    uint32_t nodes_now, nodes_before, nodes_most; // NodeClaims: in this and the last half minute
    int64_t window_ns;
    char begun[REASONS][80]; // NodeClaims of commands that began in this step, by reason
    struct overrun overrun;
};

struct budget_record { // of a PodDisruptionBudget after the last step, by UID
    int64_t healthy, desired, evicted;
    int64_t exhausted_ns; // since when it has allowed nothing; 0: it allows some
};

struct candidate { // of a command
    char *claim, *pool;
    int64_t price; // by the price list at the beginning
    bool deleted;
};

struct command_record { // by identifier, for good
    char id[37], reason[16];
    uint32_t nodes_promised, replacements_promised, replacements_seen;
    struct map *candidates; // by the NodeClaim's UID
    int64_t begun_ns;
    int64_t age_ns;              // while the controller is alive, since it began or was taken over
    bool completed;              // its first candidate was deleted
    struct map *replacements;    // by the NodeClaim's UID
    int64_t over_ns;             // since when its nodes are gone or released; 0: not yet
    double saved_usd, saves_usd; // until then; an hour from then on
    bool unknown, weighed;       // its saving is unknown; it has been checked
    uint32_t marked;             // Nodes that have its mark now and whose NodeClaims stay
};

struct saving { // of a command that was weighed
    int64_t at_ns;
    double usd;
};

struct invariants {
    struct invariants_options options;
    struct simulation *simulation;
    struct store *store;
    struct map *claims, *pools, *nodes, *pods, *apps, *commands;
    struct map *holders, *orphans, *budgets, *stopping;
    struct map *machines, *occupants;
    struct map *accused;    // until then; an hour from then on
    pod_records leaving;    // in the order in which they began to leave
    uint32_t leaving_first; // the ones before are dropped
    struct store_watch *watches[3];
    int64_t clock_slack_ns, jumped_ns;
    int64_t sees_since_ns; // INT64_MAX: disconnected
    int64_t repriced_ns;
    int64_t meddled_ns;  // last interference of the test
    int64_t demanded_ns; // last time with more to run
    struct map *owed;    // successors expected for evicted pods, by label app
    VECTOR(struct saving) savings;
    int64_t looked_ns, commands_ns; // time of the last slower checks
    uint64_t seen_version, park_version;
    bool pod_was_there, pod_was_healthy; // before the request under way
    struct invariants_counts counts;
    struct error violation;
};

void violate(struct invariants *invariants, const char *format, ...) PRINTF_LIKE(2, 3);
int64_t now_ns(const struct invariants *invariants);
// Whether the controller's view is at most a moment old.
bool is_faithful(const struct invariants *invariants);

// --- readings (invariants_read.c) ----------------------------------------------------------------
struct target { // the target of a request; points into the path
    char path[400];
    const char *namespace, *plural, *name, *subresource;
};
bool read_target(const struct kube_request *request, struct target *target);

const struct store_resource *resource(const struct invariants *invariants, const char *api_version,
                                      const char *kind);
const struct store_resource *claims_of(const struct invariants *invariants);
const char *text_at(const json_t *object, const char *path);
const char *label_of(const json_t *object, const char *key);
const char *annotation_of(const json_t *object, const char *key);
bool is_deleting(const json_t *object);
const json_t *condition_of(const json_t *object, const char *type);
bool condition_is(const json_t *object, const char *type, const char *status);
bool has_ended(const json_t *pod);
bool is_healthy(const json_t *pod);
bool is_owned_by(const json_t *object, const char *kind);
bool has_finalizer(const json_t *object);
bool is_tainted(const json_t *node);       // as disrupted
bool is_awaiting_pods(const json_t *node); // closed for evicted pods
// Whether all of the selector's matchLabels are among the object's labels; an empty one matches
// all.
bool is_selected(const json_t *object, const json_t *selector);
int64_t share_of(const json_t *value, int64_t total); // 3, "3" or "30%", rounded up
json_t *claim_of_uid(const struct invariants *invariants, const char *uid);
struct machine_record *machine_record(const struct invariants *invariants, const char *provider_id);
void free_machine_record(void *value);
json_t *claim_of_machine(const struct invariants *invariants, const char *provider_id);
json_t *pool_of(const struct invariants *invariants, const json_t *claim);
// The name of the machine's Node, "" if there is none; of two the older.
const char *node_of_machine(const struct invariants *invariants, const char *provider_id);
json_t *node_of_claim(const struct invariants *invariants, const json_t *claim);
// An expired claim is terminated forcefully, whatever else was planned for it.
bool is_expired(const struct invariants *invariants, const json_t *claim);
bool is_expiring(const struct invariants *invariants, const json_t *claim);

// --- records (invariants_records.c) --------------------------------------------------------------
struct claim_record *claim_record(struct invariants *invariants, const char *uid);
void free_claim_record(void *value);
void free_pool_record(void *value);
void free_pod_record(void *value);
void free_app_record(void *value);
void free_occupants(void *value);
struct app_record *app_record(struct invariants *invariants, const char *app);
const struct occupants *occupants_of(const struct invariants *invariants, const char *node_name);
// The pod in the store; NULL if it is gone.
json_t *pod_of(const struct invariants *invariants, const struct pod_record *record);
void note_claim_event(struct invariants *invariants, const char *type, json_t *claim);
void note_node_event(struct invariants *invariants, const char *type, json_t *node);
void note_pod_event(struct invariants *invariants, const char *type, json_t *pod);
void forget_old_pods(struct invariants *invariants);
void count_nodes(struct invariants *invariants);

// --- 3: pods and their budgets (invariants_pods.c) -----------------------------------------------
bool takes_pod(const struct kube_request *request, const struct target *target);
void before_pod(struct invariants *invariants, const struct kube_request *request,
                const struct target *target);
void after_pod(struct invariants *invariants, const struct kube_request *request,
               const struct target *target);
void sample_budgets(struct invariants *invariants);
// LIF-121: whether the machine's deadline ends before the grace period would.
bool is_due(struct invariants *invariants, const char *provider_id, int64_t grace_seconds);

// --- 3, 4: voluntary disruption ------------------------------------------------------------------
// The controller is about to delete a NodeClaim (invariants_disruption.c).
void before_claim_deletion(struct invariants *invariants, const struct target *target);
// The protection of the pods of a command's node (invariants_workloads.c): DIS-791, DIS-761.
void check_pods_of_candidate(struct invariants *invariants, const json_t *claim, const json_t *node,
                             bool eventual);
// A healthy pod has been evicted.
void check_last_replica(struct invariants *invariants, const json_t *pod);
// A Node has joined a command: DIS-790 (invariants_budgets.c).
// check_begun() checks at the end of the step. A cancelled command may take a moment to release its
// nodes, so check_overruns() checks again.
void check_budget_of_pool(struct invariants *invariants, const json_t *claim, const char *reason);
void check_begun(struct invariants *invariants);
// Before a command of the reason marks a node of the NodePool.
void check_begun_of_others(struct invariants *invariants, const char *pool_name,
                           const char *reason);
void check_overruns(struct invariants *invariants);

// --- commands (invariants_commands.c) ------------------------------------------------------------
// The command of the object's mark; NULL: none.
struct command_record *command_of(struct invariants *invariants, const json_t *object);
void free_command_record(void *value);
void join_candidate(struct invariants *invariants, struct command_record *command,
                    const json_t *node);
void join_replacement(struct invariants *invariants, const json_t *claim);
// DIS-792, DIS-795: the first of its candidates is about to be deleted.
void check_replacements(struct invariants *invariants, struct command_record *command);
// DIS-793: periodic, `passed_ns` after the last check.
void check_commands(struct invariants *invariants, int64_t passed_ns);

// --- DIS-795 (invariants_savings.c) --------------------------------------------------------------
void note_moved_pod(struct invariants *invariants, const json_t *pod); // has been evicted
void note_new_pod(struct invariants *invariants, struct pod_record *record, const json_t *pod);
void free_owed(void *value);
void check_savings(struct invariants *invariants, int64_t passed_ns);

// --- 1, 2, 6: machines (invariants_machines.c) ---------------------------------------------------
void check_stopping(struct invariants *invariants);
void check_orphans(struct invariants *invariants, int64_t passed_ns);
void on_holder(struct invariants *invariants, const char *type, const json_t *object,
               const char *kind, const char *provider_id);
void free_holder(void *value);
// By the current price list; 0: unknown.
int64_t list_price(const struct invariants *invariants, const char *instance_type, const char *zone,
                   const char *capacity_type);
