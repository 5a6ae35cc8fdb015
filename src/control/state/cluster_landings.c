#include "control/state/cluster_landings.h"

#include "control/state/nominations.h"
#include "control/state/pod_siblings.h"
#include "model/reading/pod.h"
#include "model/schema/resources.h"

static void count_landing(const struct cluster *cluster, const struct node_claim *claim,
                          bool as_planned)
{
    metric_add(cluster->control->metrics.planned_pods_bound, 1,
               label_or_empty((const struct object *)claim, LABEL_NODE_POOL),
               as_planned ? "planned" : "elsewhere");
    vector_for_each (observer, &cluster->landing_observers)
        observer->handler(observer->context, as_planned);
}

static bool take_room(struct resource_map *room, const struct resource_map *requests)
{
    bool covers = resource_map_covers(room, requests);
    if (covers)
        resource_map_take(room, requests);
    return covers;
}

// The planned pod of the NodeClaim with that number, or NULL.
static struct pod_record *planned_record(const struct cluster *cluster, const char *claim,
                                         uint32_t number)
{
    const char *name = planned_pods_on(cluster->planned, claim, number);
    return name != NULL ? map_get(cluster->pods.records, name) : NULL;
}

// A pod was bound to a node that other pods are planned for. Planned pods that no longer fit lose
// their place.
static void release_displaced(struct cluster *cluster, const struct landing *landing)
{
    const struct node_claim *claim = landing->claim;
    if (claim == NULL || landing->state == NULL ||
        planned_pods_count(cluster->planned, claim->meta.name) == 0)
        return;
    CLEANUP_ARENA struct arena *arena = arena_create(16 * 1024);
    struct resource_map own =
        state_room(arena, landing->state, pod_index_on(&cluster->pods, landing->node->meta.name));
    struct pod_record *record;
    for (uint32_t i = 0; (record = planned_record(cluster, claim->meta.name, i)) != NULL;) {
        struct resource_map requests = pod_requests(arena, record->pod);
        if (take_room(&own, &requests)) {
            i++;
            continue;
        }
        count_landing(cluster, claim, false);
        record->displaced_ns = loop_monotonic_ns(cluster->control->manager.loop);
        planned_pods_forget(cluster->planned, record->pod->meta.uid);
    }
}

static bool can_take(const struct cluster *cluster, const struct pod_record *other,
                     const struct pod_record *record)
{
    return other != record && !pod_is_bound(other->pod) &&
           text_equal(pod_controller_uid(other->pod), pod_controller_uid(record->pod)) &&
           !pod_is_tied(cluster->control, other->pod) && pods_are_siblings(other->pod, record->pod);
}

// kube-scheduler keeps room for a sibling that is nominated. Only the pod's spread can have taken
// its place all the same.
static struct pod_record *sibling_on(const struct cluster *cluster, const struct pod_record *record,
                                     const struct node_claim *claim)
{
    struct pod_record *other, *nominated = NULL;
    for (uint32_t i = 0;
         claim != NULL && (other = planned_record(cluster, claim->meta.name, i)) != NULL; i++) {
        if (!can_take(cluster, other, record))
            continue;
        if (!pod_is_nominated(other->pod))
            return other;
        nominated = nominated != NULL ? nominated : other;
    }
    return pod_spread_key(record->pod) != NULL ? nominated : NULL;
}

static const char *domain_of(const struct cluster *cluster, const struct node_claim *claim,
                             const char *key)
{
    const struct state_node *state = state_of_claim(cluster, claim);
    return label_of_node(state != NULL ? state_main_node(state) : NULL, claim, key);
}

// Of the NodeClaim's planned pods the one that kube-scheduler tries last, if it comes after `last`.
static struct pod_record *later_sibling_on(const struct cluster *cluster,
                                           const struct pod_record *record, const char *claim,
                                           struct pod_record *last)
{
    struct pod_record *other;
    for (uint32_t i = 0; (other = planned_record(cluster, claim, i)) != NULL; i++)
        if ((last == NULL || other->turn.at > last->turn.at) && can_take(cluster, other, record))
            last = other;
    return last;
}

// The landed pod has used up what its spread allows in this domain: one of its siblings that are
// planned there has to go elsewhere. Returns the one that kube-scheduler tries last, or NULL.
static struct pod_record *sibling_in_domain(const struct cluster *cluster,
                                            const struct pod_record *record,
                                            const struct node_claim *planned,
                                            const struct landing *landing)
{
    const struct topology_spread_constraint *spread = pod_wide_spread(record->pod);
    if (spread == NULL || spread->max_skew != 1 || landing->node == NULL || landing->claim == NULL)
        return NULL;
    const char *key = spread->topology_key, *own = domain_of(cluster, planned, key);
    const char *domain = label_of_node(landing->node, landing->claim, key);
    if (domain == NULL || own == NULL || text_equal(domain, own))
        return NULL;
    const char *name;
    struct pod_record *last = NULL;
    struct map_entry *position = NULL;
    while ((name = planned_pods_next_claim(cluster->planned, &position)) != NULL) {
        const struct node_claim *claim = find_claim(cluster->control, name);
        if (claim != NULL && text_equal(domain, domain_of(cluster, claim, key)))
            last = later_sibling_on(cluster, record, name, last);
    }
    return last;
}

