#include "control/state/nominations.h"

#include <assert.h>
#include <stdlib.h>

#include "base/log.h"
#include "base/map.h"
#include "base/memory.h"
#include "base/nanoseconds.h"
#include "model/reading/pod.h"

#define JUDGED_LEAST 40 // landings of nominated pods before a verdict
#define KEPT_PERCENT 50 // of them at least, or nominations are not honored
#define DISTRUST_NS  HOUR
#define PAUSE_NS     (250 * MILLISECOND) // first pause between two nominations of a pod; it doubles
#define PAUSE_MAX_NS (10 * SECOND)       // the longest pause

struct nomination_of_pod { // the pod's last nomination
    int64_t at_ns;         // monotonic
    int64_t pause_ns;      // before the next one
};

struct nominations {
    struct loop *loop;
    bool is_supported;
    uint32_t as_planned, elsewhere; // landings of nominated pods since the last evaluation
    int64_t distrusted_until_ns;    // monotonic
    struct map *pods;               // pod UID -> struct nomination_of_pod
    struct map *closed;             // names of NodeClaims; no values
    bool is_opening;                // kept nodes
};

struct nominations *nominations_create(struct loop *loop)
{
    assert(loop != NULL);
    struct nominations *nominations = memory_allocate(sizeof *nominations);
    nominations->loop = loop;
    nominations->pods = map_create();
    nominations->closed = map_create();
    return nominations;
}

void nominations_destroy(struct nominations *nominations)
{
    if (nominations == NULL)
        return;
    map_destroy(nominations->pods, free);
    map_destroy(nominations->closed, NULL);
    free(nominations);
}

void nominations_set_supported(struct nominations *nominations, bool supported)
{
    nominations->is_supported = supported;
}

bool nominations_work(const struct nominations *nominations)
{
    return nominations->is_supported &&
           loop_monotonic_ns(nominations->loop) >= nominations->distrusted_until_ns;
}

// --- of pods -------------------------------------------------------------------------------------
void nominations_note(struct nominations *nominations, const struct pod *pod, bool is_preparing)
{
    struct nomination_of_pod *last = map_ensure(nominations->pods, pod->meta.uid, sizeof *last);
    last->at_ns = loop_monotonic_ns(nominations->loop);
    last->pause_ns = last->pause_ns == 0 || is_preparing
                         ? PAUSE_NS
                         : ns_minimum(ns_multiply(last->pause_ns, 2), PAUSE_MAX_NS);
}

void nominations_forget(struct nominations *nominations, const char *pod_uid)
{
    free(map_remove(nominations->pods, pod_uid));
}

bool nominations_knows(const struct nominations *nominations, const struct pod *pod)
{
    return pod->meta.uid != NULL && map_get(nominations->pods, pod->meta.uid) != NULL;
}

bool nominations_has(const struct nominations *nominations, const struct pod *pod)
{
    return nominations_work(nominations) && nominations_knows(nominations, pod);
}

int64_t nominations_pause(const struct nominations *nominations, const struct pod *pod)
{
    const struct nomination_of_pod *last = map_get(nominations->pods, pod->meta.uid);
    if (last == NULL)
        return 0;
    int64_t left_ns =
        ns_subtract(ns_add(last->at_ns, last->pause_ns), loop_monotonic_ns(nominations->loop));
    return left_ns > 0 ? left_ns : 0;
}

void nominations_note_landing(struct nominations *nominations, const struct pod *pod,
                              bool as_planned)
{
    if (!nominations_work(nominations) || !pod_is_nominated(pod))
        return;
    if (as_planned)
        nominations->as_planned++;
    else
        nominations->elsewhere++;
    uint32_t all = nominations->as_planned + nominations->elsewhere;
    if (all < JUDGED_LEAST)
        return;
    if (100 * nominations->as_planned < KEPT_PERCENT * all) {
        nominations->distrusted_until_ns =
            ns_add(loop_monotonic_ns(nominations->loop), DISTRUST_NS);
        log_info("pods are not nominated for an hour: kube-scheduler puts them elsewhere",
                 "s:controller", "pod.nomination", "i:nominated", (int64_t)all, "i:elsewhere",
                 (int64_t)nominations->elsewhere);
    }
    nominations->as_planned = nominations->elsewhere = 0;
}

// --- of nodes ------------------------------------------------------------------------------------
void nominations_keep_closed(struct nominations *nominations, const char *claim, bool closed)
{
    if (closed)
        map_set(nominations->closed, claim, nominations);
    else
        map_remove(nominations->closed, claim);
}

void nominations_set_opening(struct nominations *nominations, bool opening)
{
    nominations->is_opening = opening;
}

bool nominations_are_opening(const struct nominations *nominations)
{
    return nominations->is_opening;
}

bool nominations_keep(const struct nominations *nominations, const char *claim)
{
    return nominations_work(nominations) && map_get(nominations->closed, claim) != NULL;
}
