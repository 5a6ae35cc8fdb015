#include "cloud/kwok/kwok_cloud.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/map.h"
#include "base/nanoseconds.h"
#include "base/text.h"
#include "base/vector.h"
#include "cloud/kwok/kwok_catalog.h"
#include "cloud/kwok/kwok_node.h"
#include "model/reading/catalog.h"
#include "model/schema/condition_types.h"

#define CREATE_TRIES   4
#define RETRY_DELAY    (500 * MILLISECOND)
#define SWEEP_INTERVAL (5 * SECOND)

struct kwok_cloud {
    struct cloud cloud;
    struct loop *loop;
    struct kube_client *client;
    struct mirror *mirror;
    struct kwok_cloud_options options;
    struct arena *arena; // well-known labels
    const char *const *well_known;
    struct map *boots;  // node name -> struct boot: Nodes still to be created
    struct map *booted; // names of Nodes created by this process, which the sweep skips
    struct answer *answers;
    struct timer *evaluation_timer;
};

struct boot { // a Node still to be created
    struct kwok_cloud *kwok;
    char *node_name;
    json_t *body;
    struct timer *timer;
    int tries;
    bool in_flight; // the request is under way; freed by its answer
    bool cancelled;
};

struct answer { // a deferred result: callbacks never come before the call returns
    struct kwok_cloud *kwok;
    struct answer *next, *previous;
    struct timer *timer;
    struct arena *arena;
    struct machine_result result;
    struct machine_list_result list;
    machine_callback done;
    machine_list_callback list_done;
    void *context;
};

static struct kwok_cloud *kwok_of(struct cloud *cloud)
{
    return (struct kwok_cloud *)cloud;
}

// --- answers -------------------------------------------------------------------------------------

static void answer_free(struct answer *answer)
{
    assert(answer->previous != NULL || answer->kwok->answers == answer);
    if (answer->previous != NULL)
        answer->previous->next = answer->next;
    else
        answer->kwok->answers = answer->next;
    if (answer->next != NULL)
        answer->next->previous = answer->previous;
    timer_destroy(answer->timer);
    arena_destroy(answer->arena);
    free(answer);
}

static void give_answer(void *context)
{
    struct answer *answer = context;
    assert((answer->done == NULL) != (answer->list_done == NULL));
    struct arena *arena = answer->arena;
    struct answer given = *answer;
    answer->arena = NULL;
    answer_free(answer);
    if (given.list_done != NULL)
        given.list_done(given.context, &given.list);
    else
        given.done(given.context, &given.result);
    arena_destroy(arena);
}

static struct answer *answer_create(struct kwok_cloud *kwok, void *context)
{
    struct answer *answer = memory_allocate(sizeof *answer);
    answer->kwok = kwok;
    answer->next = kwok->answers;
    if (kwok->answers != NULL)
        kwok->answers->previous = answer;
    kwok->answers = answer;
    answer->arena = arena_create(4096);
    answer->context = context;
    answer->timer = timer_create_on(kwok->loop, give_answer, answer);
    timer_start(answer->timer, 0);
    return answer;
}

// --- Nodes still to be created (KWK-12, KWK-17) --------------------------------------------------

static void boot_free(struct boot *boot)
{
    map_remove(boot->kwok->boots, boot->node_name);
    timer_destroy(boot->timer);
    json_decref(boot->body);
    free(boot->node_name);
    free(boot);
}

static void boot_cancel(struct boot *boot)
{
    if (boot->in_flight)
        boot->cancelled = true;
    else
        boot_free(boot);
}

static void node_deleted(void *context, const struct kube_result *result)
{
    (void)context;
    (void)result; // the sweep of orphaned machines retries a failure
}

static void delete_node(struct kwok_cloud *kwok, const char *name)
{
    assert(name[0] != '\0');
    static const struct kube_delete_options options = {.grace_period_seconds = -1};
    kube_delete(kwok->client, &(struct kube_target){KIND_NODE, NULL, name}, &options, node_deleted,
                NULL);
}

static void node_created(void *context, const struct kube_result *result)
{
    struct boot *boot = context;
    struct kwok_cloud *kwok = boot->kwok;
    enum error_kind kind = result->error.kind;
    assert(boot->in_flight);
    assert(boot->tries <= CREATE_TRIES);
    boot->in_flight = false;
    if (kind == ERROR_NONE || kind == ERROR_ALREADY_EXISTS) {
        map_set(kwok->booted, boot->node_name, kwok);
        if (boot->cancelled)
            delete_node(kwok, boot->node_name);
        boot_free(boot);
    } else if (boot->cancelled) {
        boot_free(boot);
    } else if (boot->tries < CREATE_TRIES) {
        timer_start(boot->timer, RETRY_DELAY * boot->tries);
    } else {
        log_error("failed creating node for kwok machine", "o:Node", boot->node_name, "s:error",
                  result->error.message);
        boot_free(boot);
    }
}

