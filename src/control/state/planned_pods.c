#include "control/state/planned_pods.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/memory.h"
#include "base/vector.h"

struct planned_claim {
    VECTOR(struct planned_pod *) pods;
    uint32_t count;   // pods and places
    uint32_t kept;    // kept places
    uint32_t awaited; // of them: pods may come for them; see count_awaited()
    bool is_ended;    // they are kept only as long as pods may come for them
    char name[];
};

struct planned_pod {
    struct planned_claim *claim;
    uint32_t index; // among its claim's pods
    char name[];    // namespace/name
};

typedef VECTOR(struct planned_claim *) place_list; // in the order of planning
struct planned_workload {
    place_list places, kept; // for future pods; for successors of evicted pods
    uint32_t missing;        // pods that are yet to be created
    uint32_t leaving;        // pods that are yet to be evicted
};

struct planned_pods {
    struct map *by_pod;      // UID -> struct planned_pod
    struct map *by_claim;    // name -> struct planned_claim, while it has pods
    struct map *by_workload; // UID -> struct planned_workload, while it has places or lacks pods
    uint32_t missing;        // pods that are yet to be created, of all workloads
    bool is_counted;         // awaited places, since the last change
};

struct planned_pods *planned_pods_create(void)
{
    struct planned_pods *planned = memory_allocate(sizeof *planned);
    planned->by_pod = map_create();
    planned->by_claim = map_create();
    planned->by_workload = map_create();
    return planned;
}

static void workload_destroy(void *value)
{
    struct planned_workload *workload = value;
    vector_free(&workload->places);
    vector_free(&workload->kept);
    free(workload);
}

static void claim_destroy(void *value)
{
    struct planned_claim *claim = value;
    vector_free(&claim->pods);
    free(claim);
}

void planned_pods_destroy(struct planned_pods *planned)
{
    if (planned == NULL)
        return;
    map_destroy(planned->by_pod, free);
    map_destroy(planned->by_workload, workload_destroy);
    map_destroy(planned->by_claim, claim_destroy);
    free(planned);
}

static struct planned_claim *claim_of(struct planned_pods *planned, const char *name)
{
    struct planned_claim *claim = map_get(planned->by_claim, name);
    if (claim != NULL)
        return claim;
    size_t length = strlen(name) + 1;
    claim = memory_allocate(sizeof *claim + length);
    memcpy(claim->name, name, length);
    map_set(planned->by_claim, name, claim);
    return claim;
}

static void give_back(struct planned_pods *planned, struct planned_claim *claim)
{
    if (--claim->count > 0)
        return;
    map_remove(planned->by_claim, claim->name);
    claim_destroy(claim);
}

void planned_pods_set(struct planned_pods *planned, const char *pod_uid, const char *name,
                      const char *claim_name)
{
    struct planned_claim *claim = claim_of(planned, claim_name);
    claim->count++;
    planned_pods_forget(planned, pod_uid);
    size_t length = strlen(name) + 1;
    struct planned_pod *pod = memory_allocate(sizeof *pod + length);
    memcpy(pod->name, name, length);
    pod->claim = claim;
    pod->index = (uint32_t)claim->pods.count;
    vector_push(&claim->pods, pod);
    map_set(planned->by_pod, pod_uid, pod);
}

void planned_pods_forget(struct planned_pods *planned, const char *pod_uid)
{
    struct planned_pod *pod = pod_uid != NULL ? map_remove(planned->by_pod, pod_uid) : NULL;
    if (pod == NULL)
        return;
    struct planned_claim *claim = pod->claim;
    struct planned_pod *last = claim->pods.items[--claim->pods.count];
    claim->pods.items[pod->index] = last;
    last->index = pod->index;
    free(pod);
    give_back(planned, claim);
}

const char *planned_pods_claim(const struct planned_pods *planned, const char *pod_uid)
{
    const struct planned_pod *pod = pod_uid != NULL ? map_get(planned->by_pod, pod_uid) : NULL;
    return pod != NULL ? pod->claim->name : NULL;
}

