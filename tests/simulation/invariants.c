#include "simulation/invariants.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/duration.h"
#include "base/map.h"
#include "base/text.h"
#include "base/vector.h"
#include "model/karpenter.h"

#define STALE_NS (15 * SECOND) // how old what the controller believes of a NodePool may be

struct claim_record {  // of a NodeClaim, by UID, for good
    char *provider_id; // of the machine that it launched
    bool vanished;     // that machine was taken away by the test
    int64_t seen_ns;   // monotonic
    bool voluntary;    // deleted by voluntary disruption
};

struct pool_record { // by name
    char uid[40];
    int64_t generation, changed_ns;
    uint32_t nodes_now, nodes_before, nodes_most; // NodeClaims: in this and the last half minute
    int64_t window_ns;
};

struct holder { // of a finalizer: a NodeClaim or a Node
    char *provider_id;
};

struct budget_sample { // of a PodDisruptionBudget after the last step
    int64_t healthy, desired, evicted;
};

struct target { // what a request is about; points into the path
    char path[400];
    const char *namespace, *plural, *name, *subresource;
};

struct invariants {
    struct invariants_options options;
    struct simulation *simulation;
    struct store *store;
    struct map *claims, *pools, *holders, *orphans, *budgets, *stopping;
    struct store_watch *watches[2];
    int64_t clock_slack_ns, sees_since_ns; // monotonic; INT64_MAX: cut off
    uint64_t seen_version;
    bool pod_was_there, pod_was_healthy; // before the request under way
    struct invariants_counts counts;
    struct error violation;
};

static void violate(struct invariants *invariants, const char *format, ...) PRINTF_LIKE(2, 3);
static void on_claim(void *context, const char *type, json_t *claim);
static void on_node(void *context, const char *type, json_t *node);

static void violate(struct invariants *invariants, const char *format, ...)
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
    sum->empty_nodes += counts->empty_nodes;
    sum->terminations += counts->terminations;
    sum->finalizers += counts->finalizers;
    sum->orphans += counts->orphans;
}

// --- life
// --------------------------------------------------------------------------------------------

struct invariants *invariants_create(const struct invariants_options *options)
{
    struct invariants *invariants = memory_allocate(sizeof *invariants);
    invariants->options = *options;
    invariants->claims = map_create();
    invariants->pools = map_create();
    invariants->holders = map_create();
    invariants->orphans = map_create();
    invariants->budgets = map_create();
    invariants->stopping = map_create();
    return invariants;
}

static const struct store_resource *resource(const struct invariants *invariants,
                                             const char *api_version, const char *kind)
{
    return store_resource_of_kind(invariants->store, api_version, kind);
}

static const struct store_resource *claims_of(const struct invariants *invariants)
{
    return resource(invariants, "karpenter.sh/v1", "NodeClaim");
}

void invariants_watch(struct invariants *invariants, struct simulation *simulation)
{
    struct error error = {0};
    invariants->simulation = simulation;
    invariants->store = simulation_store(simulation);
    invariants->watches[0] = store_watch_create(invariants->store, claims_of(invariants), NULL, 0,
                                                on_claim, invariants, &error);
    invariants->watches[1] =
        store_watch_create(invariants->store, resource(invariants, "v1", "Node"), NULL, 0, on_node,
                           invariants, &error);
    if (error.kind != ERROR_NONE)
        violate(invariants, "cannot watch: %s", error.message);
}

static void free_claim(void *value)
{
    free(((struct claim_record *)value)->provider_id);
    free(value);
}

static void free_holder(void *value)
{
    free(((struct holder *)value)->provider_id);
    free(value);
}

void invariants_destroy(struct invariants *invariants)
{
    for (size_t i = 0; i < ARRAY_LENGTH(invariants->watches); i++)
        if (invariants->watches[i] != NULL)
            store_watch_destroy(invariants->watches[i]);
    map_destroy(invariants->claims, free_claim);
    map_destroy(invariants->pools, free);
    map_destroy(invariants->holders, free_holder);
    map_destroy(invariants->orphans, free);
    map_destroy(invariants->budgets, free);
    map_destroy(invariants->stopping, NULL);
    free(invariants);
}

