#include "cloud/aws/interruption/planned_ends.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/nanoseconds.h"

#define CONTROLLER  "interruption"
#define ENDS_MAX    10000
#define CLAIMS_MAX  16
#define END_REASONS 2

struct end {
    enum planned_end why;
    int64_t until;
};
struct planned_ends {
    struct manager *manager;
    const struct instance_index *index;
    struct cloud *cloud;
    struct map *ends; // instance id -> struct end
};

static const char *const reasons[END_REASONS] = {
    [PLANNED_END_RISK] = "RebalanceRecommendation", [PLANNED_END_EVENT] = "ScheduledEvent"};

struct planned_ends *planned_ends_create(struct manager *manager,
                                         const struct instance_index *index, struct cloud *cloud)
{
    struct planned_ends *ends = memory_allocate(sizeof *ends);
    ends->manager = manager;
    ends->index = index;
    ends->cloud = cloud;
    ends->ends = map_create();
    return ends;
}

void planned_ends_destroy(struct planned_ends *ends)
{
    if (ends == NULL)
        return;
    map_destroy(ends->ends, free);
    free(ends);
}

// Those that are past, and those of machines that are gone.
static void forget_old(struct planned_ends *ends)
{
    int64_t now = manager_now(ends->manager);
    for (struct map_entry *at = map_first(ends->ends), *next; at != NULL; at = next) {
        const struct node_claim *claim;
        const struct end *end = map_value(at);
        next = map_next(at);
        if (now >= end->until || instance_index_claims(ends->index, map_key(at), &claim, 1) == 0)
            free(map_remove(ends->ends, map_key(at)));
    }
}

bool planned_ends_note(struct planned_ends *ends, const char *instance_id, enum planned_end why,
                       int64_t until)
{
    const struct node_claim *claims[CLAIMS_MAX];
    uint32_t count = instance_index_claims(ends->index, instance_id, claims, CLAIMS_MAX);
    if (count == 0 || until <= manager_now(ends->manager))
        return false;
    if (map_count(ends->ends) >= ENDS_MAX)
        forget_old(ends);
    if (map_count(ends->ends) >= ENDS_MAX)
        return false;
    struct end *end = map_ensure(ends->ends, instance_id, sizeof *end);
    bool news = end->until <= manager_now(ends->manager);
    end->until = ns_maximum(end->until, until);
    end->why = why;
    for (uint32_t i = 0; i < count && news; i++) {
        log_info("replacing a machine before its end", "s:controller", CONTROLLER, "o:NodeClaim",
                 claims[i]->meta.name, "s:reason", reasons[why]);
        if (ends->cloud != NULL)
            cloud_change_drift(ends->cloud, claims[i]->meta.name);
    }
    return news;
}

const char *planned_ends_reason(const struct planned_ends *ends, const struct node_claim *claim)
{
    const char *provider_id = claim->status.provider_id;
    const char *id = provider_id != NULL ? strrchr(provider_id, '/') : NULL;
    const struct end *end = id != NULL ? map_get(ends->ends, id + 1) : NULL;
    return end != NULL && manager_now(ends->manager) < end->until ? reasons[end->why] : NULL;
}
