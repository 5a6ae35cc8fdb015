#include "control/nomination/opening_group.h"

#include <stdlib.h>
#include <string.h>

#include "base/nanoseconds.h"
#include "base/vector.h"
#include "control/nomination/group_order.h"
#include "control/nomination/opening_order.h"
#include "control/nomination/scheduler_quiet.h"
#include "control/nomination/sibling_exchange.h"
#include "control/state/cluster.h"
#include "control/state/cluster_plans.h"

#define PODS_MAX       2000
#define PREPARE_NS     (2 * SECOND) // for nominations, and so much longer for each pod:
#define PREPARE_POD_NS (8 * MILLISECOND)
#define PROGRESS_NS    SECOND // while a pod is nominated so often, twice as long: a slow API server
#define LOST_SHARE     40     // of the group's pods: so few need not be waited for
#define STORM_SHARE    20     // of the group's pods: more are a storm, if they are at least
#define STORM_LEAST    3
#define STORMS_MAX     2             // of a group's nominations
#define OUTRUN_SHARE   5             // of the group's pods: no more may have lost theirs, and
#define OUTRUN_LEFT    4             // no more may be left to nominate
#define BIND_NS        (10 * SECOND) // from the opening on
#define LATE_SHARE     20            // of the group's pods: so few are left behind, or
#define LATE_FEW       2

struct member { // a NodeClaim
    uint32_t turn;
    char claim[];
};

struct opening_group {
    struct control *control;
    int64_t patience_ns;
    opening_unnominated *unnominated;
    void *context;
    struct map *members; // by NodeClaim
    uint32_t pods;
    uint32_t unprepared; // pods, at the last step
    uint32_t waiting;    // pods that are not bound, at the last step after the opening
    uint32_t lost;       // pods that have lost their nomination, at the last step
    uint32_t mends, storms;
    // Monotonic; 0: not yet.
    int64_t begun_ns;
    int64_t progress_ns;  // the last decrease of the unprepared or waiting pods
    int64_t paused_ns;    // since when pods are not nominated; 0: they are
    int64_t nominated_ns; // since when they are
    int64_t opened_ns;
    bool is_over;
    bool awaits_quiet; // the nodes are ready, and kube-scheduler tries pods
};

static struct opening_group empty_group(struct control *control, int64_t patience_ns,
                                        opening_unnominated *unnominated, void *context)
{
    return (struct opening_group){.control = control,
                                  .patience_ns = patience_ns,
                                  .unnominated = unnominated,
                                  .context = context,
                                  .members = map_create()};
}

struct opening_group *opening_group_create(struct control *control, int64_t patience_ns,
                                           opening_unnominated *unnominated, void *context)
{
    struct opening_group *group = memory_allocate(sizeof *group);
    *group = empty_group(control, patience_ns, unnominated, context);
    return group;
}

void opening_group_destroy(struct opening_group *group)
{
    if (group == NULL)
        return;
    map_destroy(group->members, free);
    free(group);
}

static int64_t now_of(const struct opening_group *group)
{
    return loop_monotonic_ns(group->control->manager.loop);
}

// --- members -------------------------------------------------------------------------------------
static uint32_t count_fitting(struct opening_group *group, const struct node_claim *const *claims,
                              uint32_t count)
{
    uint32_t fitting = 0;
    for (; fitting < count; fitting++) {
        uint32_t pods = cluster_planned_count(group->control->cluster, claims[fitting]);
        if (group->pods > 0 && group->pods + pods > PODS_MAX)
            break;
        group->pods += pods;
    }
    return fitting;
}

static void add_member(struct opening_group *group, const char *claim, uint32_t turn)
{
    size_t length = strlen(claim) + 1;
    struct member *member = memory_allocate(sizeof *member + length);
    member->turn = turn;
    memcpy(member->claim, claim, length);
    map_set(group->members, member->claim, member);
}

void opening_group_begin(struct opening_group *group, const struct node_claim *const *claims,
                         uint32_t count)
{
    opening_group_end(group);
    uint32_t fitting = count_fitting(group, claims, count);
    for (uint32_t i = 0; i < fitting; i++)
        add_member(group, claims[i]->meta.name, i);
    group->begun_ns = group->paused_ns = now_of(group);
    sibling_exchange(group->control, claims, fitting);
}

bool opening_group_is_empty(const struct opening_group *group)
{
    return map_count(group->members) == 0;
}

bool opening_group_has(const struct opening_group *group, const char *claim)
{
    return map_get(group->members, claim) != NULL;
}