// --- readings
// ----------------------------------------------------------------------------------------

static const char *text_at(const json_t *object, const char *path)
{
    return json_string_value(store_path(object, path));
}

static const char *label_of(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(store_path(object, "metadata.labels"), key));
}

static bool is_deleting(const json_t *object)
{
    return store_path(object, "metadata.deletionTimestamp") != NULL;
}

static const json_t *condition_of(const json_t *object, const char *type)
{
    size_t i;
    json_t *condition;
    json_array_foreach (store_path(object, "status.conditions"), i, condition)
        if (text_equal(json_string_value(json_object_get(condition, "type")), type))
            return condition;
    return NULL;
}

static bool condition_is(const json_t *object, const char *type, const char *status)
{
    const json_t *condition = condition_of(object, type);
    return condition != NULL &&
           text_equal(json_string_value(json_object_get(condition, "status")), status);
}

static bool has_ended(const json_t *pod)
{
    const char *phase = text_at(pod, "status.phase");
    return text_equal(phase, "Succeeded") || text_equal(phase, "Failed");
}

static bool is_healthy(const json_t *pod)
{
    return !is_deleting(pod) && !has_ended(pod) && condition_is(pod, "Ready", "True");
}

static bool is_owned_by(const json_t *object, const char *kind)
{
    size_t i;
    json_t *owner;
    json_array_foreach (store_path(object, "metadata.ownerReferences"), i, owner)
        if (text_equal(json_string_value(json_object_get(owner, "kind")), kind))
            return true;
    return false;
}

static bool has_finalizer(const json_t *object)
{
    size_t i;
    json_t *finalizer;
    json_array_foreach (store_path(object, "metadata.finalizers"), i, finalizer)
        if (text_equal(json_string_value(finalizer), FINALIZER_TERMINATION))
            return true;
    return false;
}

static int64_t now_ns(const struct invariants *invariants)
{
    return loop_monotonic_ns(invariants->options.loop);
}

static struct claim_record *claim_record(struct invariants *invariants, const char *uid)
{
    struct claim_record *record = map_get(invariants->claims, uid);
    if (record == NULL) {
        record = memory_allocate(sizeof *record);
        record->seen_ns = now_ns(invariants);
        map_set(invariants->claims, uid, record);
    }
    return record;
}

// "/api/v1/namespaces/NS/pods/NAME/eviction", "/apis/GROUP/VERSION/PLURAL/NAME".
static bool read_target(const struct kube_request *request, struct target *target)
{
    char *part[10] = {0}, *rest = NULL;
    size_t count = 0;
    if (strlen(request->path) >= sizeof target->path)
        return false;
    strcpy(target->path, request->path);
    for (char *word = strtok_r(target->path, "/", &rest); word != NULL && count < 10;
         word = strtok_r(NULL, "/", &rest))
        part[count++] = word;
    size_t at = count > 0 && strcmp(part[0], "api") == 0 ? 2 : 3;
    target->namespace = "";
    if (at + 2 < count && strcmp(part[at], "namespaces") == 0) {
        target->namespace = part[at + 1];
        at += 2;
    }
    if (at >= 9)
        return false;
    target->plural = part[at];
    target->name = part[at + 1];
    target->subresource = at + 2 < 10 ? part[at + 2] : NULL;
    return target->plural != NULL && target->name != NULL;
}

// --- 3: pods and their budgets
// -----------------------------------------------------------------------

struct tally { // of the pods that a PodDisruptionBudget of the test's worlds selects: by label app
    const char *app;
    int64_t healthy;
};

static bool tally_pod(void *context, json_t *pod)
{
    struct tally *tally = context;
    if (text_equal(label_of(pod, "app"), tally->app) && is_healthy(pod))
        tally->healthy++;
    return true;
}

