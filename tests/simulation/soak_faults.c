// Faults of a soak world's machines, provider, controller and connection (soak_world.h).
#include <stdio.h>
#include <string.h>

#include "base/duration.h"
#include "base/text.h"
#include "model/schema/pack.h"
#include "model/tables/kinds.h"
#include "simulation/soak_world.h"

#define INTERRUPTED_MAX 200

static uint32_t below(struct random *random, uint32_t bound)
{
    return (uint32_t)random_below(random, bound);
}

static const struct sim_instance *pick_machine(struct soak_world *world, struct random *random)
{
    struct sim_instances *park = simulation_park(world->simulation);
    uint32_t count = sim_instances_count(park);
    return count > 0 ? sim_instances_at(park, below(random, count)) : NULL;
}

// --- machines ------------------------------------------------------------------------------------

static void vanish(struct soak_world *world, struct random *random)
{
    const struct sim_instance *machine = pick_machine(world, random);
    if (machine == NULL || world->options.without & SOAK_WITHOUT_MACHINE)
        return;
    soak_say(world, "machine %s vanishes", machine->facts.provider_id);
    invariants_machine_vanishes(world->invariants, machine->facts.node_claim_uid);
    sim_instances_reclaim(simulation_park(world->simulation), machine->facts.provider_id);
}

void soak_vanish(struct soak_world *world, struct random *random)
{
    for (uint32_t left = soak_several(world, random); left > 0; left--)
        vanish(world, random);
}

// A provider that warns two minutes ahead (an interruption deletes the NodeClaim).
void soak_interrupt(struct soak_world *world, struct random *random)
{
    struct {
        char id[100], uid[40];
    } struck[INTERRUPTED_MAX];
    uint32_t count = 0, wanted = soak_several(world, random);
    for (uint32_t i = 0; i < wanted && i < INTERRUPTED_MAX; i++) {
        const struct sim_instance *machine = pick_machine(world, random);
        if (machine == NULL || world->options.without & SOAK_WITHOUT_MACHINE)
            return;
        snprintf(struck[count].id, sizeof struck->id, "%s", machine->facts.provider_id);
        snprintf(struck[count].uid, sizeof struck->uid, "%s", machine->facts.node_claim_uid);
        soak_say(world, "machine %s will be reclaimed in two minutes", struck[count++].id);
        soak_delete(world, "karpenter.sh/v1", "NodeClaim", NULL, machine->facts.node_claim_name);
    }
    soak_pass(world, 2 * MINUTE);
    for (uint32_t i = 0; i < count; i++) {
        invariants_machine_vanishes(world->invariants, struck[i].uid);
        sim_instances_reclaim(simulation_park(world->simulation), struck[i].id);
    }
}

// As left by a launch with a lost answer.
void soak_appear(struct soak_world *world, struct random *random)
{
    struct sim_instances *park = simulation_park(world->simulation);
    const struct instance_type *type = &sim_instances_catalog(park)->spec.instance_types.items[0];
    struct node_claim stranger = {.kind = kind_get(KIND_NODE_CLAIM)};
    char uid[37];
    random_uuid(random, uid);
    stranger.meta.name = "stranger";
    stranger.meta.uid = uid;
    struct object *claim = object_copy((struct object *)&stranger);
    soak_say(world, "a machine appears that nobody knows of");
    sim_instances_launch(park, (struct node_claim *)claim, type, &type->offerings.items[0]);
    object_release(claim);
}

static void change_kubelet(struct soak_world *world, struct random *random)
{
    static const char *const names[] = {"healthy", "not ready", "silent"};
    const struct sim_instance *machine = pick_machine(world, random);
    enum machine_state state = (enum machine_state)below(random, 3);
    if (machine == NULL || world->options.without & SOAK_WITHOUT_MACHINE)
        return;
    soak_say(world, "machine %s becomes %s", machine->facts.provider_id, names[state]);
    world_machine_set_state(simulation_world(world->simulation), machine->facts.provider_id, state);
}

void soak_change_kubelet(struct soak_world *world, struct random *random)
{
    for (uint32_t left = soak_several(world, random); left > 0; left--)
        change_kubelet(world, random);
}

void soak_change_stock(struct soak_world *world, struct random *random)
{
    static const char *const all_zones[] = {"test-zone-a", "test-zone-b", "test-zone-c",
                                            "test-zone-d"};
    struct sim_instances *park = simulation_park(world->simulation);
    const struct sim_instance *machine = pick_machine(world, random);
    if (world->options.without & SOAK_WITHOUT_CLOUD)
        return;
    if (random_chance(random, 0.3)) {
        soak_say(world, "everything is in stock");
        sim_instances_stock(park, NULL, NULL, NULL, -1);
        return;
    }
    const char *zone = random_chance(random, 0.4) ? all_zones[below(random, 4)] : NULL;
    const char *capacity_type = random_chance(random, 0.4) ? "spot" : NULL;
    const char *type =
        machine != NULL && random_chance(random, 0.6) ? machine->instance_type : NULL;
    int64_t left = below(random, 4) * soak_several(world, random);
    soak_say(world, "stock of type %s, zone %s, %s: %lld", type != NULL ? type : "any",
             zone != NULL ? zone : "any",
             capacity_type != NULL ? capacity_type : "any capacity type", (long long)left);
    sim_instances_stock(park, type, zone, capacity_type, left);
}