void opening_group_drop(struct opening_group *group, const char *claim)
{
    free(map_remove(group->members, claim));
}

void opening_group_end(struct opening_group *group)
{
    map_destroy(group->members, free);
    *group = empty_group(group->control, group->patience_ns, group->unnominated, group->context);
}

static int by_turn(const void *a, const void *b)
{
    const struct member *x = *(const struct member *const *)a;
    const struct member *y = *(const struct member *const *)b;
    if (x->turn != y->turn)
        return x->turn < y->turn ? -1 : 1;
    return strcmp(x->claim, y->claim);
}

const struct node_claim **opening_group_claims(const struct opening_group *group, uint32_t *count)
{
    VECTOR(const struct member *) members = {0};
    for (struct map_entry *entry = map_first(group->members); entry != NULL;
         entry = map_next(entry))
        vector_push(&members, map_value(entry));
    if (members.count > 1)
        qsort(members.items, members.count, sizeof *members.items, by_turn);
    const struct node_claim **claims = memory_allocate_array(members.count + 1, sizeof *claims);
    *count = 0;
    vector_for_each (member, &members) {
        const struct node_claim *claim = find_claim(group->control, (*member)->claim);
        if (claim != NULL)
            claims[(*count)++] = claim;
    }
    vector_free(&members);
    return claims;
}

static void set_turns(struct opening_group *group, const struct node_claim *const *claims,
                      uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        struct member *member = map_get(group->members, claims[i]->meta.name);
        member->turn = i;
    }
}

// --- nominations ---------------------------------------------------------------------------------
static void begin_nominating(struct opening_group *group)
{
    uint32_t count;
    const struct node_claim **claims = opening_group_claims(group, &count);
    group->nominated_ns = group->progress_ns = now_of(group);
    group->paused_ns = 0;
    group->unprepared = group->pods;
    group->lost = 0;
    // A nomination that changes has kube-scheduler try pods again: after a storm as few as
    // possible.
    if (group->storms > 0)
        group_order_mend(group->control, claims, count);
    else
        group_order_apply(group->control, claims, count);
    set_turns(group, claims, count);
    free(claims);
}

// The wait begins when the nodes are ready; a node that comes to be ready later changes nothing.
static void await_quiet(struct opening_group *group, bool is_ready)
{
    is_ready = is_ready || group->nominated_ns != 0;
    if (!is_ready)
        group->paused_ns = now_of(group);
    enum scheduler_rest rest =
        is_ready ? scheduler_rest(group->control, group->paused_ns, group->patience_ns)
                 : SCHEDULER_IS_BUSY;
    group->awaits_quiet = is_ready && rest == SCHEDULER_IS_BUSY;
    if (rest == SCHEDULER_RESTS)
        cluster_settle_turns(group->control->cluster);
    if (rest != SCHEDULER_IS_BUSY)
        begin_nominating(group);
}

// Many pods have lost their nominations: no more are written before kube-scheduler is quiet again.
// If that does not help, the nodes open as they are.
static bool is_stormy(const struct opening_group *group)
{
    return group->lost >= STORM_LEAST && group->lost > group->pods / STORM_SHARE;
}

// A storm gets worse with each attempt, so the last nominations are written in spite of it, and the
// nodes open at once.
static bool outruns_storm(const struct opening_group *group)
{
    return is_stormy(group) && group->lost <= group->pods / OUTRUN_SHARE &&
           group->unprepared - group->lost <= group->pods / OUTRUN_LEFT;
}

// While pods are nominated, kube-scheduler tries one after the other, and those lose their
// nomination. They come last now, so a few of them need not be waited for.
static bool is_prepared(struct opening_group *group)
{
    uint32_t left = 0, lost = 0;
    for (struct map_entry *entry = map_first(group->members); entry != NULL;
         entry = map_next(entry)) {
        struct unnominated pods =
            group->unnominated(group->context, map_key(entry), group->nominated_ns);
        left += pods.count;
        lost += pods.lost;
    }
    if (left < group->unprepared)
        group->progress_ns = now_of(group);
    group->unprepared = left;
    group->lost = lost;
    return left == lost && (lost <= group->pods / LOST_SHARE || outruns_storm(group));
}

static bool preparation_timed_out(const struct opening_group *group)
{
    int64_t now_ns = now_of(group), since_ns = ns_subtract(now_ns, group->nominated_ns);
    int64_t timeout_ns = ns_add(PREPARE_NS, ns_multiply(group->pods, PREPARE_POD_NS));
    bool goes_on = ns_subtract(now_ns, group->progress_ns) < PROGRESS_NS;
    return since_ns >= (goes_on ? ns_multiply(2, timeout_ns) : timeout_ns);
}