static int64_t wanted_replicas(const struct invariants *invariants, const char *app)
{
    json_t *deployment =
        store_get(invariants->store, resource(invariants, "apps/v1", "Deployment"), "default", app);
    return deployment != NULL ? json_integer_value(store_path(deployment, "spec.replicas")) : 0;
}

static int64_t share(const json_t *value, int64_t total)
{
    if (json_is_integer(value))
        return json_integer_value(value);
    return (atoi(json_string_value(value)) * total + 99) / 100;
}

static struct budget_sample look_at_budget(const struct invariants *invariants,
                                           const json_t *budget)
{
    struct tally tally = {.app = text_at(budget, "spec.selector.matchLabels.app")};
    int64_t total = wanted_replicas(invariants, tally.app);
    const json_t *least = store_path(budget, "spec.minAvailable");
    const json_t *most = store_path(budget, "spec.maxUnavailable");
    store_each(invariants->store, resource(invariants, "v1", "Pod"), "default", tally_pod, &tally);
    return (struct budget_sample){.healthy = tally.healthy,
                                  .desired = least != NULL  ? share(least, total)
                                             : most != NULL ? total - share(most, total)
                                                            : 0};
}

static bool sample_budget(void *context, json_t *budget)
{
    struct invariants *invariants = context;
    struct budget_sample *sample = map_get(invariants->budgets, store_name(budget));
    if (sample == NULL) {
        sample = memory_allocate(sizeof *sample);
        map_set(invariants->budgets, store_name(budget), sample);
    }
    *sample = look_at_budget(invariants, budget);
    return true;
}

struct loss { // of a pod to the controller
    struct invariants *invariants;
    const char *pod, *app;
};

// The budget may have changed with the world in the moment between its last count and the eviction:
// what counted then counts too.
static bool budget_bears(void *context, json_t *budget)
{
    struct loss *loss = context;
    struct invariants *invariants = loss->invariants;
    if (!text_equal(text_at(budget, "spec.selector.matchLabels.app"), loss->app))
        return true;
    struct budget_sample now = look_at_budget(invariants, budget);
    struct budget_sample *before = map_get(invariants->budgets, store_name(budget));
    if (before != NULL)
        before->evicted++;
    bool bore = before != NULL && before->healthy - before->evicted >= before->desired;
    if (now.healthy < now.desired && !bore)
        violate(
            invariants,
            "pod %s was taken away although PodDisruptionBudget %s asks for %lld healthy pods and "
            "only %lld are left",
            loss->pod, store_name(budget), (long long)now.desired, (long long)now.healthy);
    return true;
}

static json_t *find_pod(const struct invariants *invariants, const struct target *target)
{
    return store_get(invariants->store, resource(invariants, "v1", "Pod"), target->namespace,
                     target->name);
}

static bool takes_pod(const struct kube_request *request, const struct target *target)
{
    bool evicts = request->verb == KUBE_CREATE && text_equal(target->subresource, "eviction");
    return strcmp(target->plural, "pods") == 0 && (evicts || request->verb == KUBE_DELETE);
}

struct claim_search {
    const char *provider_id;
    json_t *claim;
};

static bool match_claim(void *context, json_t *claim)
{
    struct claim_search *search = context;
    if (text_equal(text_at(claim, "status.providerID"), search->provider_id))
        search->claim = claim;
    return search->claim == NULL;
}

// LIF-121: whether the node's deadline is so near that the grace period would not end in time.
static bool is_due(struct invariants *invariants, const char *provider_id, int64_t grace_seconds)
{
    struct claim_search search = {.provider_id = provider_id};
    struct error error = {0};
    int64_t deadline = 0;
    store_each(invariants->store, claims_of(invariants), NULL, match_claim, &search);
    const char *text =
        search.claim != NULL
            ? json_string_value(json_object_get(store_path(search.claim, "metadata.annotations"),
                                                ANNOTATION_TERMINATION_TIMESTAMP))
            : NULL;
    return text != NULL && instant_parse(text, &deadline, &error) &&
           loop_now_ns(invariants->options.loop) + grace_seconds * SECOND +
                   invariants->clock_slack_ns + SECOND >=
               deadline;
}