static void boot_now(void *context)
{
    struct boot *boot = context;
    assert(!boot->in_flight);
    assert(!boot->cancelled);
    assert(boot->tries < CREATE_TRIES);
    boot->tries++;
    boot->in_flight = true;
    kube_create_json(boot->kwok->client, KIND_NODE, NULL, boot->body, node_created, boot);
}

static void boot_schedule(struct kwok_cloud *kwok, const struct node_claim *claim,
                          const struct machine *machine, int64_t due)
{
    assert(machine != NULL);
    assert(machine->node_name != NULL);
    if (map_get(kwok->boots, machine->node_name) != NULL)
        return;
    struct boot *boot = memory_allocate(sizeof *boot);
    boot->kwok = kwok;
    boot->node_name = memory_copy_string(machine->node_name);
    boot->body = kwok_node_body(claim, machine);
    boot->timer = timer_create_on(kwok->loop, boot_now, boot);
    map_set(kwok->boots, boot->node_name, boot);
    timer_start(boot->timer, ns_subtract(due, loop_now_ns(kwok->loop)));
}

static const struct node *node_named(struct kwok_cloud *kwok, const char *name)
{
    return (const struct node *)mirror_get(kwok->mirror, KIND_NODE, NULL, name);
}

// Whether a former process launched the claim and its Node never appeared.
static bool node_is_owed(struct kwok_cloud *kwok, const struct node_claim *claim)
{
    const char *provider_id = claim->status.provider_id;
    if (provider_id == NULL || !text_starts_with(provider_id, KWOK_PROVIDER_PREFIX) ||
        object_is_deleting((const struct object *)claim) || kwok_node_due(claim) == 0 ||
        condition_is_true(&claim->status.conditions, CONDITION_REGISTERED))
        return false;
    const char *name = provider_id + strlen(KWOK_PROVIDER_PREFIX);
    return node_named(kwok, name) == NULL && map_get(kwok->boots, name) == NULL &&
           map_get(kwok->booted, name) == NULL;
}

static void sweep(void *context)
{
    struct kwok_cloud *kwok = context;
    timer_start(kwok->evaluation_timer, SWEEP_INTERVAL);
    if (!mirror_kind_synced(kwok->mirror, KIND_NODE_CLAIM) ||
        !mirror_kind_synced(kwok->mirror, KIND_NODE))
        return;
    CLEANUP_ARENA struct arena *arena = arena_create(4096);
    struct mirror_iterator iterator = {0};
    const struct object *object;
    while ((object = mirror_next(kwok->mirror, KIND_NODE_CLAIM, &iterator)) != NULL) {
        const struct node_claim *claim = (const struct node_claim *)object;
        if (node_is_owed(kwok, claim))
            boot_schedule(kwok, claim, kwok_machine_on_record(arena, claim), kwok_node_due(claim));
    }
}

// Drops deleted Nodes from `booted`, so that the map does not grow for ever.
static void node_changed(void *context, enum mirror_change change, const struct object *old_object,
                         const struct object *new_object)
{
    struct kwok_cloud *kwok = context;
    (void)new_object;
    assert(change != MIRROR_DELETED || old_object != NULL);
    if (change == MIRROR_DELETED)
        map_remove(kwok->booted, old_object->meta.name);
}

// --- create --------------------------------------------------------------------------------------

// KWK-11. The node class's registration delay, or false with the error.
static bool node_class_ready(struct kwok_cloud *kwok, const struct node_claim *claim,
                             int64_t *delay, struct error *error)
{
    const char *name = claim->spec.node_class_ref != NULL ? claim->spec.node_class_ref->name : NULL;
    const struct kwok_node_class *node_class =
        name != NULL ? (const struct kwok_node_class *)mirror_get(kwok->mirror,
                                                                  KIND_KWOK_NODE_CLASS, NULL, name)
                     : NULL;
    if (node_class == NULL)
        return error_set(error, ERROR_INSUFFICIENT_CAPACITY, "KWOKNodeClass %s not found",
                         name != NULL ? name : "(none)");
    const struct condition *ready = condition_find(&node_class->status.conditions, CONDITION_READY);
    if (ready != NULL && text_equal(ready->status, "False"))
        return error_set(error, ERROR_NODE_CLASS_NOT_READY, "%s",
                         ready->message != NULL ? ready->message : "not ready");
    *delay = node_class->spec.node_registration_delay.text != NULL
                 ? node_class->spec.node_registration_delay.nanoseconds
                 : 0;
    return true;
}

