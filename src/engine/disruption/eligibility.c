#include "engine/disruption/eligibility.h"

#include "base/text.h"
#include "engine/problem/state_node.h"
#include "model/reading/catalog.h"
#include "model/schema/condition_types.h"

bool consolidation_is_disabled(const struct node_pool *pool)
{
    const struct duration *after = &pool->spec.disruption.consolidate_after;
    return after->text == NULL || after->nanoseconds == DURATION_NEVER;
}

bool candidate_is_drifted(const struct disruption_candidate *candidate)
{
    return condition_is_true(&candidate->claim->status.conditions, CONDITION_DRIFTED);
}

bool emptiness_is_eligible(struct arena *arena, const struct disruption_candidate *candidate,
                           const char **message)
{
    const struct node_pool *pool = candidate->pool->pool;
    *message = NULL;
    if (pool->spec.replicas.present)
        return false;
    if (consolidation_is_disabled(pool)) {
        *message =
            arena_format(arena, "NodePool \"%s\" has consolidation disabled", pool->meta.name);
        return false;
    }
    if (candidate->buffered) {
        *message = arena_format(arena, "Node \"%s\" has buffer pods", candidate->state->name);
        return false;
    }
    return candidate->empty &&
           condition_is_true(&candidate->claim->status.conditions, CONDITION_CONSOLIDATABLE);
}

static const char *unknown_type(struct arena *arena, const struct disruption_candidate *candidate)
{
    const char *type = string_map_get(candidate->state->labels, LABEL_INSTANCE_TYPE);
    return arena_format(arena, "Instance Type \"%s\" not found", type != NULL ? type : "");
}

bool consolidation_is_eligible(struct arena *arena, const struct disruption_candidate *candidate,
                               const char **message)
{
    const struct node_pool *pool = candidate->pool->pool;
    const struct string_map *labels = candidate->state->labels;
    bool when_empty = text_equal(pool->spec.disruption.consolidation_policy, "WhenEmpty");
    *message = NULL;
    if (pool->spec.replicas.present)
        return false;
    if (candidate->type == NULL)
        *message = unknown_type(arena, candidate);
    else if (string_map_get(labels, LABEL_CAPACITY_TYPE) == NULL)
        *message = "Node does not have label \"" LABEL_CAPACITY_TYPE "\"";
    else if (string_map_get(labels, LABEL_ZONE) == NULL)
        *message = "Node does not have label \"" LABEL_ZONE "\"";
    else if (consolidation_is_disabled(pool))
        *message =
            arena_format(arena, "NodePool \"%s\" has consolidation disabled", pool->meta.name);
    else if (!candidate->empty && when_empty)
        *message = arena_format(arena,
                                "NodePool \"%s\" has consolidation policy WhenEmpty, but node is "
                                "not empty",
                                pool->meta.name);
    bool used = !candidate->empty || (candidate->holds_placeholders && !when_empty); // DIS-753
    return *message == NULL && used &&
           condition_is_true(&candidate->claim->status.conditions, CONDITION_CONSOLIDATABLE);
}