const char *planned_pods_next_claim(const struct planned_pods *planned, struct map_entry **position)
{
    *position = *position == NULL ? map_first(planned->by_claim) : map_next(*position);
    return *position != NULL ? map_key(*position) : NULL;
}

const char *planned_pods_on(const struct planned_pods *planned, const char *claim_name,
                            uint32_t number)
{
    const struct planned_claim *claim = map_get(planned->by_claim, claim_name);
    return claim != NULL && number < claim->pods.count ? claim->pods.items[number]->name : NULL;
}

uint32_t planned_pods_count(const struct planned_pods *planned, const char *claim)
{
    const struct planned_claim *entry = map_get(planned->by_claim, claim);
    return entry != NULL ? entry->count : 0;
}

// --- future pods ---------------------------------------------------------------------------------
void planned_pods_expect(struct planned_pods *planned, const char *workload_uid, const char *name)
{
    struct planned_workload *workload =
        map_ensure(planned->by_workload, workload_uid, sizeof *workload);
    struct planned_claim *claim = claim_of(planned, name);
    claim->count++;
    vector_push(&workload->places, claim);
}

uint32_t planned_pods_expected(const struct planned_pods *planned, const char *workload_uid)
{
    const struct planned_workload *workload = map_get(planned->by_workload, workload_uid);
    return workload != NULL ? (uint32_t)workload->places.count : 0;
}

const char *planned_pods_next_place(const struct planned_pods *planned, const char *workload_uid,
                                    uint32_t number)
{
    const struct planned_workload *workload = map_get(planned->by_workload, workload_uid);
    if (workload == NULL)
        return NULL;
    if (number < workload->places.count)
        return workload->places.items[number]->name;
    number -= (uint32_t)workload->places.count;
    return number < workload->kept.count ? workload->kept.items[number]->name : NULL;
}

static void drop_if_empty(struct planned_pods *planned, const char *workload_uid,
                          const struct planned_workload *workload)
{
    if (workload->places.count == 0 && workload->kept.count == 0 && workload->missing == 0)
        workload_destroy(map_remove(planned->by_workload, workload_uid));
}

static struct planned_claim *take_first(place_list *places)
{
    struct planned_claim *claim = places->items[0];
    memmove(&places->items[0], &places->items[1], (places->count - 1) * sizeof places->items[0]);
    places->count--;
    return claim;
}

bool planned_pods_arrive(struct planned_pods *planned, const char *workload_uid,
                         const char *pod_uid, const char *name)
{
    struct planned_workload *workload = map_get(planned->by_workload, workload_uid);
    if (workload == NULL || workload->places.count + workload->kept.count == 0 ||
        planned_pods_claim(planned, pod_uid) != NULL)
        return false;
    planned->is_counted = false;
    bool is_kept = workload->places.count == 0;
    struct planned_claim *claim = take_first(is_kept ? &workload->kept : &workload->places);
    planned_pods_set(planned, pod_uid, name, claim->name);
    claim->kept -= is_kept;
    give_back(planned, claim);
    drop_if_empty(planned, workload_uid, workload);
    return true;
}

void planned_pods_expect_no_more(struct planned_pods *planned, const char *workload_uid)
{
    struct planned_workload *workload = map_get(planned->by_workload, workload_uid);
    if (workload == NULL)
        return;
    vector_for_each (claim, &workload->places)
        give_back(planned, *claim);
    workload->places.count = 0;
    drop_if_empty(planned, workload_uid, workload);
}

// --- successors of evicted pods ------------------------------------------------------------------
void planned_pods_keep(struct planned_pods *planned, const char *workload_uid, const char *name)
{
    struct planned_workload *workload =
        map_ensure(planned->by_workload, workload_uid, sizeof *workload);
    struct planned_claim *claim = claim_of(planned, name);
    claim->count++;
    claim->kept++;
    planned->is_counted = false;
    vector_push(&workload->kept, claim);
}

uint32_t planned_pods_kept(const struct planned_pods *planned, const char *name)
{
    const struct planned_claim *claim = map_get(planned->by_claim, name);
    return claim != NULL ? claim->kept : 0;
}