// A pod whose Node is gone runs nowhere: that it is deleted hurts nobody.
static void check_deletion_is_due(struct invariants *invariants, const json_t *pod)
{
    const char *node_name = text_at(pod, "spec.nodeName");
    json_t *node =
        node_name != NULL
            ? store_get(invariants->store, resource(invariants, "v1", "Node"), NULL, node_name)
            : NULL;
    int64_t grace_seconds =
        json_integer_value(store_path(pod, "spec.terminationGracePeriodSeconds"));
    if (node != NULL && !is_due(invariants, text_at(node, "spec.providerID"), grace_seconds))
        violate(invariants, "pod %s was deleted, not evicted, and its node %s has no such deadline",
                store_name(pod), node_name);
}

static void before_pod(struct invariants *invariants, const struct kube_request *request,
                       const struct target *target)
{
    json_t *pod = find_pod(invariants, target);
    invariants->pod_was_there = pod != NULL && !is_deleting(pod);
    invariants->pod_was_healthy = pod != NULL && is_healthy(pod);
    if (request->verb != KUBE_DELETE || !invariants->pod_was_there || has_ended(pod))
        return;
    invariants->counts.deletions++;
    check_deletion_is_due(invariants, pod);
}

static void after_pod(struct invariants *invariants, const struct kube_request *request,
                      const struct target *target)
{
    json_t *pod = find_pod(invariants, target);
    bool taken = invariants->pod_was_there && (pod == NULL || is_deleting(pod));
    invariants->counts.evictions += taken && request->verb == KUBE_CREATE;
    if (request->verb == KUBE_DELETE || !taken || !invariants->pod_was_healthy || pod == NULL)
        return;
    struct loss loss = {invariants, target->name, label_of(pod, "app")};
    if (loss.app != NULL)
        store_each(invariants->store, resource(invariants, "policy/v1", "PodDisruptionBudget"),
                   target->namespace, budget_bears, &loss);
}

// --- 3: nodes and their pools' budgets
// ---------------------------------------------------------------

struct node_search {
    const char *provider_id, *found;
};

static bool match_node(void *context, json_t *node)
{
    struct node_search *search = context;
    if (text_equal(text_at(node, "spec.providerID"), search->provider_id) &&
        (search->found == NULL || !text_ends_with(store_name(node), "-again")))
        search->found = store_name(node);
    return true;
}

struct occupancy {
    const char *node;
    const json_t *pod; // one that the node's disruption would hurt
};

static bool find_occupant(void *context, json_t *pod)
{
    struct occupancy *occupancy = context;
    if (text_equal(text_at(pod, "spec.nodeName"), occupancy->node) && !is_deleting(pod) &&
        !has_ended(pod) && !is_owned_by(pod, "DaemonSet"))
        occupancy->pod = pod;
    return occupancy->pod == NULL;
}

static bool is_faithful(const struct invariants *invariants)
{
    return invariants->options.faithful_watches && now_ns(invariants) > invariants->sees_since_ns &&
           now_ns(invariants) - invariants->sees_since_ns > STALE_NS;
}

void invariants_blind(struct invariants *invariants, bool blind)
{
    invariants->sees_since_ns = blind ? INT64_MAX : now_ns(invariants);
}

// The least of the NodePool's budgets for Empty; the test's worlds have none with a schedule.
static int64_t allowed_by(const json_t *pool, int64_t nodes)
{
    int64_t allowed = INT64_MAX;
    size_t i, j;
    json_t *budget, *reason;
    json_array_foreach (store_path(pool, "spec.disruption.budgets"), i, budget) {
        const json_t *reasons = json_object_get(budget, "reasons");
        bool applies = reasons == NULL;
        json_array_foreach (reasons, j, reason)
            applies = applies || text_equal(json_string_value(reason), "Empty");
        const char *share_text = json_string_value(json_object_get(budget, "nodes"));
        int64_t value = atoi(share_text);
        if (strchr(share_text, '%') != NULL)
            value = (value * nodes + 99) / 100;
        if (applies && value < allowed)
            allowed = value;
    }
    return allowed;
}

