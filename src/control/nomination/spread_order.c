#include "control/nomination/spread_order.h"

#include <stdlib.h>
#include <string.h>

#include "control/state/cluster.h"
#include "control/state/cluster_plans.h"
#include "control/state/state_node.h"
#include "model/reading/pod.h"

#define TRIED_RANK 1e9 // more than there are pods

struct place {
    const struct node_claim *claim;
    uint32_t host; // number of the claim
    uint32_t domain;
    bool is_taken;
    bool is_put_off; // another pod of the workload goes to the node first
};

struct mover {
    const struct pod *pod;
    uint64_t serial;
    bool was_tried; // failed attempts exist; pods without one go first
};

struct domain {
    const char *name;
    uint32_t pods;
    uint32_t left, pairs_left; // free places; those that share their node with another place
};

struct moving {      // a workload
    const char *key; // NULL: the workload is not spread
    VECTOR(struct mover) pods;
    VECTOR(struct place) places;
    VECTOR(struct domain) domains;
    VECTOR(uint32_t) hosts; // free places on each
};

struct spread_order {
    struct control *control;
    struct map *workloads; // by UID
};

struct spread_order *spread_order_create(struct control *control)
{
    struct spread_order *order = memory_allocate(sizeof *order);
    order->control = control;
    order->workloads = map_create();
    return order;
}

static void moving_destroy(void *value)
{
    struct moving *moving = value;
    vector_free(&moving->pods);
    vector_free(&moving->places);
    vector_free(&moving->domains);
    vector_free(&moving->hosts);
    free(moving);
}

void spread_order_destroy(struct spread_order *order)
{
    map_destroy(order->workloads, moving_destroy);
    free(order);
}

const char *spread_order_key(const struct pod *pod)
{
    list_for_each (spread, &pod->spec.topology_spread_constraints)
        if (text_equal(spread->when_unsatisfiable, "DoNotSchedule") &&
            !text_equal(spread->topology_key, LABEL_HOSTNAME))
            return spread->topology_key;
    return NULL;
}

static uint32_t domain_of(struct moving *moving, const char *name)
{
    for (uint32_t i = 0; i < moving->domains.count; i++)
        if (text_equal(moving->domains.items[i].name, name))
            return i;
    struct domain domain = {.name = name};
    vector_push(&moving->domains, domain);
    return moving->domains.count - 1;
}

// Adds the claim if it is new.
static uint32_t host_of(struct moving *moving, const struct node_claim *claim)
{
    const struct place *last =
        moving->places.count > 0 ? &moving->places.items[moving->places.count - 1] : NULL;
    if (last == NULL || last->claim != claim)
        vector_push(&moving->hosts, 0);
    return moving->hosts.count - 1;
}

static struct mover mover_of(const struct spread_order *order, const struct pod *pod)
{
    return (struct mover){pod, cluster_pod_serial(order->control->cluster, pod),
                          !pod_is_unexamined(pod)};
}

void spread_order_add(struct spread_order *order, const struct node_claim *claim)
{
    struct cluster *cluster = order->control->cluster;
    const struct node *node = cluster_main_node(cluster, claim);
    const struct pod *pod;
    for (uint32_t i = 0; (pod = cluster_planned_on(cluster, claim, i)) != NULL; i++) {
        const char *key = spread_order_key(pod), *workload = pod_controller_uid(pod);
        const char *name = key != NULL ? label_of_node(node, claim, key) : "";
        if (workload == NULL || name == NULL)
            continue;
        struct moving *moving = map_ensure(order->workloads, workload, sizeof *moving);
        moving->key = key;
        struct mover mover = mover_of(order, pod);
        struct place place = {
            .claim = claim, .host = host_of(moving, claim), .domain = domain_of(moving, name)};
        moving->hosts.items[place.host]++;
        vector_push(&moving->pods, mover);
        vector_push(&moving->places, place);
    }
}

// Counts the running pods.
static void count_present(struct spread_order *order)
{
    struct cluster *cluster = order->control->cluster;
    struct map_entry *position = NULL;
    const struct state_node *state;
    while (map_count(order->workloads) > 0 && (state = cluster_next(cluster, &position)) != NULL) {
        const struct node *node = state_main_node(state);
        const struct pod_list *pods = cluster_pods(cluster, node != NULL ? node->meta.name : NULL);
        for (uint32_t i = 0; i < pods->count; i++) {
            const char *workload = pod_controller_uid(pods->items[i]);
            struct moving *moving = workload != NULL ? map_get(order->workloads, workload) : NULL;
            const char *name = moving != NULL && moving->key != NULL
                                   ? string_map_get(&node->meta.labels, moving->key)
                                   : NULL;
            if (name != NULL && !pod_is_terminal(pods->items[i]))
                moving->domains.items[domain_of(moving, name)].pods++;
        }
    }
}

// The order of kube-scheduler's queue.
static int first_tried(const void *a, const void *b)
{
    const struct mover *x = a, *y = b;
    if (x->was_tried != y->was_tried)
        return x->was_tried ? 1 : -1;
    return x->serial < y->serial ? -1 : x->serial > y->serial;
}

// A free place on the same node.
static bool has_sibling(const struct moving *moving, const struct place *place)
{
    return moving->hosts.items[place->host] > 1;
}

