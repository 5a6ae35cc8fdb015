#include "simulation/invariants.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "sim/store/store_watch.h"
#include "simulation/invariants_internal.h"

// The interval of the slower checks.
#define LOOK_NS     SECOND
#define COMMANDS_NS (5 * SECOND)

static void on_claim(void *context, const char *type, json_t *claim);
static void on_node(void *context, const char *type, json_t *node);
static void on_pod(void *context, const char *type, json_t *pod);

void violate(struct invariants *invariants, const char *format, ...)
{
    char text[400];
    va_list arguments;
    if (invariants->violation.kind != ERROR_NONE)
        return;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    error_set(&invariants->violation, ERROR_INTERNAL, "%s", text);
}

const char *invariants_violation(const struct invariants *invariants)
{
    return invariants->violation.kind != ERROR_NONE ? invariants->violation.message : NULL;
}

const struct invariants_counts *invariants_counts(const struct invariants *invariants)
{
    return &invariants->counts;
}

void invariants_counts_add(struct invariants_counts *sum, const struct invariants_counts *counts)
{
    sum->launches += counts->launches;
    sum->evictions += counts->evictions;
    sum->deletions += counts->deletions;
    sum->terminations += counts->terminations;
    sum->finalizers += counts->finalizers;
    sum->orphans += counts->orphans;
    sum->commands += counts->commands;
    sum->empty_nodes += counts->empty_nodes;
    sum->drifted_nodes += counts->drifted_nodes;
    sum->underutilized_nodes += counts->underutilized_nodes;
    sum->replacements += counts->replacements;
    sum->weighed += counts->weighed;
}

int64_t now_ns(const struct invariants *invariants)
{
    return loop_monotonic_ns(invariants->options.loop);
}

bool is_faithful(const struct invariants *invariants)
{
    return invariants->options.faithful_watches && now_ns(invariants) > invariants->sees_since_ns &&
           now_ns(invariants) - invariants->sees_since_ns > STALE_NS;
}

// --- life ----------------------------------------------------------------------------------------

struct invariants *invariants_create(const struct invariants_options *options)
{
    struct invariants *invariants = memory_allocate(sizeof *invariants);
    invariants->options = *options;
    invariants->claims = map_create();
    invariants->pools = map_create();
    invariants->nodes = map_create();
    invariants->pods = map_create();
    invariants->apps = map_create();
    invariants->commands = map_create();
    invariants->holders = map_create();
    invariants->orphans = map_create();
    invariants->budgets = map_create();
    invariants->stopping = map_create();
    invariants->owed = map_create();
    invariants->machines = map_create();
    invariants->occupants = map_create();
    invariants->accused = map_create();
    invariants->repriced_ns = invariants->jumped_ns = INT64_MIN / 2;
    invariants->meddled_ns = invariants->demanded_ns = INT64_MIN / 2;
    return invariants;
}

void invariants_watch(struct invariants *invariants, struct simulation *simulation)
{
    struct error error = {0};
    invariants->simulation = simulation;
    invariants->store = simulation_store(simulation);
    const struct store_resource *watched[] = {claims_of(invariants),
                                              resource(invariants, "v1", "Node"),
                                              resource(invariants, "v1", "Pod")};
    const store_event events[] = {on_claim, on_node, on_pod};
    for (size_t i = 0; i < ARRAY_LENGTH(watched); i++)
        invariants->watches[i] =
            store_watch_create(invariants->store, &(struct store_target){watched[i]}, 0, events[i],
                               invariants, &error);
    if (error.kind != ERROR_NONE)
        violate(invariants, "cannot watch: %s", error.message);
}

