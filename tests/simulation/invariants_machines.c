// Machines: their owners, their ends, and limits (invariants.h, 1, 2 and 6).
#include <stdlib.h>
#include <string.h>

#include "model/reading/catalog.h"
#include "simulation/invariants_internal.h"

struct holder { // of a finalizer: a NodeClaim or a Node
    char *provider_id;
};

// --- 3: pods on a machine that stops -------------------------------------------------------------

// A pod that runs there and is not terminating.
static const json_t *find_occupant(const struct invariants *invariants, const char *node_name)
{
    const struct occupants *occupants = occupants_of(invariants, node_name);
    for (uint32_t i = 0; occupants != NULL && i < occupants->pods.count; i++) {
        const json_t *pod = pod_of(invariants, occupants->pods.items[i]);
        if (pod != NULL && is_healthy(pod) && !is_owned_by(pod, "DaemonSet"))
            return pod;
    }
    return NULL;
}

// Pods still running on a machine at its termination would be lost without an eviction.
static void check_drained(struct invariants *invariants, const struct sim_instance *machine)
{
    const char *provider_id = machine->facts.provider_id;
    const char *node = node_of_machine(invariants, provider_id);
    if (node[0] == '\0')
        return;
    invariants->counts.terminations++;
    const json_t *pod = find_occupant(invariants, node);
    if (pod != NULL && is_faithful(invariants) && !is_due(invariants, provider_id, 0))
        violate(invariants, "machine %s is terminated while pod %s runs on %s", provider_id,
                store_name(pod), node);
}

void check_stopping(struct invariants *invariants)
{
    struct sim_instances *park = simulation_park(invariants->simulation);
    const struct sim_instance *machine;
    if (sim_instances_version(park) == invariants->park_version)
        return;
    invariants->park_version = sim_instances_version(park);
    for (uint32_t i = 0; (machine = sim_instances_at(park, i)) != NULL; i++) {
        if (machine->phase != MACHINE_STOPPING ||
            map_get(invariants->stopping, machine->facts.provider_id) != NULL)
            continue;
        map_set(invariants->stopping, machine->facts.provider_id, invariants);
        check_drained(invariants, machine);
    }
}

// --- 1, 2: launches ------------------------------------------------------------------------------

// Of the worlds' limits: whole cpu, or memory in Gi.
static int64_t limit_value(const char *name, const char *text)
{
    return strcmp(name, "cpu") == 0 ? atoi(text) * INT64_C(1000) : atoi(text) * (INT64_C(1) << 30);
}

// SCH-360, DIS-731: disrupted nodes do not count, their capacity is free for replacements.
static int64_t used_of_pool(const struct invariants *invariants, const struct pool_record *pool,
                            const char *resource)
{
    struct sim_instances *park = simulation_park(invariants->simulation);
    int64_t used = 0;
    vector_for_each (member, &pool->members) {
        const struct claim_record *claim = *member;
        const struct node_record *node =
            claim->node != NULL ? map_get(invariants->nodes, claim->node) : NULL;
        if (claim->deleting_ns != 0 || claim->named || (node != NULL && node->command[0] != '\0'))
            continue;
        const struct sim_instance *machine = sim_instances_find_claim(park, claim->uid);
        if (machine != NULL && machine->phase == MACHINE_RUNNING)
            used += resource_map_get(&machine->facts.capacity, resource);
    }
    return used;
}

static void check_limits(struct invariants *invariants, const json_t *claim,
                         const struct claim_record *claim_record)
{
    const char *pool_name = label_of(claim, LABEL_NODE_POOL), *name;
    json_t *limit, *pool = pool_of(invariants, claim);
    const struct pool_record *record = pool != NULL ? map_get(invariants->pools, pool_name) : NULL;
    if (record == NULL || record->changed_ns + STALE_NS > claim_record->seen_ns ||
        json_integer_value(store_path(pool, "metadata.generation")) != record->generation)
        return;
    json_object_foreach (store_path(pool, "spec.limits"), name, limit) {
        int64_t most = limit_value(name, json_string_value(limit));
        int64_t used = used_of_pool(invariants, record, name);
        if (used > most)
            violate(invariants, "NodePool %s exceeds its limit of %s %s by the launch of %s: %lld",
                    pool_name, json_string_value(limit), name, store_name(claim), (long long)used);
    }
}

void invariants_machine_launched(struct invariants *invariants, const struct sim_instance *machine)
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
    json_t *claim =
        store_get(invariants->store, claims_of(invariants), NULL, machine->facts.node_claim_name);
    if (claim != NULL && text_equal(store_uid(claim), uid))
        check_limits(invariants, claim, record);
}

int64_t list_price(const struct invariants *invariants, const char *instance_type, const char *zone,
                   const char *capacity_type)
{
    const struct instance_type_catalog *catalog =
        sim_instances_catalog(simulation_park(invariants->simulation));
    list_for_each (type, &catalog->spec.instance_types) {
        if (!text_equal(type->name, instance_type))
            continue;
        list_for_each (offering, &type->offerings) {
            const requirement_list *where = &offering->requirements;
            if (text_equal(requirement_single_value(where, LABEL_ZONE), zone) &&
                text_equal(requirement_single_value(where, LABEL_CAPACITY_TYPE), capacity_type))
                return offering->price;
        }
    }
    return 0;
}

// --- 6: finalizers -------------------------------------------------------------------------------

void free_holder(void *value)
{
    free(((struct holder *)value)->provider_id);
    free(value);
}

void on_holder(struct invariants *invariants, const char *type, const json_t *object,
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
    struct sim_instances *park = simulation_park(invariants->simulation);
    invariants->counts.finalizers += holder->provider_id != NULL;
    if (holder->provider_id != NULL && sim_instances_find(park, holder->provider_id) != NULL)
        violate(invariants, "%s %s has lost its finalizer while its machine %s is still there",
                kind, store_name(object), holder->provider_id);
    map_remove(invariants->holders, store_uid(object));
    free_holder(holder);
}

// --- 1: machines without NodeClaim ---------------------------------------------------------------

static bool has_claim(const struct invariants *invariants, const struct sim_instance *machine)
{
    const struct claim_record *record = map_get(invariants->claims, machine->facts.node_claim_uid);
    return record != NULL && record->present;
}

void check_orphans(struct invariants *invariants, int64_t passed_ns)
{
    const struct sim_instance *machine;
    struct sim_instances *park = simulation_park(invariants->simulation);
    for (uint32_t i = 0; (machine = sim_instances_at(park, i)) != NULL; i++) {
        const char *id = machine->facts.provider_id;
        int64_t *age = map_count(invariants->orphans) > 0 ? map_get(invariants->orphans, id) : NULL;
        if (machine->phase != MACHINE_RUNNING || has_claim(invariants, machine)) {
            if (age != NULL)
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
}
