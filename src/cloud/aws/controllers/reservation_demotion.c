#include "cloud/aws/controllers/reservation_demotion.h"

#include <stdlib.h>

#include "base/duration.h"
#include "base/map.h"
#include "cloud/aws/controllers/periodic.h"
#include "reconcile/patch.h"

#define CONTROLLER  "capacityreservation.capacitytype"
#define INTERVAL_NS MINUTE
#define PATCHES_MAX 20 // at a time

struct reservation_demotion {
    struct manager *manager;
    const struct aws_controllers_environment *environment;
    struct periodic *periodic;
    struct map *on_demand; // provider IDs of instances on demand
};

static bool begin(void *context, struct operation_about *about);
static bool go_on(void *context, struct operation_about *about);

struct reservation_demotion *reservation_demotion_create(
    struct manager *manager, const struct aws_controllers_environment *environment)
{
    struct reservation_demotion *demotion = memory_allocate(sizeof *demotion);
    demotion->manager = manager;
    demotion->environment = environment;
    demotion->on_demand = map_create();
    demotion->periodic =
        periodic_create(manager, &(struct periodic_options){.name = CONTROLLER,
                                                            .interval_ns = INTERVAL_NS,
                                                            .begin = begin,
                                                            .go_on = go_on,
                                                            .context = demotion});
    return demotion;
}

void reservation_demotion_destroy(struct reservation_demotion *demotion)
{
    if (demotion == NULL)
        return;
    periodic_destroy(demotion->periodic);
    map_destroy(demotion->on_demand, NULL);
    free(demotion);
}

struct listing {
    struct operation operation;
    struct reservation_demotion *demotion;
};

static void listed(void *context, const struct machine_list_result *result)
{
    struct listing *listing = context;
    struct reservation_demotion *demotion = listing->demotion;
    struct error error = result->error;
    for (uint32_t i = 0; error.kind == ERROR_NONE && i < result->count; i++) {
        const struct machine *machine = &result->items[i];
        const char *capacity_type = string_map_get(&machine->labels, LABEL_CAPACITY_TYPE);
        if (machine->provider_id != NULL && text_equal(capacity_type, "on-demand"))
            map_set(demotion->on_demand, machine->provider_id, demotion);
    }
    operation_end(&listing->operation, OPERATION_PASS, &error);
}

static bool begin(void *context, struct operation_about *about)
{
    struct reservation_demotion *demotion = context;
    map_destroy(demotion->on_demand, NULL);
    demotion->on_demand = map_create();
    about->doing = "listing instances";
    struct listing *listing = operation_begin(about, sizeof *listing);
    listing->demotion = demotion;
    aws_machines_list(demotion->environment->machines, listed, listing);
    return true;
}

static bool is_reserved(const struct object *object)
{
    return !object_is_deleting(object) &&
           text_equal(object_label(object, LABEL_CAPACITY_TYPE), "reserved");
}

// AWI-940: upstream leaves the third label behind.
static void demote(const struct reservation_demotion *demotion, struct operation_about *about,
                   const struct object *object)
{
    json_t *body = json_object();
    json_t *labels = json_metadata(body, "labels");
    json_object_set_new(labels, LABEL_CAPACITY_TYPE, json_string("on-demand"));
    json_object_set_new(labels, EC2_NODE_CLASS_GROUP "/capacity-reservation-id", json_null());
    json_object_set_new(labels, EC2_NODE_CLASS_GROUP "/capacity-reservation-type", json_null());
    if (!demotion->manager->settings->compatibility_upstream)
        json_object_set_new(labels, EC2_NODE_CLASS_GROUP "/capacity-reservation-interruptible",
                            json_null());
    about->doing = "updating capacity type";
    log_debug("updated capacity type for nodeclaims", "s:controller", CONTROLLER,
              object->kind->id == KIND_NODE ? "o:Node" : "o:NodeClaim", object->meta.name);
    start_patch(about, object, NULL, body);
}

static bool runs_on_demand(const struct reservation_demotion *demotion, const char *provider_id)
{
    return provider_id != NULL && map_get(demotion->on_demand, provider_id) != NULL;
}

// A Node follows its NodeClaim: a deleting one's labels stay.
static bool claim_is_deleting(const struct reservation_demotion *demotion, const char *provider_id)
{
    struct mirror_iterator iterator = {0};
    for (const struct object *claim;
         (claim = mirror_next(demotion->manager->mirror, KIND_NODE_CLAIM, &iterator)) != NULL;)
        if (text_equal(((const struct node_claim *)claim)->status.provider_id, provider_id))
            return object_is_deleting(claim);
    return true;
}

static bool go_on(void *context, struct operation_about *about)
{
    struct reservation_demotion *demotion = context;
    struct mirror *mirror = demotion->manager->mirror;
    struct mirror_iterator iterator = {0};
    uint32_t started = 0;
    for (const struct object *claim;
         started < PATCHES_MAX &&
         (claim = mirror_next(mirror, KIND_NODE_CLAIM, &iterator)) != NULL;)
        if (is_reserved(claim) &&
            runs_on_demand(demotion, ((const struct node_claim *)claim)->status.provider_id)) {
            demote(demotion, about, claim);
            started++;
        }
    iterator = (struct mirror_iterator){0};
    for (const struct object *node;
         started < PATCHES_MAX && (node = mirror_next(mirror, KIND_NODE, &iterator)) != NULL;) {
        const char *provider_id = ((const struct node *)node)->spec.provider_id;
        if (is_reserved(node) && text_equal(object_label(node, LABEL_REGISTERED), "true") &&
            runs_on_demand(demotion, provider_id) && !claim_is_deleting(demotion, provider_id)) {
            demote(demotion, about, node);
            started++;
        }
    }
    return started > 0;
}