struct under_way {
    struct invariants *invariants;
    const char *pool;
    int64_t count;
};

static bool count_voluntary(void *context, json_t *claim)
{
    struct under_way *under_way = context;
    const struct claim_record *record = map_get(under_way->invariants->claims, store_uid(claim));
    // DIS-125: nodes whose instance is on its way out are counted no more.
    if (record != NULL && record->voluntary && is_deleting(claim) &&
        !condition_is(claim, "InstanceTerminating", "True") &&
        text_equal(label_of(claim, LABEL_NODE_POOL), under_way->pool))
        under_way->count++;
    return true;
}

// An expired one goes by force, whatever else was planned for it.
static bool is_expired(const struct invariants *invariants, const json_t *claim)
{
    const char *after = text_at(claim, "spec.expireAfter");
    int64_t created = 0, nanoseconds = 0;
    struct error error = {0};
    return after != NULL && duration_parse(after, &nanoseconds, &error) &&
           instant_parse(text_at(claim, "metadata.creationTimestamp"), &created, &error) &&
           loop_now_ns(invariants->options.loop) + SECOND >= created + nanoseconds;
}

static void check_budget_of_pool(struct invariants *invariants, const json_t *claim)
{
    const char *pool_name = label_of(claim, LABEL_NODE_POOL);
    json_t *pool =
        pool_name != NULL
            ? store_get(invariants->store, resource(invariants, "karpenter.sh/v1", "NodePool"),
                        NULL, pool_name)
            : NULL;
    const struct pool_record *record = pool != NULL ? map_get(invariants->pools, pool_name) : NULL;
    if (record == NULL || now_ns(invariants) - record->changed_ns < STALE_NS)
        return;
    struct under_way under_way = {.invariants = invariants, .pool = pool_name};
    store_each(invariants->store, claims_of(invariants), NULL, count_voluntary, &under_way);
    uint32_t nodes =
        record->nodes_most > record->nodes_before ? record->nodes_most : record->nodes_before;
    int64_t allowed = allowed_by(pool, nodes);
    if (under_way.count + 1 > allowed)
        violate(
            invariants,
            "NodeClaim %s is the %lldth of NodePool %s to be disrupted at once, of %u; its budgets "
            "allow %lld",
            store_name(claim), (long long)under_way.count + 1, pool_name, nodes,
            (long long)allowed);
}

// A NodeClaim with the reason Empty that is not on its way out is being deleted: voluntary
// disruption.
static void before_claim_deletion(struct invariants *invariants, const struct target *target)
{
    json_t *claim = store_get(invariants->store, claims_of(invariants), NULL, target->name);
    const json_t *reason = claim != NULL ? condition_of(claim, "DisruptionReason") : NULL;
    if (claim == NULL || is_deleting(claim) || is_expired(invariants, claim) || reason == NULL ||
        !text_equal(json_string_value(json_object_get(reason, "status")), "True") ||
        !text_equal(json_string_value(json_object_get(reason, "reason")), "Empty"))
        return;
    struct node_search search = {.provider_id = text_at(claim, "status.providerID")};
    store_each(invariants->store, resource(invariants, "v1", "Node"), NULL, match_node, &search);
    json_t *node =
        search.found != NULL
            ? store_get(invariants->store, resource(invariants, "v1", "Node"), NULL, search.found)
            : NULL;
    if (node == NULL || is_deleting(node) ||
        machine_park_find(simulation_park(invariants->simulation), search.provider_id) == NULL)
        return;
    invariants->counts.empty_nodes++;
    check_budget_of_pool(invariants, claim);
    claim_record(invariants, store_uid(claim))->voluntary = true;
    struct occupancy occupancy = {.node = search.found};
    store_each(invariants->store, resource(invariants, "v1", "Pod"), NULL, find_occupant,
               &occupancy);
    if (occupancy.pod != NULL && is_faithful(invariants))
        violate(invariants, "node %s is disrupted as empty, but pod %s runs there", search.found,
                store_name(occupancy.pod));
}

