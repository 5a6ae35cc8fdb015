#include "cloud/aws/types/reservation_counts.h"

#include <assert.h>
#include <stdlib.h>

#include "base/map.h"
#include "base/nanoseconds.h"
#include "base/vector.h"

#define LIFETIME (24 * HOUR)

struct reservation {
    bool fetched;
    int64_t available, asked_at;
    int64_t terminated; // since the fetch
    bool exhausted;
    VECTOR(int64_t) launches; // instants, none before the fetch was asked for
};
struct reservation_counts {
    struct loop *loop;
    struct map *by_id;
    uint64_t generation;
};

struct reservation_counts *reservation_counts_create(struct loop *loop)
{
    assert(loop != NULL);
    struct reservation_counts *counts = memory_allocate(sizeof *counts);
    counts->loop = loop;
    counts->by_id = map_create();
    counts->generation = 1;
    return counts;
}

static void reservation_destroy(void *value)
{
    struct reservation *reservation = value;
    vector_free(&reservation->launches);
    free(reservation);
}

void reservation_counts_destroy(struct reservation_counts *counts)
{
    if (counts == NULL)
        return;
    map_destroy(counts->by_id, reservation_destroy);
    free(counts);
}

static bool has_lapsed(const struct reservation_counts *counts,
                       const struct reservation *reservation)
{
    return ns_subtract(loop_now_ns(counts->loop), reservation->asked_at) > LIFETIME;
}

static int64_t free_of(const struct reservation *reservation)
{
    if (!reservation->fetched || reservation->exhausted)
        return 0;
    int64_t count = reservation->available + reservation->terminated - reservation->launches.count;
    return count > 0 ? count : 0;
}

int64_t reservation_counts_free(const struct reservation_counts *counts, const char *id)
{
    if (counts == NULL || id == NULL)
        return 0;
    const struct reservation *reservation = map_get(counts->by_id, id);
    return reservation == NULL || has_lapsed(counts, reservation) ? 0 : free_of(reservation);
}

static void note_change(struct reservation_counts *counts, const struct reservation *reservation,
                        int64_t before)
{
    counts->generation += free_of(reservation) != before;
}

static void forget_lapsed(struct reservation_counts *counts)
{
    for (struct map_entry *entry = map_first(counts->by_id), *next; entry != NULL; entry = next) {
        next = map_next(entry);
        if (!has_lapsed(counts, map_value(entry)))
            continue;
        reservation_destroy(map_remove(counts->by_id, map_key(entry)));
        counts->generation++;
    }
}

// AWI-941: only launches that the answer cannot have seen are subtracted.
void reservation_counts_fetched(struct reservation_counts *counts, const char *id,
                                int64_t available, int64_t asked_at)
{
    assert(id != NULL);
    struct reservation *reservation = map_ensure(counts->by_id, id, sizeof *reservation);
    if (reservation->fetched && asked_at < reservation->asked_at)
        return; // a late answer
    int64_t before = free_of(reservation);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < reservation->launches.count; i++)
        if (reservation->launches.items[i] >= asked_at)
            reservation->launches.items[kept++] = reservation->launches.items[i];
    reservation->launches.count = kept;
    reservation->fetched = true;
    reservation->available = available > 0 ? available : 0;
    reservation->asked_at = asked_at;
    reservation->terminated = 0;
    reservation->exhausted = false;
    note_change(counts, reservation, before);
    forget_lapsed(counts);
}

void reservation_counts_launched(struct reservation_counts *counts, const char *id,
                                 int64_t launched_at)
{
    assert(id != NULL);
    struct reservation *reservation = map_get(counts->by_id, id);
    if (reservation == NULL || launched_at < reservation->asked_at)
        return;
    int64_t before = free_of(reservation);
    if (before > 0) // never below 0, so that a later termination counts
        vector_push(&reservation->launches, launched_at);
    note_change(counts, reservation, before);
}

void reservation_counts_terminated(struct reservation_counts *counts, const char *id)
{
    assert(id != NULL);
    struct reservation *reservation = map_get(counts->by_id, id);
    if (reservation == NULL)
        return;
    int64_t before = free_of(reservation);
    if (reservation->exhausted) { // counted anew from nothing
        reservation->exhausted = false;
        reservation->available = 0;
        reservation->terminated = 0;
        reservation->launches.count = 0;
    }
    reservation->terminated++;
    note_change(counts, reservation, before);
}

void reservation_counts_exhausted(struct reservation_counts *counts, const char *id)
{
    assert(id != NULL);
    struct reservation *reservation = map_get(counts->by_id, id);
    if (reservation == NULL)
        return;
    int64_t before = free_of(reservation);
    reservation->exhausted = true;
    note_change(counts, reservation, before);
}

uint64_t reservation_counts_generation(const struct reservation_counts *counts)
{
    return counts != NULL ? counts->generation : 0;
}