// Places that a pod may still come for: those that the workload lacks, then those that it will
// lack.
static bool is_awaited(const struct planned_workload *workload, uint32_t place)
{
    return place < workload->missing || place - workload->missing < workload->leaving;
}

// Drops the places of ended commands that nobody comes for.
static void trim(struct planned_pods *planned, struct planned_workload *workload)
{
    uint32_t kept = 0, count = (uint32_t)workload->kept.count;
    for (uint32_t i = 0; i < count; i++) {
        struct planned_claim *claim = workload->kept.items[i];
        if (is_awaited(workload, i) || !claim->is_ended) {
            workload->kept.items[kept++] = claim;
            continue;
        }
        claim->kept--;
        give_back(planned, claim);
    }
    workload->kept.count = kept;
    planned->is_counted = false;
}

void planned_pods_set_missing(struct planned_pods *planned, const char *workload_uid,
                              uint32_t count)
{
    struct planned_workload *workload =
        count > 0 ? map_ensure(planned->by_workload, workload_uid, sizeof *workload)
                  : map_get(planned->by_workload, workload_uid);
    if (workload == NULL || workload->missing == count)
        return;
    planned->missing = planned->missing - workload->missing + count;
    workload->missing = count;
    trim(planned, workload);
    drop_if_empty(planned, workload_uid, workload);
}

uint32_t planned_pods_missing(const struct planned_pods *planned)
{
    return planned->missing;
}

static void count_awaited(struct planned_pods *planned)
{
    for (struct map_entry *entry = map_first(planned->by_claim); entry != NULL;
         entry = map_next(entry))
        ((struct planned_claim *)map_value(entry))->awaited = 0;
    for (struct map_entry *entry = map_first(planned->by_workload); entry != NULL;
         entry = map_next(entry)) {
        struct planned_workload *workload = map_value(entry);
        for (uint32_t i = 0; i < workload->kept.count && is_awaited(workload, i); i++)
            workload->kept.items[i]->awaited++;
    }
    planned->is_counted = true;
}

uint32_t planned_pods_awaited(struct planned_pods *planned, const char *name)
{
    if (!planned->is_counted)
        count_awaited(planned);
    const struct planned_claim *claim = map_get(planned->by_claim, name);
    return claim != NULL ? claim->awaited : 0;
}

void planned_pods_end_keeping(struct planned_pods *planned, const char *name)
{
    struct planned_claim *claim = map_get(planned->by_claim, name);
    if (claim != NULL)
        claim->is_ended = true;
}

void planned_pods_set_leaving(struct planned_pods *planned, const struct map *counts)
{
    struct map_entry *next;
    for (struct map_entry *entry = map_first(planned->by_workload); entry != NULL; entry = next) {
        next = map_next(entry);
        struct planned_workload *workload = map_value(entry);
        const uint32_t *count = map_get(counts, map_key(entry));
        workload->leaving = count != NULL ? *count : 0;
        trim(planned, workload);
        drop_if_empty(planned, map_key(entry), workload);
    }
}

static void drop_places(struct planned_pods *planned, place_list *places, const char *name)
{
    uint32_t kept = 0, count = (uint32_t)places->count;
    for (uint32_t i = 0; i < count; i++) {
        struct planned_claim *claim = places->items[i];
        if (strcmp(claim->name, name) != 0)
            places->items[kept++] = claim;
        else
            give_back(planned, claim);
    }
    places->count = kept;
}

void planned_pods_forget_claim(struct planned_pods *planned, const char *name)
{
    struct planned_claim *claim = map_get(planned->by_claim, name);
    struct map_entry *next;
    if (claim == NULL)
        return;
    claim->kept = 0;
    planned->is_counted = false;
    for (struct map_entry *entry = map_first(planned->by_workload); entry != NULL; entry = next) {
        next = map_next(entry);
        struct planned_workload *workload = map_value(entry);
        drop_places(planned, &workload->kept, name);
        drop_places(planned, &workload->places, name);
        drop_if_empty(planned, map_key(entry), workload);
    }
}
