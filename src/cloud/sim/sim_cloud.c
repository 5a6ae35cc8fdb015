#include "cloud/sim/sim_cloud.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/nanoseconds.h"
#include "base/random.h"
#include "base/text.h"
#include "base/vector.h"
#include "cloud/aws/types/built_in_types.h"
#include "cloud/kwok/kwok_catalog.h"
#include "cloud/port/learned_sizes.h"
#include "cloud/port/offering_choice.h"
#include "cloud/sim/sim_provider.h"
#include "model/reading/catalog.h"
#include "model/schema/pack.h"

struct shortage { // an offering found without stock
    char *key;
    int64_t until;
};

struct sim_cloud {
    struct cloud cloud;
    struct loop *loop;
    struct sim_instances *park;
    struct sim_cloud_options options;
    struct random random;
    VECTOR(struct shortage) shortages;
    struct learned_sizes *sizes;
    const struct instance_type_catalog *catalog; // with the shortages; NULL: to be rebuilt
    const struct instance_type_catalog *listed;  // the park's catalog it was made from; a reference
    int64_t catalog_until;                       // when the first shortage in it lapses
    struct pending *pending;                     // calls under way
    struct arena *arena;
    const char **well_known; // EC2's labels and those of the park's catalog; NULL-terminated
};

struct pending {
    struct sim_cloud *sim;
    struct pending *next, *previous;
    struct timer *timer;
    enum sim_cloud_call call;
    const struct node_claim *claim; // a reference
    char *provider_id;
    machine_callback done;
    machine_list_callback list_done;
    void *context;
};

static struct sim_cloud *sim_of(struct cloud *cloud)
{
    return (struct sim_cloud *)cloud;
}

// --- calls under way -----------------------------------------------------------------------------

static void pending_free(struct pending *pending)
{
    assert(pending->previous != NULL || pending->sim->pending == pending);
    if (pending->previous != NULL)
        pending->previous->next = pending->next;
    else
        pending->sim->pending = pending->next;
    if (pending->next != NULL)
        pending->next->previous = pending->previous;
    timer_destroy(pending->timer);
    object_release((const struct object *)pending->claim);
    free(pending->provider_id);
    free(pending);
}

static void perform(void *context);

static struct pending *begin(struct cloud *cloud, enum sim_cloud_call call,
                             const struct node_claim *claim, const char *provider_id,
                             machine_callback done, void *context)
{
    assert(call <= SIM_LIST);
    assert(call != SIM_CREATE || claim != NULL);
    assert(done != NULL || call == SIM_LIST);
    struct sim_cloud *sim = sim_of(cloud);
    struct pending *pending = memory_allocate(sizeof *pending);
    *pending = (struct pending){
        .sim = sim,
        .next = sim->pending,
        .call = call,
        .claim = (const struct node_claim *)object_acquire((const struct object *)claim),
        .provider_id = memory_copy_string(provider_id),
        .done = done,
        .context = context,
    };
    if (sim->pending != NULL)
        sim->pending->previous = pending;
    sim->pending = pending;
    pending->timer = timer_create_on(sim->loop, perform, pending);
    int64_t spread = sim->options.latency_max - sim->options.latency_min;
    timer_start(pending->timer,
                sim->options.latency_min +
                    (spread > 0 ? (int64_t)random_below(&sim->random, (uint64_t)spread + 1) : 0));
    return pending;
}

// --- shortages -----------------------------------------------------------------------------------

static void shortage_key(char out[300], const char *type, const char *zone, const char *capacity)
{
    snprintf(out, 300, "%s/%s/%s", type, zone != NULL ? zone : "",
             capacity != NULL ? capacity : "");
}

static void offering_key(char out[300], const struct instance_type *type,
                         const struct offering *offering)
{
    shortage_key(out, type->name, requirement_single_value(&offering->requirements, LABEL_ZONE),
                 requirement_single_value(&offering->requirements, LABEL_CAPACITY_TYPE));
}

static struct shortage *shortage_find(struct sim_cloud *sim, const char *key)
{
    vector_for_each (shortage, &sim->shortages) {
        if (strcmp(shortage->key, key) == 0)
            return shortage;
    }
    return NULL;
}

