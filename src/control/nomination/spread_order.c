#include "control/nomination/spread_order.h"

#include <stdlib.h>

#include "base/map.h"
#include "control/nomination/spread_places.h"
#include "control/state/cluster.h"
#include "control/state/cluster_plans.h"
#include "model/reading/pod.h"

struct spread_order {
    struct control *control;
    struct map *workloads; // spread_places by UID
};

struct spread_order *spread_order_create(struct control *control)
{
    struct spread_order *order = memory_allocate(sizeof *order);
    order->control = control;
    order->workloads = map_create();
    return order;
}

void spread_order_destroy(struct spread_order *order)
{
    map_destroy(order->workloads, spread_places_destroy);
    free(order);
}

void spread_order_add(struct spread_order *order, const struct node_claim *claim, bool spread_only)
{
    spread_places_add(order->control, order->workloads, claim, spread_only);
}

void spread_order_add_unnominated(struct spread_order *order, const struct node_claim *claim,
                                  bool is_open)
{
    spread_places_add_unnominated(order->control, order->workloads, claim, !is_open);
}

// A free place on the same node.
static bool has_sibling(const struct spread_places *places, const struct place *place)
{
    return places->hosts.items[place->host].left > 1;
}

static struct place *sibling_of(const struct spread_places *places, const struct place *place)
{
    vector_for_each (other, &places->places)
        if (other != place && !other->is_taken && other->host == place->host)
            return other;
    return NULL;
}

static bool is_free(const struct place *place)
{
    return !place->is_taken && !place->is_later;
}

static bool any_is_free(const struct spread_places *places)
{
    vector_for_each (place, &places->places)
        if (is_free(place))
            return true;
    return false;
}

static void count_left(struct spread_places *places)
{
    vector_for_each (domain, &places->domains)
        domain->left = domain->pairs_left = 0;
    vector_for_each (place, &places->places) {
        struct place_domain *domain = &places->domains.items[place->domain];
        if (!is_free(place))
            continue;
        domain->left++;
        domain->pairs_left += has_sibling(places, place);
    }
}

// The emptiest domain with a free place; among equals the one with the fewest pairs, since a pair
// is bound best after all others.
static uint32_t next_domain(const struct spread_places *places, bool *is_last)
{
    uint32_t best = UINT32_MAX, alike = 0;
    for (uint32_t i = 0; i < places->domains.count; i++) {
        const struct place_domain *domain = &places->domains.items[i];
        const struct place_domain *least = best != UINT32_MAX ? &places->domains.items[best] : NULL;
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

static struct place *place_in(const struct spread_places *places, uint32_t domain, bool pair)
{
    struct place *any = NULL;
    vector_for_each (place, &places->places) {
        if (!is_free(place) || place->domain != domain)
            continue;
        if (!place->is_put_off && has_sibling(places, place) == pair)
            return place;
        if (any == NULL || (any->is_put_off && !place->is_put_off))
            any = place;
    }
    return any;
}

static void put_off_siblings(struct spread_places *places, const struct place *place)
{
    vector_for_each (other, &places->places)
        if (!other->is_taken && other->host == place->host)
            other->is_put_off = true;
}

static void take(struct spread_order *order, struct spread_places *places, struct place *place,
                 uint32_t *number)
{
    place->is_taken = true;
    places->hosts.items[place->host].left--;
    places->domains.items[place->domain].pods++;
    spread_places_plan(order->control, places->pods.items[(*number)++].pod, place);
}

// The first pods go to the nodes that open first.
static void assign_in_turn(struct spread_order *order, struct spread_places *places)
{
    uint32_t number = 0;
    vector_for_each (place, &places->places)
        take(order, places, place, &number);
}

// The order of these is found when their nodes open.
static void assign_later(struct spread_order *order, struct spread_places *places, uint32_t number)
{
    vector_for_each (place, &places->places)
        if (!place->is_taken)
            take(order, places, place, &number);
}

// Orders the places so that each pod fits at its turn. kube-scheduler counts a nominated pod on its
// node: two pods of a node fit only if the first is the last of a round over the domains, and the
// second is the first of the next round.
static void assign(struct spread_order *order, struct spread_places *places)
{
    uint32_t number = 0;
    vector_for_each (place, &places->places)
        place->is_put_off = places->hosts.items[place->host].settled > 0;
    while (number < places->pods.count) {
        bool is_last;
        if (!any_is_free(places)) {
            assign_later(order, places, number);
            return;
        }
        count_left(places);
        uint32_t domain = next_domain(places, &is_last);
        struct place *place = place_in(places, domain, is_last);
        bool is_pair = is_last && !place->is_put_off;
        struct place *sibling = is_pair ? sibling_of(places, place) : NULL;
        take(order, places, place, &number);
        if (sibling != NULL)
            take(order, places, sibling, &number);
        put_off_siblings(places, place);
    }
}

void spread_order_apply(struct spread_order *order)
{
    spread_places_count(order->control, order->workloads);
    for (struct map_entry *entry = map_first(order->workloads); entry != NULL;
         entry = map_next(entry)) {
        struct spread_places *places = map_value(entry);
        if (!any_is_free(places) || places->pods.count > SPREAD_ORDER_PODS_MAX)
            continue;
        spread_places_sort(places);
        if (places->key != NULL)
            assign(order, places);
        else
            assign_in_turn(order, places);
    }
}