void invariants_destroy(struct invariants *invariants)
{
    for (size_t i = 0; i < ARRAY_LENGTH(invariants->watches); i++)
        if (invariants->watches[i] != NULL)
            store_watch_destroy(invariants->watches[i]);
    map_destroy(invariants->claims, free_claim_record);
    map_destroy(invariants->pools, free_pool_record);
    map_destroy(invariants->nodes, free);
    map_destroy(invariants->pods, free_pod_record);
    map_destroy(invariants->apps, free_app_record);
    map_destroy(invariants->commands, free_command_record);
    map_destroy(invariants->holders, free_holder);
    map_destroy(invariants->orphans, free);
    map_destroy(invariants->budgets, free);
    map_destroy(invariants->stopping, NULL);
    map_destroy(invariants->owed, free_owed);
    vector_free(&invariants->savings);
    map_destroy(invariants->machines, free_machine_record);
    map_destroy(invariants->occupants, free_occupants);
    map_destroy(invariants->accused, NULL);
    vector_free(&invariants->leaving);
    free(invariants);
}

// --- actions of the test -------------------------------------------------------------------------

void invariants_blind(struct invariants *invariants, bool blind)
{
    invariants->sees_since_ns = blind ? INT64_MAX : now_ns(invariants);
    invariants->meddled_ns = now_ns(invariants);
}

void invariants_restarts(struct invariants *invariants)
{
    invariants->meddled_ns = now_ns(invariants);
    for (struct map_entry *e = map_first(invariants->commands); e != NULL; e = map_next(e))
        ((struct command_record *)map_value(e))->age_ns = 0;
}

void invariants_machine_vanishes(struct invariants *invariants, const char *claim_uid)
{
    claim_record(invariants, claim_uid)->vanished = true;
    invariants->meddled_ns = now_ns(invariants);
}

void invariants_clock_jumps(struct invariants *invariants, int64_t nanoseconds)
{
    invariants->clock_slack_ns += llabs(nanoseconds);
    invariants->jumped_ns = now_ns(invariants);
}

void invariants_prices_change(struct invariants *invariants)
{
    invariants->repriced_ns = now_ns(invariants);
}

// --- actions of the controller -------------------------------------------------------------------

void invariants_before_request(struct invariants *invariants, const struct kube_request *request)
{
    struct target target;
    if ((request->verb != KUBE_CREATE && request->verb != KUBE_DELETE) ||
        invariants->simulation == NULL || !read_target(request, &target))
        return;
    if (takes_pod(request, &target))
        before_pod(invariants, request, &target);
    else if (request->verb == KUBE_DELETE && strcmp(target.plural, "nodeclaims") == 0)
        before_claim_deletion(invariants, &target);
}

void invariants_after_request(struct invariants *invariants, const struct kube_request *request)
{
    struct target target;
    if ((request->verb == KUBE_CREATE || request->verb == KUBE_DELETE) &&
        invariants->simulation != NULL && read_target(request, &target) &&
        takes_pod(request, &target))
        after_pod(invariants, request, &target);
}

// --- the store -----------------------------------------------------------------------------------

static void on_claim(void *context, const char *type, json_t *claim)
{
    note_claim_event(context, type, claim);
    on_holder(context, type, claim, "NodeClaim", text_at(claim, "status.providerID"));
}

static void on_node(void *context, const char *type, json_t *node)
{
    note_node_event(context, type, node);
    on_holder(context, type, node, "Node", text_at(node, "spec.providerID"));
}

static void on_pod(void *context, const char *type, json_t *pod)
{
    note_pod_event(context, type, pod);
}

void invariants_step(struct invariants *invariants)
{
    uint64_t version = store_version(invariants->store);
    check_stopping(invariants);
    check_begun(invariants);
    if (version != invariants->seen_version)
        sample_budgets(invariants);
    invariants->seen_version = version;
    int64_t passed_ns = now_ns(invariants) - invariants->looked_ns;
    if (passed_ns < LOOK_NS)
        return;
    invariants->looked_ns = now_ns(invariants);
    check_orphans(invariants, passed_ns);
    check_savings(invariants, passed_ns);
    if (now_ns(invariants) - invariants->commands_ns >= COMMANDS_NS) {
        check_commands(invariants, now_ns(invariants) - invariants->commands_ns);
        invariants->commands_ns = now_ns(invariants);
    }
    count_nodes(invariants);
    check_overruns(invariants);
    forget_old_pods(invariants);
}

// --- 8: settling ---------------------------------------------------------------------------------