// Pods that run on a machine as it is told to stop would lose it unasked.
static void check_drained(struct invariants *invariants, const struct park_machine *machine)
{
    struct node_search search = {.provider_id = machine->facts.provider_id};
    store_each(invariants->store, resource(invariants, "v1", "Node"), NULL, match_node, &search);
    struct occupancy occupancy = {.node = search.found};
    if (search.found == NULL)
        return;
    invariants->counts.terminations++;
    store_each(invariants->store, resource(invariants, "v1", "Pod"), NULL, find_occupant,
               &occupancy);
    if (occupancy.pod != NULL && is_healthy(occupancy.pod) && is_faithful(invariants) &&
        !is_due(invariants, search.provider_id, 0))
        violate(invariants, "machine %s is terminated while pod %s runs on %s", search.provider_id,
                store_name(occupancy.pod), search.found);
}

static void check_stopping(struct invariants *invariants)
{
    struct machine_park *park = simulation_park(invariants->simulation);
    const struct park_machine *machine;
    for (uint32_t i = 0; (machine = machine_park_at(park, i)) != NULL; i++) {
        if (machine->phase != MACHINE_STOPPING ||
            map_get(invariants->stopping, machine->facts.provider_id) != NULL)
            continue;
        map_set(invariants->stopping, machine->facts.provider_id, invariants);
        check_drained(invariants, machine);
    }
}

// --- requests
// ----------------------------------------------------------------------------------------

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

// --- 1, 2: launches
// ----------------------------------------------------------------------------------

struct uid_search {
    const char *uid;
    json_t *claim;
};

static bool match_uid(void *context, json_t *claim)
{
    struct uid_search *search = context;
    if (text_equal(store_uid(claim), search->uid))
        search->claim = claim;
    return search->claim == NULL;
}

static json_t *claim_of_uid(const struct invariants *invariants, const char *uid)
{
    struct uid_search search = {.uid = uid};
    store_each(invariants->store, claims_of(invariants), NULL, match_uid, &search);
    return search.claim;
}

// Of the worlds' limits: whole cpu, or memory in Gi.
static int64_t limit_value(const char *name, const char *text)
{
    return strcmp(name, "cpu") == 0 ? atoi(text) * INT64_C(1000) : atoi(text) * (INT64_C(1) << 30);
}

// SCH-360: what is marked for deletion does not count, its capacity is free for replacements.
static bool counts_for_limits(const json_t *claim, const char *pool)
{
    return claim != NULL && text_equal(label_of(claim, LABEL_NODE_POOL), pool) &&
           !is_deleting(claim) && !condition_is(claim, "DisruptionReason", "True");
}

static int64_t used_of(const struct invariants *invariants, const char *pool, const char *name)
{
    struct machine_park *park = simulation_park(invariants->simulation);
    const struct park_machine *machine;
    int64_t used = 0;
    for (uint32_t i = 0; (machine = machine_park_at(park, i)) != NULL; i++) {
        json_t *claim = machine->phase == MACHINE_RUNNING
                            ? claim_of_uid(invariants, machine->facts.node_claim_uid)
                            : NULL;
        if (counts_for_limits(claim, pool))
            used += resource_map_get(&machine->facts.capacity, name);
    }
    return used;
}

static void check_limits(struct invariants *invariants, const json_t *claim,
                         const struct claim_record *claim_record)
{
    const char *pool_name = label_of(claim, LABEL_NODE_POOL), *name;
    json_t *limit;
    json_t *pool =
        pool_name != NULL
            ? store_get(invariants->store, resource(invariants, "karpenter.sh/v1", "NodePool"),
                        NULL, pool_name)
            : NULL;
    const struct pool_record *record = pool != NULL ? map_get(invariants->pools, pool_name) : NULL;
    if (record == NULL || record->changed_ns + STALE_NS > claim_record->seen_ns)
        return;
    json_object_foreach (store_path(pool, "spec.limits"), name, limit) {
        int64_t most = limit_value(name, json_string_value(limit));
        int64_t used = used_of(invariants, pool_name, name);
        if (used > most)
            violate(invariants, "NodePool %s exceeds its limit of %s %s by the launch of %s: %lld",
                    pool_name, json_string_value(limit), name, store_name(claim), (long long)used);
    }
}

