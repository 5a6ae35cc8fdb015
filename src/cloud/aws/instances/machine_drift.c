#include "cloud/aws/instances/machine_drift.h"

#include <assert.h>
#include <stdlib.h>

#include "base/nanoseconds.h"
#include "base/text.h"
#include "cloud/aws/instances/instance_drift.h"
#include "cloud/aws/instances/machine_answer.h"
#include "cloud/aws/instances/machine_types.h"
#include "model/reading/catalog.h"
#include "model/reading/claim_drift.h"

#define FRESH_NS        (30 * SECOND) // facts that settle a doubt
#define LOOK_AGAIN_NS   MINUTE        // after a failed look
#define LOOKUPS_AT_ONCE 500

struct lookup { // of an instance for drift
    struct aws_machines *machines;
    char *id, *claim; // of the instance; the NodeClaim's name
    bool in_flight;
    int64_t again_at; // monotonic
};

static void lookup_free(void *value)
{
    struct lookup *lookup = value;
    free(lookup->id);
    free(lookup->claim);
    free(lookup);
}

static void looked(void *context, const struct error *error, const struct aws_instance_facts *facts)
{
    struct lookup *lookup = context;
    struct aws_machines *machines = lookup->machines;
    int64_t now = loop_monotonic_ns(machines->environment.loop);
    CLEANUP_FREE char *claim = memory_copy_string(lookup->claim);
    assert(lookup->in_flight);
    lookup->in_flight = false;
    if (error->kind == ERROR_NONE) {
        instance_cache_put(machines->cache, facts, now);
        map_remove(machines->lookups, lookup->id);
        lookup_free(lookup);
    } else {
        lookup->again_at = ns_add(now, LOOK_AGAIN_NS);
    }
    if (error->kind == ERROR_NONE && machines->environment.drift_changed != NULL)
        machines->environment.drift_changed(machines->environment.context, claim);
}

// Those that were never found are forgotten when there are many.
static void forget_failed(struct aws_machines *machines, int64_t now)
{
    for (struct map_entry *entry = map_first(machines->lookups), *next; entry != NULL;
         entry = next) {
        struct lookup *lookup = map_value(entry);
        next = map_next(entry);
        if (lookup->in_flight || lookup->again_at > now)
            continue;
        map_remove(machines->lookups, lookup->id);
        lookup_free(lookup);
    }
}

static void look(struct aws_machines *machines, const char *id, const char *claim)
{
    int64_t now = loop_monotonic_ns(machines->environment.loop);
    if (map_count(machines->lookups) > LOOKUPS_AT_ONCE)
        forget_failed(machines, now);
    struct lookup *lookup = map_ensure(machines->lookups, id, sizeof *lookup);
    if (lookup->in_flight || lookup->again_at > now)
        return;
    if (lookup->id == NULL) {
        lookup->id = memory_copy_string(id);
        lookup->claim = memory_copy_string(claim);
        lookup->machines = machines;
    }
    lookup->in_flight = true;
    instance_calls_describe(machines->calls, id, looked, lookup);
}

static const struct ec2_node_class *class_of_pool(struct aws_machines *machines,
                                                  const struct node_claim *claim)
{
    const char *name = object_label((const struct object *)claim, LABEL_NODE_POOL);
    const struct node_pool *pool =
        name != NULL ? (const struct node_pool *)mirror_get(machines->environment.mirror,
                                                            KIND_NODE_POOL, NULL, name)
                     : NULL;
    const struct node_class_reference *reference =
        pool != NULL ? pool->spec.template.spec.node_class_ref : NULL;
    return reference != NULL ? usable_node_class(machines, reference->name) : NULL;
}

static void note(struct aws_machines *machines, const struct node_claim *claim,
                 struct cached_instance *cached, const struct drift_verdict *verdict)
{
    if (cached != NULL && !verdict->doubts_reservation && verdict->reason == NULL)
        cached->suspected_at = 0;
    if (cached != NULL && verdict->doubts_reservation && cached->suspected_at == 0)
        cached->suspected_at = loop_monotonic_ns(machines->environment.loop);
    if (verdict->needs_facts || verdict->doubts_reservation)
        look(machines, instance_id_of(claim->status.provider_id), claim->meta.name);
}

const char *machine_drift_reason(struct aws_machines *machines, const struct node_claim *claim)
{
    const struct aws_machines_environment *environment = &machines->environment;
    const struct ec2_node_class *node_class = class_of_pool(machines, claim);
    const char *id = instance_id_of(claim->status.provider_id);
    if (node_class == NULL || id == NULL)
        return NULL;
    if (claim_node_class_drifted(claim, (const struct object *)node_class))
        return "NodeClassDrift";
    struct cached_instance *cached = instance_cache_get(machines->cache, id);
    int64_t now = loop_monotonic_ns(environment->loop);
    struct drift_inputs inputs = {
        .claim = claim,
        .node_class = node_class,
        .facts = cached != NULL ? &cached->facts : NULL,
        .upstream = environment->settings->compatibility_upstream,
    };
    inputs.facts_are_fresh =
        cached != NULL &&
        ((cached->suspected_at != 0 && cached->fetched_at > cached->suspected_at) ||
         ns_subtract(now, cached->fetched_at) < FRESH_NS);
    inputs.group_state = placement_groups_of(environment->groups, node_class, &inputs.group);
    const struct instance_type_catalog *catalog =
        ec2_types_for(environment->types, node_class, NULL);
    if (catalog != NULL)
        inputs.type = instance_type_catalog_find(
            catalog, object_label((const struct object *)claim, LABEL_INSTANCE_TYPE));
    struct drift_verdict verdict = instance_drift(&inputs);
    note(machines, claim, cached, &verdict);
    object_release((const struct object *)catalog);
    return verdict.reason;
}

void machine_drift_create(struct aws_machines *machines)
{
    machines->lookups = map_create();
}

void machine_drift_destroy(struct aws_machines *machines)
{
    map_destroy(machines->lookups, lookup_free);
}