// KWK-10: the claim has a requirement on the instance type, and the catalog contains each of its
// values.
static bool types_exist(const struct instance_type_catalog *catalog, const struct node_claim *claim,
                        struct error *error)
{
    bool found = false;
    list_for_each (requirement, &claim->spec.requirements) {
        if (!text_equal(requirement->key, LABEL_INSTANCE_TYPE) || requirement->values.count == 0)
            continue;
        found = true;
        list_for_each (name, &requirement->values)
            if (instance_type_catalog_find(catalog, *name) == NULL)
                return error_set(error, ERROR_INVALID, "instance type not found: %s", *name);
    }
    return found ||
           error_set(error, ERROR_INVALID,
                     "NodeClaim %s has no requirement on " LABEL_INSTANCE_TYPE, claim->meta.name);
}

static void kwok_create(struct cloud *cloud, const struct node_claim *claim,
                        machine_callback callback, void *context)
{
    struct kwok_cloud *kwok = kwok_of(cloud);
    struct answer *answer = answer_create(kwok, context);
    struct error *error = &answer->result.error;
    answer->done = callback;
    int64_t delay = 0, now = loop_now_ns(kwok->loop);
    if (!node_class_ready(kwok, claim, &delay, error) ||
        !types_exist(kwok->options.catalog, claim, error))
        return;
    struct offering_choices choices =
        offering_choices_for(answer->arena, kwok->options.catalog, claim);
    if (choices.count == 0) {
        error_set(error, ERROR_INSUFFICIENT_CAPACITY,
                  "no offering of the catalog meets the requirements of NodeClaim %s",
                  claim->meta.name);
        return;
    }
    struct machine *machine =
        kwok_machine(answer->arena, claim, &choices.items[0], now, ns_add(now, delay));
    if (node_named(kwok, machine->node_name) == NULL)
        boot_schedule(kwok, claim, machine, ns_add(now, delay));
    answer->result.machine = machine;
}

// --- delete, get, list (KWK-15) ------------------------------------------------------------------

static const char *name_of(const char *provider_id)
{
    return provider_id != NULL && text_starts_with(provider_id, KWOK_PROVIDER_PREFIX)
               ? provider_id + strlen(KWOK_PROVIDER_PREFIX)
               : NULL;
}

static void kwok_delete(struct cloud *cloud, const char *provider_id, machine_callback callback,
                        void *context)
{
    struct kwok_cloud *kwok = kwok_of(cloud);
    struct answer *answer = answer_create(kwok, context);
    const char *name = name_of(provider_id);
    answer->done = callback;
    error_set(&answer->result.error, ERROR_NOT_FOUND, "instance terminated");
    if (name == NULL)
        return;
    struct boot *boot = map_get(kwok->boots, name);
    if (boot != NULL)
        boot_cancel(boot);
    // A Node that never registered has no finalizer of adze; nothing else removes it.
    const struct node *node = node_named(kwok, name);
    if ((node != NULL && !object_is_deleting((const struct object *)node) &&
         !object_has_finalizer((const struct object *)node, FINALIZER_TERMINATION)) ||
        (node == NULL && map_get(kwok->booted, name) != NULL))
        delete_node(kwok, name);
}

static void kwok_get(struct cloud *cloud, const char *provider_id, machine_callback callback,
                     void *context)
{
    struct kwok_cloud *kwok = kwok_of(cloud);
    struct answer *answer = answer_create(kwok, context);
    const char *name = name_of(provider_id);
    const struct node *node = name != NULL ? node_named(kwok, name) : NULL;
    answer->done = callback;
    if (node == NULL || object_is_deleting((const struct object *)node)) {
        error_set(&answer->result.error, ERROR_NOT_FOUND, "there is no Node for %s", provider_id);
        return;
    }
    struct machine *machine = arena_allocate(answer->arena, sizeof *machine);
    // The answer comes later, so the few facts are copied instead of borrowed from the Node.
    kwok_machine_of_node(node, machine);
    machine->provider_id = arena_copy_string(answer->arena, machine->provider_id);
    machine->node_name = arena_copy_string(answer->arena, machine->node_name);
    machine->labels = (struct string_map){0};
    machine->annotations = (struct string_map){0};
    machine->capacity = machine->allocatable = (struct resource_map){0};
    machine->node_claim_name = arena_copy_string(answer->arena, machine->node_claim_name);
    machine->node_claim_uid = arena_copy_string(answer->arena, machine->node_claim_uid);
    answer->result.machine = machine;
}

static void add_copy(struct answer *answer, struct machine *list, uint32_t *count,
                     const struct machine *machine)
{
    struct arena *arena = answer->arena;
    list[(*count)++] = (struct machine){
        .provider_id = arena_copy_string(arena, machine->provider_id),
        .node_name = arena_copy_string(arena, machine->node_name),
        .created = machine->created,
        .node_claim_name = arena_copy_string(arena, machine->node_claim_name),
        .node_claim_uid = arena_copy_string(arena, machine->node_claim_uid),
    };
}