static struct place *sibling_of(const struct moving *moving, const struct place *place)
{
    vector_for_each (other, &moving->places)
        if (other != place && !other->is_taken && other->host == place->host)
            return other;
    return NULL;
}

static void count_left(struct moving *moving)
{
    vector_for_each (domain, &moving->domains)
        domain->left = domain->pairs_left = 0;
    vector_for_each (place, &moving->places) {
        struct domain *domain = &moving->domains.items[place->domain];
        if (place->is_taken)
            continue;
        domain->left++;
        domain->pairs_left += has_sibling(moving, place);
    }
}

// The emptiest domain with a free place; among equals the one with the fewest pairs, since a pair
// is bound best after all others.
static uint32_t next_domain(const struct moving *moving, bool *is_last)
{
    uint32_t best = UINT32_MAX, alike = 0;
    for (uint32_t i = 0; i < moving->domains.count; i++) {
        const struct domain *domain = &moving->domains.items[i];
        const struct domain *least = best != UINT32_MAX ? &moving->domains.items[best] : NULL;
        if (domain->left == 0)
            continue;
        alike = least != NULL && domain->pods == least->pods  ? alike + 1
                : least == NULL || domain->pods < least->pods ? 1
                                                              : alike;
        if (least == NULL || domain->pods < least->pods ||
            (domain->pods == least->pods && domain->pairs_left < least->pairs_left))
            best = i;
    }
    *is_last = alike == 1;
    return best;
}

static struct place *place_in(const struct moving *moving, uint32_t domain, bool pair)
{
    struct place *any = NULL;
    vector_for_each (place, &moving->places) {
        if (place->is_taken || place->domain != domain)
            continue;
        if (!place->is_put_off && has_sibling(moving, place) == pair)
            return place;
        if (any == NULL || (any->is_put_off && !place->is_put_off))
            any = place;
    }
    return any;
}

static void put_off_siblings(struct moving *moving, const struct place *place)
{
    vector_for_each (other, &moving->places)
        if (!other->is_taken && other->host == place->host)
            other->is_put_off = true;
}

static void take(struct spread_order *order, struct moving *moving, struct place *place,
                 uint32_t *number)
{
    place->is_taken = true;
    moving->hosts.items[place->host]--;
    moving->domains.items[place->domain].pods++;
    cluster_put_off(order->control->cluster, moving->pods.items[*number].pod, place->is_put_off);
    cluster_plan_pod(order->control->cluster, moving->pods.items[(*number)++].pod,
                     place->claim->meta.name);
}

// The first pods go to the nodes that open first.
static void assign_in_turn(struct spread_order *order, struct moving *moving)
{
    uint32_t number = 0;
    vector_for_each (place, &moving->places)
        take(order, moving, place, &number);
}

// Orders the places so that each pod fits at its turn. kube-scheduler counts a nominated pod on its
// node: two pods of a node fit only if the first is the last of a round over the domains, and the
// second is the first of the next round.
static void assign(struct spread_order *order, struct moving *moving)
{
    uint32_t number = 0;
    while (number < moving->pods.count) {
        bool is_last;
        count_left(moving);
        uint32_t domain = next_domain(moving, &is_last);
        struct place *place = place_in(moving, domain, is_last);
        bool is_pair = is_last && !place->is_put_off;
        struct place *sibling = is_pair ? sibling_of(moving, place) : NULL;
        take(order, moving, place, &number);
        if (sibling != NULL)
            take(order, moving, sibling, &number);
        put_off_siblings(moving, place);
    }
}

struct turn { // of a node
    const struct node_claim *claim;
    double rank;
};

static int earliest_first(const void *a, const void *b)
{
    const struct turn *x = a, *y = b;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return strcmp(x->claim->meta.name, y->claim->meta.name);
}

// The average position of the node's pods in kube-scheduler's queue.
static double rank_of(const struct spread_order *order, const struct node_claim *claim)
{
    double sum = 0;
    uint32_t count = 0;
    const struct pod *pod;
    while ((pod = cluster_planned_on(order->control->cluster, claim, count)) != NULL) {
        const struct mover mover = mover_of(order, pod);
        sum += (double)mover.serial + (mover.was_tried ? TRIED_RANK : 0);
        count++;
    }
    return count > 0 ? sum / count : 0;
}

void spread_order_nodes(struct spread_order *order, const struct node_claim **claims,
                        uint32_t count)
{
    struct turn *turns = memory_allocate_array(count + 1, sizeof *turns);
    for (uint32_t i = 0; i < count; i++)
        turns[i] = (struct turn){claims[i], rank_of(order, claims[i])};
    qsort(turns, count, sizeof *turns, earliest_first);
    for (uint32_t i = 0; i < count; i++)
        claims[i] = turns[i].claim;
    free(turns);
}

void spread_order_apply(struct spread_order *order)
{
    count_present(order);
    for (struct map_entry *entry = map_first(order->workloads); entry != NULL;
         entry = map_next(entry)) {
        struct moving *moving = map_value(entry);
        qsort(moving->pods.items, moving->pods.count, sizeof(struct mover), first_tried);
        if (moving->key != NULL)
            assign(order, moving);
        else
            assign_in_turn(order, moving);
    }
}