static bool pod_settled(void *context, json_t *pod)
{
    struct error *why = context;
    const char *name = store_name(pod);
    if (is_deleting(pod))
        return error_set(why, ERROR_INTERNAL, "pod %s is being deleted", name);
    if (has_ended(pod) || is_owned_by(pod, "DaemonSet"))
        return true;
    if (text_at(pod, "spec.nodeName") == NULL)
        return error_set(why, ERROR_INTERNAL, "pod %s waits for a node", name);
    if (!condition_is(pod, "Ready", "True"))
        return error_set(why, ERROR_INTERNAL, "pod %s does not run on %s", name,
                         text_at(pod, "spec.nodeName"));
    return true;
}

static bool claim_settled(void *context, json_t *claim)
{
    struct error *why = context;
    const char *name = store_name(claim);
    if (is_deleting(claim))
        return error_set(why, ERROR_INTERNAL, "NodeClaim %s is being deleted", name);
    if (!condition_is(claim, "Initialized", "True"))
        return error_set(why, ERROR_INTERNAL, "NodeClaim %s is not initialized", name);
    if (condition_is(claim, "DisruptionReason", "True"))
        return error_set(why, ERROR_INTERNAL, "NodeClaim %s is to be disrupted", name);
    return true;
}

static bool node_settled(void *context, json_t *node)
{
    struct error *why = context;
    if (is_deleting(node))
        return error_set(why, ERROR_INTERNAL, "Node %s is being deleted", store_name(node));
    if (!condition_is(node, "Ready", "True"))
        return error_set(why, ERROR_INTERNAL, "Node %s is not ready", store_name(node));
    if (is_tainted(node))
        return error_set(why, ERROR_INTERNAL, "Node %s is tainted as disrupted", store_name(node));
    if (is_awaiting_pods(node))
        return error_set(why, ERROR_INTERNAL, "Node %s is closed", store_name(node));
    if (annotation_of(node, MARK) != NULL)
        return error_set(why, ERROR_INTERNAL, "Node %s bears a command's mark", store_name(node));
    return true;
}

bool invariants_unsettled(struct invariants *invariants, struct error *why)
{
    *why = (struct error){0};
    store_each(invariants->store, resource(invariants, "v1", "Pod"), NULL, pod_settled, why);
    if (why->kind == ERROR_NONE)
        store_each(invariants->store, claims_of(invariants), NULL, claim_settled, why);
    if (why->kind == ERROR_NONE)
        store_each(invariants->store, resource(invariants, "v1", "Node"), NULL, node_settled, why);
    uint32_t machines = sim_instances_count(simulation_park(invariants->simulation));
    uint32_t claims = store_count(invariants->store, claims_of(invariants));
    if (why->kind == ERROR_NONE && machines != claims)
        error_set(why, ERROR_INTERNAL, "%u machines for %u NodeClaims", machines, claims);
    return why->kind != ERROR_NONE;
}

// The hourly memory in NodePools is no change of the cluster.
static bool add_pool(void *context, json_t *pool)
{
    uint64_t *sum = context;
    char *status = json_dumps(store_path(pool, "status"), JSON_SORT_KEYS | JSON_ENCODE_ANY);
    *sum = hash_mix(*sum, hash_string(status != NULL ? status : ""));
    *sum += (uint64_t)json_integer_value(store_path(pool, "metadata.generation"));
    free(status);
    return true;
}

static bool add_version(void *context, json_t *object)
{
    uint64_t *sum = context;
    const char *version = text_at(object, "metadata.resourceVersion");
    *sum = *sum * UINT64_C(1099511628211) + strtoull(version != NULL ? version : "0", NULL, 10) + 1;
    return true;
}

uint64_t invariants_signature(struct invariants *invariants)
{
    uint32_t count;
    uint64_t sum = 14695981039346656037U;
    const struct store_resource *resources = store_resources(invariants->store, &count);
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(resources[i].kind, "Event") != 0 && strcmp(resources[i].kind, "Lease") != 0)
            store_each(invariants->store, &resources[i], NULL,
                       strcmp(resources[i].kind, "NodePool") == 0 ? add_pool : add_version, &sum);
    return sum;
}