static void forget_catalog(struct sim_cloud *sim)
{
    object_release((const struct object *)sim->catalog);
    object_release((const struct object *)sim->listed);
    sim->catalog = sim->listed = NULL;
}

static void remember_shortage(struct sim_cloud *sim, const struct instance_type *type,
                              const struct offering *offering)
{
    char key[300];
    offering_key(key, type, offering);
    int64_t until = ns_add(loop_monotonic_ns(sim->loop), SIM_CLOUD_MEMORY);
    struct shortage *known = shortage_find(sim, key);
    if (known != NULL) {
        known->until = until;
        return;
    }
    struct shortage shortage = {memory_copy_string(key), until};
    vector_push(&sim->shortages, shortage);
    forget_catalog(sim);
}

// Drops expired shortages; true if there were any.
static bool evaluation_shortages(struct sim_cloud *sim)
{
    int64_t now = loop_monotonic_ns(sim->loop);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < sim->shortages.count; i++) {
        struct shortage *shortage = &sim->shortages.items[i];
        if (shortage->until <= now)
            free(shortage->key);
        else
            sim->shortages.items[kept++] = *shortage;
    }
    bool dropped = kept != sim->shortages.count;
    assert(kept <= sim->shortages.count);
    sim->shortages.count = kept;
    return dropped;
}

// The park's catalog with known shortages marked and learned capacities applied.
static const struct instance_type_catalog *catalog_with_shortages(struct sim_cloud *sim)
{
    CLEANUP_ARENA struct arena *arena = arena_create(1 << 16);
    const struct instance_type_catalog *full = sim_instances_catalog(sim->park);
    struct instance_type_catalog marked = *full;
    uint32_t count = full->spec.instance_types.count;
    marked.spec.instance_types.items =
        arena_allocate_array(arena, count, sizeof(struct instance_type));
    for (uint32_t i = 0; i < count; i++) {
        struct instance_type *type = &marked.spec.instance_types.items[i];
        *type = full->spec.instance_types.items[i];
        learned_sizes_correct(sim->sizes, arena, type);
        struct offering *offerings =
            arena_allocate_array(arena, type->offerings.count + 1, sizeof *offerings);
        for (uint32_t j = 0; j < type->offerings.count; j++) {
            char key[300];
            offerings[j] = type->offerings.items[j];
            offering_key(key, type, &offerings[j]);
            if (shortage_find(sim, key) != NULL)
                offerings[j].available = false;
        }
        type->offerings.items = offerings;
    }
    return (const struct instance_type_catalog *)object_copy((const struct object *)&marked);
}

static const struct instance_type_catalog *current_catalog(struct sim_cloud *sim)
{
    const struct instance_type_catalog *listed = sim_instances_catalog(sim->park);
    if (evaluation_shortages(sim) || sim->listed != listed)
        forget_catalog(sim);
    if (sim->shortages.count == 0 && !learned_sizes_any(sim->sizes))
        return listed;
    if (sim->catalog == NULL) {
        sim->catalog = catalog_with_shortages(sim);
        sim->listed =
            (const struct instance_type_catalog *)object_acquire((const struct object *)listed);
    }
    assert(sim->listed == listed);
    return sim->catalog;
}

static const struct instance_type_catalog *sim_instance_types(struct cloud *cloud,
                                                              const struct node_pool *pool,
                                                              struct error *error)
{
    (void)pool;
    (void)error;
    return (const struct instance_type_catalog *)object_acquire(
        (const struct object *)current_catalog(sim_of(cloud)));
}

// --- the calls -----------------------------------------------------------------------------------