void invariants_machine_launched(struct invariants *invariants, const struct park_machine *machine)
{
    const char *uid = machine->facts.node_claim_uid;
    struct claim_record *record = claim_record(invariants, uid);
    if (record->provider_id != NULL && !record->vanished)
        violate(invariants, "NodeClaim %s has got a second machine %s after %s",
                machine->facts.node_claim_name, machine->facts.provider_id, record->provider_id);
    free(record->provider_id);
    record->provider_id = memory_copy_string(machine->facts.provider_id);
    record->vanished = false;
    invariants->counts.launches++;
    json_t *claim = claim_of_uid(invariants, uid);
    if (claim != NULL)
        check_limits(invariants, claim, record);
}

void invariants_machine_vanishes(struct invariants *invariants, const char *claim_uid)
{
    claim_record(invariants, claim_uid)->vanished = true;
}

void invariants_clock_jumps(struct invariants *invariants, int64_t nanoseconds)
{
    invariants->clock_slack_ns += llabs(nanoseconds);
}

// --- 6: finalizers
// -----------------------------------------------------------------------------------

static void on_holder(struct invariants *invariants, const char *type, const json_t *object,
                      const char *kind, const char *provider_id)
{
    struct holder *holder = map_get(invariants->holders, store_uid(object));
    bool held = strcmp(type, "DELETED") != 0 && has_finalizer(object);
    if (held && holder == NULL) {
        holder = memory_allocate(sizeof *holder);
        map_set(invariants->holders, store_uid(object), holder);
    }
    if (holder != NULL && provider_id != NULL && holder->provider_id == NULL)
        holder->provider_id = memory_copy_string(provider_id);
    if (held || holder == NULL)
        return;
    struct machine_park *park = simulation_park(invariants->simulation);
    invariants->counts.finalizers += holder->provider_id != NULL;
    if (holder->provider_id != NULL && machine_park_find(park, holder->provider_id) != NULL)
        violate(invariants, "%s %s has lost its finalizer while its machine %s is still there",
                kind, store_name(object), holder->provider_id);
    map_remove(invariants->holders, store_uid(object));
    free_holder(holder);
}

static void on_claim(void *context, const char *type, json_t *claim)
{
    struct invariants *invariants = context;
    claim_record(invariants, store_uid(claim));
    on_holder(invariants, type, claim, "NodeClaim", text_at(claim, "status.providerID"));
}

static void on_node(void *context, const char *type, json_t *node)
{
    on_holder(context, type, node, "Node", text_at(node, "spec.providerID"));
}

// --- every step
// --------------------------------------------------------------------------------------

static bool note_claim(void *context, json_t *claim)
{
    struct invariants *invariants = context;
    const char *pool = label_of(claim, LABEL_NODE_POOL);
    struct pool_record *record = pool != NULL ? map_get(invariants->pools, pool) : NULL;
    if (record != NULL)
        record->nodes_now++;
    return true;
}

static bool note_pool(void *context, json_t *pool)
{
    struct invariants *invariants = context;
    struct pool_record *record = map_get(invariants->pools, store_name(pool));
    int64_t generation = json_integer_value(store_path(pool, "metadata.generation"));
    if (record == NULL) {
        record = memory_allocate(sizeof *record);
        map_set(invariants->pools, store_name(pool), record);
    }
    if (record->generation != generation || strcmp(record->uid, store_uid(pool)) != 0)
        record->changed_ns = now_ns(invariants);
    record->generation = generation;
    snprintf(record->uid, sizeof record->uid, "%s", store_uid(pool));
    record->nodes_now = 0;
    return true;
}