static void kwok_list(struct cloud *cloud, machine_list_callback callback, void *context)
{
    struct kwok_cloud *kwok = kwok_of(cloud);
    struct answer *answer = answer_create(kwok, context);
    answer->list_done = callback;
    struct machine *list = arena_allocate_array(
        answer->arena, mirror_count(kwok->mirror, KIND_NODE) + map_count(kwok->boots) + 1,
        sizeof *list);
    uint32_t count = 0;
    struct mirror_iterator iterator = {0};
    const struct object *object;
    while ((object = mirror_next(kwok->mirror, KIND_NODE, &iterator)) != NULL) {
        const struct node *node = (const struct node *)object;
        struct machine machine;
        if (name_of(node->spec.provider_id) == NULL || object_is_deleting(object))
            continue;
        kwok_machine_of_node(node, &machine);
        add_copy(answer, list, &count, &machine);
    }
    // Machines whose Node is still to be created exist, too.
    for (struct map_entry *entry = map_first(kwok->boots); entry != NULL; entry = map_next(entry)) {
        struct machine machine = {.node_name = map_key(entry), .created = loop_now_ns(kwok->loop)};
        machine.provider_id =
            arena_format(answer->arena, KWOK_PROVIDER_PREFIX "%s", machine.node_name);
        add_copy(answer, list, &count, &machine);
    }
    assert(count <= mirror_count(kwok->mirror, KIND_NODE) + map_count(kwok->boots));
    answer->list.items = list;
    answer->list.count = count;
}

// --- facts ---------------------------------------------------------------------------------------

static const struct instance_type_catalog *kwok_instance_types(struct cloud *cloud,
                                                               const struct node_pool *pool,
                                                               struct error *error)
{
    (void)pool;
    (void)error;
    return (const struct instance_type_catalog *)object_acquire(
        (const struct object *)kwok_of(cloud)->options.catalog);
}

static const char *kwok_drift_reason(struct cloud *cloud, const struct node_claim *claim)
{
    (void)cloud;
    (void)claim;
    return NULL; // KWK-16
}

static const struct repair_policy *kwok_repair_policies(struct cloud *cloud, uint32_t *count)
{
    static const struct repair_policy policies[] = {
        {"Ready", "False", 10 * MINUTE},
        {"Ready", "Unknown", 10 * MINUTE},
    };
    (void)cloud;
    *count = ARRAY_LENGTH(policies);
    return policies;
}

static const char *const *kwok_well_known_labels(struct cloud *cloud)
{
    return kwok_of(cloud)->well_known;
}

static const struct instance_type_catalog *kwok_own_catalog(struct cloud *cloud)
{
    const struct kwok_cloud *kwok = kwok_of(cloud);
    return kwok->options.catalog_is_own ? kwok->options.catalog : NULL;
}

static void kwok_destroy(struct cloud *cloud)
{
    struct kwok_cloud *kwok = kwok_of(cloud);
    while (kwok->answers != NULL)
        answer_free(kwok->answers);
    for (struct map_entry *entry; (entry = map_first(kwok->boots)) != NULL;)
        boot_free(map_value(entry));
    map_destroy(kwok->boots, NULL);
    map_destroy(kwok->booted, NULL);
    timer_destroy(kwok->evaluation_timer);
    arena_destroy(kwok->arena);
    object_release((const struct object *)kwok->options.catalog);
    free(kwok);
}

static const struct cloud_operations kwok_operations = {
    .create = kwok_create,
    .delete = kwok_delete,
    .get = kwok_get,
    .list = kwok_list,
    .instance_types = kwok_instance_types,
    .drift_reason = kwok_drift_reason,
    .repair_policies = kwok_repair_policies,
    .well_known_labels = kwok_well_known_labels,
    .own_catalog = kwok_own_catalog,
    .destroy = kwok_destroy,
};

struct cloud *kwok_cloud_create(struct loop *loop, struct kube_client *client,
                                struct mirror *mirror, const struct kwok_cloud_options *options)
{
    assert(client != NULL);
    assert(mirror != NULL);
    assert(options->catalog != NULL);
    struct kwok_cloud *kwok = memory_allocate(sizeof *kwok);
    kwok->cloud.operations = &kwok_operations;
    kwok->loop = loop;
    kwok->client = client;
    kwok->mirror = mirror;
    kwok->options = *options;
    object_acquire((const struct object *)options->catalog);
    kwok->arena = arena_create(4096);
    kwok->well_known = kwok_catalog_well_known(kwok->arena, options->catalog);
    kwok->boots = map_create();
    kwok->booted = map_create();
    kwok->evaluation_timer = timer_create_on(loop, sweep, kwok);
    timer_start(kwok->evaluation_timer, SWEEP_INTERVAL);
    mirror_on_change(mirror, KIND_NODE, node_changed, kwok);
    return &kwok->cloud;
}