static void perform_create(struct sim_cloud *sim, const struct node_claim *claim,
                           struct machine_result *result)
{
    CLEANUP_ARENA struct arena *arena = arena_create(1 << 14);
    const struct sim_instance *machine = sim_instances_find_claim(sim->park, claim->meta.uid);
    const struct instance_type_catalog *catalog =
        (const struct instance_type_catalog *)object_acquire(
            (const struct object *)current_catalog(sim));
    struct offering_choices choices = offering_choices_for(arena, catalog, claim);
    for (uint32_t i = 0; i < choices.count && machine == NULL; i++) {
        const struct offering_choice *choice = &choices.items[i];
        const requirement_list *where = &choice->offering->requirements;
        if (sim_instances_has_stock(sim->park, choice->type->name,
                                    requirement_single_value(where, LABEL_ZONE),
                                    requirement_single_value(where, LABEL_CAPACITY_TYPE)))
            machine = sim_instances_launch(sim->park, claim, choice->type, choice->offering);
        else
            remember_shortage(sim, choice->type, choice->offering);
    }
    object_release((const struct object *)catalog);
    if (machine == NULL)
        error_set(&result->error, ERROR_INSUFFICIENT_CAPACITY,
                  choices.count == 0
                      ? "no available offering meets the requirements of NodeClaim %s"
                      : "all %2$u compatible offerings of NodeClaim %1$s are out of stock",
                  claim->meta.name, choices.count);
    else
        result->machine = &machine->facts;
}

static void perform_on_one(struct sim_cloud *sim, const struct pending *pending,
                           struct machine_result *result)
{
    assert(pending->call == SIM_DELETE || pending->call == SIM_GET);
    const struct sim_instance *machine =
        pending->provider_id != NULL ? sim_instances_find(sim->park, pending->provider_id) : NULL;
    if (machine == NULL) {
        error_set(&result->error, ERROR_NOT_FOUND, "there is no machine %s",
                  pending->provider_id != NULL ? pending->provider_id : "without a provider ID");
        return;
    }
    if (pending->call == SIM_DELETE)
        sim_instances_stop(sim->park, pending->provider_id);
    result->machine = &machine->facts;
}

static void answer_list(struct sim_cloud *sim, const struct pending *pending,
                        const struct error *fault)
{
    assert(pending->list_done != NULL);
    VECTOR(struct machine) machines = {0};
    const struct sim_instance *machine;
    for (uint32_t i = 0; (machine = sim_instances_at(sim->park, i)) != NULL; i++)
        if (machine->phase == MACHINE_RUNNING)
            vector_push(&machines, machine->facts);
    struct machine_list_result result = {.error = *fault, machines.items, machines.count};
    if (fault->kind != ERROR_NONE)
        result.count = 0;
    pending->list_done(pending->context, &result);
    vector_free(&machines);
}

static void perform(void *context)
{
    struct pending *pending = context;
    struct sim_cloud *sim = pending->sim;
    struct error fault_error = {0};
    enum sim_cloud_fault fault = SIM_FINE;
    if (sim->options.fault != NULL)
        fault = sim->options.fault(sim->options.fault_context, pending->call, pending->claim,
                                   &fault_error);
    if (fault != SIM_FINE && fault_error.kind == ERROR_NONE)
        error_set(&fault_error, ERROR_UNAVAILABLE, "the simulated provider did not answer");
    if (pending->call == SIM_LIST) {
        answer_list(sim, pending, &fault_error);
        pending_free(pending);
        return;
    }
    assert(fault <= SIM_FAIL_AFTER);
    struct machine_result result = {0};
    if (fault != SIM_FAIL_BEFORE && pending->call == SIM_CREATE)
        perform_create(sim, pending->claim, &result);
    else if (fault != SIM_FAIL_BEFORE)
        perform_on_one(sim, pending, &result);
    if (fault != SIM_FINE)
        result = (struct machine_result){.error = fault_error};
    assert((result.machine == NULL) == (result.error.kind != ERROR_NONE));
    machine_callback done = pending->done;
    void *done_context = pending->context;
    pending_free(pending);
    done(done_context, &result);
}

static void sim_create(struct cloud *cloud, const struct node_claim *claim,
                       machine_callback callback, void *context)
{
    begin(cloud, SIM_CREATE, claim, NULL, callback, context);
}

static void sim_delete(struct cloud *cloud, const char *provider_id, machine_callback callback,
                       void *context)
{
    begin(cloud, SIM_DELETE, NULL, provider_id, callback, context);
}

static void sim_get(struct cloud *cloud, const char *provider_id, machine_callback callback,
                    void *context)
{
    begin(cloud, SIM_GET, NULL, provider_id, callback, context);
}