static void count_nodes(struct invariants *invariants)
{
    store_each(invariants->store, resource(invariants, "karpenter.sh/v1", "NodePool"), NULL,
               note_pool, invariants);
    store_each(invariants->store, claims_of(invariants), NULL, note_claim, invariants);
    for (struct map_entry *e = map_first(invariants->pools); e != NULL; e = map_next(e)) {
        struct pool_record *record = map_value(e);
        if (now_ns(invariants) - record->window_ns > 2 * STALE_NS) {
            record->nodes_before = record->nodes_most;
            record->nodes_most = 0;
            record->window_ns = now_ns(invariants);
        }
        if (record->nodes_now > record->nodes_most)
            record->nodes_most = record->nodes_now;
    }
}

static bool note_uid(void *context, json_t *claim)
{
    map_set(context, store_uid(claim), claim);
    return true;
}

static void check_orphans(struct invariants *invariants, int64_t passed_ns)
{
    struct map *uids = map_create();
    const struct park_machine *machine;
    store_each(invariants->store, claims_of(invariants), NULL, note_uid, uids);
    struct machine_park *park = simulation_park(invariants->simulation);
    for (uint32_t i = 0; (machine = machine_park_at(park, i)) != NULL; i++) {
        const char *id = machine->facts.provider_id;
        int64_t *age = map_get(invariants->orphans, id);
        if (machine->phase != MACHINE_RUNNING ||
            map_get(uids, machine->facts.node_claim_uid) != NULL) {
            free(map_remove(invariants->orphans, id));
            continue;
        }
        if (age == NULL) {
            age = memory_allocate(sizeof *age);
            map_set(invariants->orphans, id, age);
            invariants->counts.orphans++;
        }
        *age += simulation_controller(invariants->simulation) != NULL ? passed_ns : 0;
        if (*age > invariants->options.orphan_age_max + invariants->clock_slack_ns)
            violate(invariants, "machine %s has been without its NodeClaim %s for %lld s", id,
                    machine->facts.node_claim_name, (long long)(*age / SECOND));
    }
    map_destroy(uids, NULL);
}

void invariants_step(struct invariants *invariants, int64_t passed_ns)
{
    uint64_t version = store_version(invariants->store);
    bool changed = version != invariants->seen_version;
    invariants->seen_version = version;
    check_stopping(invariants);
    if (changed || map_count(invariants->orphans) > 0)
        check_orphans(invariants, passed_ns);
    if (!changed)
        return;
    count_nodes(invariants);
    store_each(invariants->store, resource(invariants, "policy/v1", "PodDisruptionBudget"), NULL,
               sample_budget, invariants);
}

// --- 8: settling
// -------------------------------------------------------------------------------------

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
    if (is_deleting(claim))
        return error_set(why, ERROR_INTERNAL, "NodeClaim %s is being deleted", store_name(claim));
    if (!condition_is(claim, "Initialized", "True"))
        return error_set(why, ERROR_INTERNAL, "NodeClaim %s is not initialized", store_name(claim));
    return true;
}

static bool node_settled(void *context, json_t *node)
{
    struct error *why = context;
    size_t i;
    json_t *taint;
    if (is_deleting(node))
        return error_set(why, ERROR_INTERNAL, "Node %s is being deleted", store_name(node));
    if (!condition_is(node, "Ready", "True"))
        return error_set(why, ERROR_INTERNAL, "Node %s is not ready", store_name(node));
    json_array_foreach (store_path(node, "spec.taints"), i, taint)
        if (text_equal(json_string_value(json_object_get(taint, "key")), TAINT_DISRUPTED))
            return error_set(why, ERROR_INTERNAL, "Node %s is tainted as disrupted",
                             store_name(node));
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
    uint32_t machines = machine_park_count(simulation_park(invariants->simulation));
    uint32_t claims = store_count(invariants->store, claims_of(invariants));
    if (why->kind == ERROR_NONE && machines != claims)
        error_set(why, ERROR_INTERNAL, "%u machines for %u NodeClaims", machines, claims);
    return why->kind != ERROR_NONE;
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
            store_each(invariants->store, &resources[i], NULL, add_version, &sum);
    return sum;
}
