#include "control/nomination/spread_mend.h"

#include <stdlib.h>

#include "base/map.h"
#include "base/nanoseconds.h"
#include "base/vector.h"
#include "control/nomination/opening_order.h"
#include "control/state/cluster.h"
#include "control/state/cluster_plans.h"
#include "model/reading/pod.h"

// The pod is bound there at this moment. kube-scheduler counts the nominated pods of the node as
// being there.
static bool fits_now(const struct spread_places *places, const struct place *place)
{
    const struct place_domain *own = &places->domains.items[place->domain];
    uint32_t pods = own->pods + places->hosts.items[place->host].nominated, least = pods;
    vector_for_each (domain, &places->domains)
        if (domain != own && domain->pods < least)
            least = domain->pods;
    return (int64_t)pods + 1 - least <= places->max_skew;
}

static void set_nominated(struct spread_places *places, const struct place *place, int change)
{
    if (!place->is_put_off)
        places->hosts.items[place->host].nominated += (uint32_t)change;
}

// With whom a pod that does not fit at its turn exchanges its place.
enum partner { LAST_THAT_FITS, NEXT_THAT_FITS };

// A pod that comes later and whose place would fit now; NULL: there is none.
static struct mover *find_partner(struct spread_places *places, uint32_t from, enum partner partner)
{
    uint32_t count = places->pods.count;
    for (uint32_t i = from; i < count; i++) {
        struct mover *mover =
            &places->pods.items[partner == NEXT_THAT_FITS ? i : from + count - 1 - i];
        struct place *place = &places->places.items[mover->place];
        if (place->is_put_off)
            continue;
        set_nominated(places, place, -1);
        bool fits = fits_now(places, place);
        set_nominated(places, place, 1);
        if (fits)
            return mover;
    }
    return NULL;
}

static void exchange(struct spread_places *places, struct mover *one, struct mover *other)
{
    uint32_t place = one->place;
    one->place = other->place;
    other->place = place;
    one->has_moved = other->has_moved = true;
    set_nominated(places, &places->places.items[one->place], -1);
    set_nominated(places, &places->places.items[other->place], 1);
}

struct mend {
    uint32_t exchanged;
    uint32_t unfit; // pods that do not fit at their turn all the same
};

// Binds the pods in their order. One that does not fit exchanges its place before.
static struct mend mend(struct spread_places *places, enum partner partner)
{
    struct mend mend = {0};
    for (uint32_t i = 0; i < places->pods.count; i++) {
        struct mover *mover = &places->pods.items[i];
        const struct place *place = &places->places.items[mover->place];
        set_nominated(places, place, -1);
        bool fits = fits_now(places, place);
        struct mover *other = fits ? NULL : find_partner(places, i + 1, partner);
        if (other != NULL) {
            exchange(places, mover, other);
            mend.exchanged++;
        }
        mend.unfit += !fits && other == NULL;
        places->domains.items[places->places.items[mover->place].domain].pods++;
    }
    return mend;
}

// Takes back what mend() has done: it has bound each pod once.
static void rewind_to(struct spread_places *places, const struct mover *before)
{
    for (uint32_t i = 0; i < places->pods.count; i++) {
        const struct place *place = &places->places.items[places->pods.items[i].place];
        places->domains.items[place->domain].pods--;
        set_nominated(places, place, 1);
        places->pods.items[i] = before[i];
    }
}

// A pod that has left its turn for the end of the queue leaves a gap. An exchange with the next pod
// carries the gap on, round after round over the domains; one with the last, which left and has no
// nomination as a rule, closes it. But the last pods may run out.
uint32_t spread_places_mend(struct spread_places *places)
{
    spread_places_sort(places);
    struct mover *before =
        memory_copy(places->pods.items, places->pods.count * sizeof *places->pods.items);
    struct mend by_last = mend(places, LAST_THAT_FITS), best = by_last;
    if (by_last.unfit > 0) {
        rewind_to(places, before);
        best = mend(places, NEXT_THAT_FITS);
    }
    if (best.unfit > by_last.unfit) {
        rewind_to(places, before);
        best = mend(places, LAST_THAT_FITS);
    }
    free(before);
    return best.exchanged;
}

static void plan_moved(const struct control *control, const struct spread_places *places)
{
    vector_for_each (mover, &places->pods)
        if (mover->has_moved)
            spread_places_plan(control, mover->pod, &places->places.items[mover->place]);
}

static int by_turn(const void *a, const void *b)
{
    const struct mover *x = *(const struct mover *const *)a, *y = *(const struct mover *const *)b;
    return x->turn < y->turn ? -1 : x->turn > y->turn;
}

// kube-scheduler tries the first pods while the nodes open, in vain: they come last.
static void put_head_last(const struct map *workloads)
{
    VECTOR(struct mover *) all = {0};
    for (struct map_entry *entry = map_first(workloads); entry != NULL; entry = map_next(entry)) {
        struct spread_places *places = map_value(entry);
        vector_for_each (mover, &places->pods)
            if (places->key != NULL)
                vector_push(&all, mover);
    }
    if (all.count > 1)
        qsort(all.items, all.count, sizeof(struct mover *), by_turn);
    int64_t last = all.count > 0 ? all.items[all.count - 1]->turn : 0;
    for (uint32_t i = 0; i < all.count / 2 && i < OPENING_HEAD_PODS; i++)
        all.items[i]->turn = ns_add(last, i + 1);
    vector_free(&all);
}

uint32_t spread_mend(struct control *control, const struct node_claim *const *claims,
                     uint32_t count)
{
    struct map *workloads = map_create();
    uint32_t exchanged = 0;
    for (uint32_t i = 0; i < count; i++)
        spread_places_add(control, workloads, claims[i], true);
    put_head_last(workloads);
    spread_places_count(control, workloads);
    for (struct map_entry *entry = map_first(workloads); entry != NULL; entry = map_next(entry)) {
        struct spread_places *places = map_value(entry);
        exchanged += places->key != NULL ? spread_places_mend(places) : 0;
        plan_moved(control, places);
    }
    map_destroy(workloads, spread_places_destroy);
    return exchanged;
}