static void sim_list(struct cloud *cloud, machine_list_callback callback, void *context)
{
    begin(cloud, SIM_LIST, NULL, NULL, NULL, context)->list_done = callback;
}

// --- facts ---------------------------------------------------------------------------------------

static void sim_learn(struct cloud *cloud, const struct node_claim *claim, const struct node *node)
{
    struct sim_cloud *sim = sim_of(cloud);
    const char *name = object_label((const struct object *)node, LABEL_INSTANCE_TYPE);
    const struct instance_type *type =
        instance_type_catalog_find(sim_instances_catalog(sim->park), name);
    if (type != NULL && learned_sizes_note(sim->sizes, claim, node, type))
        forget_catalog(sim);
}

static const char *sim_drift_reason(struct cloud *cloud, const struct node_claim *claim)
{
    const struct sim_cloud *sim = sim_of(cloud);
    return sim->options.drift_reason != NULL
               ? sim->options.drift_reason(sim->options.fault_context, claim)
               : NULL;
}

static const struct repair_policy *sim_repair_policies(struct cloud *cloud, uint32_t *count)
{
    static const struct repair_policy policies[] = {
        {"Ready", "False", 10 * MINUTE},
        {"Ready", "Unknown", 10 * MINUTE},
    };
    (void)cloud;
    *count = ARRAY_LENGTH(policies);
    return policies;
}

static const char *const *sim_well_known_labels(struct cloud *cloud)
{
    return sim_of(cloud)->well_known;
}

static const struct instance_type_catalog *sim_own_catalog(struct cloud *cloud)
{
    const struct sim_cloud *sim = sim_of(cloud);
    return sim->options.catalog_is_own ? sim_instances_catalog(sim->park) : NULL;
}

static void sim_destroy(struct cloud *cloud)
{
    struct sim_cloud *sim = sim_of(cloud);
    while (sim->pending != NULL)
        pending_free(sim->pending);
    vector_for_each (shortage, &sim->shortages)
        free(shortage->key);
    vector_free(&sim->shortages);
    learned_sizes_destroy(sim->sizes);
    sim_instances_listen(sim->park, NULL, NULL);
    forget_catalog(sim);
    arena_destroy(sim->arena);
    free(sim);
}

static const char **gather_well_known(struct arena *arena,
                                      const struct instance_type_catalog *catalog)
{
    const char *const *const lists[] = {ec2_well_known_labels,
                                        kwok_catalog_well_known(arena, catalog)};
    size_t count = 0;
    for (size_t i = 0; i < ARRAY_LENGTH(lists); i++)
        for (const char *const *label = lists[i]; *label != NULL; label++)
            count++;
    const char **out = arena_allocate_array(arena, count + 1, sizeof *out);
    count = 0;
    for (size_t i = 0; i < ARRAY_LENGTH(lists); i++)
        for (const char *const *label = lists[i]; *label != NULL; label++)
            out[count++] = *label;
    return out;
}

static void on_listed(void *context)
{
    cloud_change_types(context);
}

static const struct cloud_operations sim_operations = {
    .create = sim_create,
    .delete = sim_delete,
    .get = sim_get,
    .list = sim_list,
    .instance_types = sim_instance_types,
    .learn = sim_learn,
    .drift_reason = sim_drift_reason,
    .repair_policies = sim_repair_policies,
    .well_known_labels = sim_well_known_labels,
    .own_catalog = sim_own_catalog,
    .destroy = sim_destroy,
};

struct cloud *sim_cloud_create(struct loop *loop, struct sim_instances *park,
                               const struct sim_cloud_options *options)
{
    assert(park != NULL);
    assert(options->latency_min >= 0);
    struct sim_cloud *sim = memory_allocate(sizeof *sim);
    sim->cloud.operations = &sim_operations;
    sim->cloud.provider = &sim_provider;
    sim->loop = loop;
    sim->park = park;
    sim->options = *options;
    random_seed(&sim->random, options->seed);
    sim->sizes = learned_sizes_create();
    sim->arena = arena_create(4096);
    sim->well_known = gather_well_known(sim->arena, sim_instances_catalog(park));
    sim_instances_listen(park, on_listed, &sim->cloud);
    return &sim->cloud;
}