// While the pods were nominated, kube-scheduler may have tried some of them, and these come last
// now. The last look before the group opens: true if some pods have to be nominated anew.
static bool mend_order(struct opening_group *group)
{
    if (group->mends >= MENDS_MAX ||
        cluster_last_turn(group->control->cluster) < group->nominated_ns)
        return false;
    uint32_t count;
    const struct node_claim **claims = opening_group_claims(group, &count);
    uint32_t exchanged = group_order_mend(group->control, claims, count);
    free(claims);
    group->mends = exchanged > 0 ? group->mends + 1 : MENDS_MAX;
    log_debug("looked at the order of a group of pods before it opens", "s:controller",
              "pod.nomination", "i:exchanged", (int64_t)exchanged);
    return exchanged > 0;
}

// --- the opening ---------------------------------------------------------------------------------
static bool open_now(struct opening_group *group)
{
    uint32_t count;
    const struct node_claim **claims = opening_group_claims(group, &count);
    opening_order(group->control, claims, count);
    set_turns(group, claims, count);
    free(claims);
    group->opened_ns = group->progress_ns = now_of(group);
    group->waiting = group->pods;
    log_debug("opening nodes", "s:controller", "pod.nomination", "i:nodes", (int64_t)count,
              "i:pods", (int64_t)group->pods, "i:unprepared", (int64_t)group->unprepared,
              "d:preparation", ns_subtract(group->opened_ns, group->begun_ns), "i:storms",
              (int64_t)group->storms);
    return true;
}

// Those that wait for the members' nodes.
static uint32_t count_waiting(const struct opening_group *group)
{
    uint32_t waiting = 0;
    for (struct map_entry *entry = map_first(group->members); entry != NULL;
         entry = map_next(entry)) {
        const struct node_claim *claim = find_claim(group->control, map_key(entry));
        waiting += claim != NULL ? cluster_waiting_count(group->control->cluster, claim) : 0;
    }
    return waiting;
}

// Nearly all pods are bound, or have had their chance. Those that are planned later do not count.
static void note_end(struct opening_group *group)
{
    uint32_t few = group->pods / LATE_SHARE > LATE_FEW ? group->pods / LATE_SHARE : LATE_FEW;
    uint32_t waiting = count_waiting(group);
    if (waiting < group->waiting)
        group->progress_ns = now_of(group);
    group->waiting = waiting;
    group->is_over = ns_subtract(now_of(group), group->opened_ns) >= BIND_NS || waiting <= few;
}

static bool open_if_prepared(struct opening_group *group)
{
    if (is_prepared(group) || preparation_timed_out(group))
        return !mend_order(group) && open_now(group);
    bool must_wait = is_stormy(group) && !outruns_storm(group);
    if (must_wait && group->storms++ >= STORMS_MAX)
        return open_now(group);
    if (must_wait)
        group->paused_ns = now_of(group);
    return false;
}

bool opening_group_advance(struct opening_group *group, bool is_ready)
{
    if (opening_group_is_empty(group))
        return false;
    if (group->is_over)
        return false;
    if (group->opened_ns != 0)
        note_end(group);
    else if (group->paused_ns == 0)
        return open_if_prepared(group);
    else if (is_ready && count_waiting(group) == 0)
        return open_now(group);
    else
        await_quiet(group, is_ready);
    return false;
}

// --- questions -----------------------------------------------------------------------------------
bool opening_group_prepares(const struct opening_group *group, const char *claim)
{
    return group->paused_ns == 0 && opening_group_has(group, claim);
}

bool opening_group_is_over(const struct opening_group *group)
{
    return group->is_over;
}

bool opening_group_stands_still(const struct opening_group *group)
{
    return group->opened_ns != 0 && ns_subtract(now_of(group), group->progress_ns) >= PROGRESS_NS;
}

bool opening_group_has_the_turn(const struct opening_group *group)
{
    return !opening_group_is_empty(group) && !opening_group_is_over(group) &&
           (group->nominated_ns != 0 || group->awaits_quiet);
}

bool opening_group_rests(const struct opening_group *group)
{
    return group->awaits_quiet && !opening_group_is_empty(group);
}

int64_t opening_group_begun_ns(const struct opening_group *group)
{
    return group->begun_ns;
}

int64_t opening_group_nominated_ns(const struct opening_group *group)
{
    return group->nominated_ns;
}

int64_t opening_group_opened_ns(const struct opening_group *group)
{
    return group->opened_ns;
}