// The next successor may need the place (kept_replacements.h): which of the workload's pods goes
// where is up to kube-scheduler.
static void keep_again(struct cluster *cluster, const struct pod *pod,
                       const struct node_claim *claim)
{
    const char *workload = pod_controller_uid(pod);
    if (workload != NULL && claim != NULL &&
        nominations_keep(cluster->nominations, claim->meta.name))
        planned_pods_keep(cluster->planned, workload, claim->meta.name);
}

static bool is_going(const struct cluster *cluster, const struct node_claim *claim)
{
    const struct state_node *state = state_of_claim(cluster, claim);
    return object_is_deleting((const struct object *)claim) ||
           (state != NULL && state_marked(state));
}

// A pod that was bound to another node than planned has the place of a sibling that is planned
// there; that one gets its place, so the plan holds: true. If none is planned there, a sibling that
// can no longer be bound in that domain gets the place: it is still needed. *left: the NodeClaim
// whose place is nobody's then.
static bool exchange_places(struct cluster *cluster, const struct pod_record *record,
                            const struct node_claim *planned, const struct landing *landing,
                            const struct node_claim **left)
{
    if (!cluster->control->strategy->keeps_plans || is_going(cluster, planned))
        return false;
    struct pod_record *here = sibling_on(cluster, record, landing->claim);
    struct pod_record *other =
        here != NULL ? here : sibling_in_domain(cluster, record, planned, landing);
    if (other == NULL)
        return false;
    *left =
        find_claim(cluster->control, planned_pods_claim(cluster->planned, other->pod->meta.uid));
    other->is_put_off = record->is_put_off;
    cluster_set_plan(cluster, other->pod, planned->meta.name, true);
    return here != NULL;
}

static const char *state_of_place(const struct node *node, const struct pod *pod)
{
    if (node == NULL)
        return "yet to come";
    if (node_is_closed(node))
        return "closed";
    return pod_is_nominated(pod) ? "open, pod nominated" : "open";
}

static void log_landing(const struct cluster *cluster, const struct pod_record *record,
                        const struct node_claim *planned, const struct landing *landing, bool holds)
{
    const struct state_node *state = state_of_claim(cluster, planned);
    const struct node *node = state != NULL ? state_main_node(state) : NULL;
    const struct pod *pod = record->pod;
    log_debug(holds ? "pod was bound in the place of a sibling" : "pod was bound elsewhere",
              "s:controller", "pod.nomination", "n:Pod", pod->meta.namespace, pod->meta.name,
              "o:Node", landing->node != NULL ? landing->node->meta.name : "",
              "s:planned-nodeclaim", planned->meta.name, "s:planned-node-is",
              state_of_place(node, pod));
}

// SCH-516: kube-scheduler may bind a planned pod elsewhere. True if the plan holds all the same.
static bool note_landing(struct cluster *cluster, const struct pod_record *record,
                         const struct node_claim *planned, const struct landing *landing)
{
    const struct node *node = landing->node;
    const struct node_claim *left = planned;
    cluster->landed_ns = loop_monotonic_ns(cluster->control->manager.loop);
    bool there = node != NULL && node_claim_key(planned) != NULL &&
                 text_equal(node->spec.provider_id, node_claim_key(planned));
    nominations_note_landing(cluster->nominations, record->pod, there);
    bool holds = there || exchange_places(cluster, record, planned, landing, &left);
    count_landing(cluster, planned, holds);
    if (!there)
        log_landing(cluster, record, planned, landing, holds);
    if (!holds)
        keep_again(cluster, record->pod, left);
    return holds;
}

void cluster_note_binding(struct cluster *cluster, struct pod_record *record,
                          const struct landing *landing)
{
    const char *uid = record->pod->meta.uid;
    record->displaced_ns = 0;
    const char *name = planned_pods_claim(cluster->planned, uid);
    const struct node_claim *planned = name != NULL ? find_claim(cluster->control, name) : NULL;
    bool as_planned = planned != NULL && note_landing(cluster, record, planned, landing);
    planned_pods_forget(cluster->planned, uid);
    if (!as_planned && cluster->control->strategy->keeps_plans)
        release_displaced(cluster, landing);
}