// --- controller, connection, clock ---------------------------------------------------------------

void soak_kill_controller(struct soak_world *world, struct random *random)
{
    int64_t dead = (int64_t)below(random, random_chance(random, 0.2) ? 300000 : 5000) * MILLISECOND;
    soak_say(world, "kill the controller for %.1f s", (double)dead / (double)SECOND);
    simulation_kill_controller(world->simulation);
    soak_pass(world, dead);
    simulation_start_controller(world->simulation);
    invariants_restarts(world->invariants);
}

// At one of its next writes for a disruption command, while nodes are disrupted.
void soak_lay_ambush(struct soak_world *world, struct random *random)
{
    world->ambush.left = below(random, 12);
    world->ambush.after_effect = random_chance(random, 0.5);
    soak_say(world, "the controller will die %s the %uth write of a disruption command",
             world->ambush.after_effect ? "after" : "before", world->ambush.left + 1);
}

static void spring(void *context)
{
    struct soak_world *world = context;
    soak_say(world, "killed from the ambush");
    simulation_kill_controller(world->simulation);
    simulation_start_controller(world->simulation);
    invariants_restarts(world->invariants);
}

static bool concerns_command(const struct kube_request *request)
{
    static const char mark[] = "adze.dev/disruption-command";
    if (request->verb == KUBE_DELETE)
        return strstr(request->path, "/nodeclaims/") != NULL;
    const json_t *metadata = json_object_get(request->body, "metadata");
    return (request->verb == KUBE_PATCH || request->verb == KUBE_CREATE) &&
           (json_object_get(json_object_get(metadata, "annotations"), mark) != NULL ||
            strstr(request->path, "/nodeclaims") != NULL);
}

bool soak_ambushed(struct soak_world *world, const struct kube_request *request, bool after_effect)
{
    struct ambush *ambush = &world->ambush;
    if (ambush->left == UINT32_MAX || ambush->after_effect != after_effect ||
        !concerns_command(request))
        return false;
    if (ambush->left > 0) {
        ambush->left--;
        return false;
    }
    ambush->left = UINT32_MAX;
    loop_post(world->loop, spring, world);
    return true;
}

// In the middle of its work: after the given number of events of the world.
void soak_kill_at_any_event(struct soak_world *world, struct random *random)
{
    uint32_t times = 1 + below(random, 5);
    soak_say(world, "kill the controller %u times, at random events", times);
    for (uint32_t i = 0; i < times; i++) {
        for (uint32_t events = below(random, 3000); events > 0 && loop_step(world->loop); events--)
            invariants_step(world->invariants);
        soak_say(world, "killed");
        simulation_kill_controller(world->simulation);
        simulation_start_controller(world->simulation);
        invariants_restarts(world->invariants);
    }
}

void soak_cut_off(struct soak_world *world, struct random *random)
{
    int64_t duration = (int64_t)below(random, 60000) * MILLISECOND;
    if (world->options.without & SOAK_WITHOUT_WATCH)
        return;
    soak_say(world, "the API server is out of reach for %.1f s", (double)duration / (double)SECOND);
    invariants_blind(world->invariants, true);
    simulation_cut_api(world->simulation, true);
    soak_pass(world, duration);
    simulation_cut_api(world->simulation, false);
    invariants_blind(world->invariants, false);
}

void soak_jump_clock(struct soak_world *world, struct random *random)
{
    int64_t jump = ((int64_t)below(random, 600) - 300) * SECOND;
    soak_say(world, "the clock jumps by %lld s", (long long)(jump / SECOND));
    invariants_clock_jumps(world->invariants, jump);
    loop_skew_wall_clock(world->loop, jump);
}

// An overloaded API server.
void soak_throttle(struct soak_world *world, struct random *random)
{
    int64_t duration = (int64_t)below(random, 60000) * MILLISECOND;
    struct sim_faults faults = world->api_faults;
    if (world->options.without & SOAK_WITHOUT_API)
        return;
    soak_say(world, "the API server refuses most requests for %.1f s",
             (double)duration / (double)SECOND);
    faults.too_many_requests = 0.6;
    faults.watch_refused = 0.5;
    invariants_blind(world->invariants, true);
    simulation_set_api_faults(world->simulation, &faults);
    soak_pass(world, duration);
    simulation_set_api_faults(world->simulation, &world->api_faults);
    invariants_blind(world->invariants, false);
}

// --- the provider's list -------------------------------------------------------------------------

void soak_change_prices(struct soak_world *world, struct random *random)
{
    struct sim_instances *park = simulation_park(world->simulation);
    const struct instance_type_catalog *catalog =
        soak_catalog(10 + below(random, 40), sim_instances_catalog(park), random);
    soak_say(world, "prices change");
    sim_instances_set_catalog(park, catalog);
    object_release((const struct object *)catalog);
    invariants_prices_change(world->invariants);
}

// Existing machines do not match the class any more.
void soak_change_class(struct soak_world *world, struct random *random)
{
    (void)random;
    soak_say(world, "the node class changes");
    world->class_changed = loop_now_ns(world->loop);
    soak_apply_class(world);
}
