// --method NAME -f FILE: prints, as JSON, the method's candidate Nodes (before budgets) and the
// rest of each NodePool's budgets after its turn (DIS-446). Drives the recorded decisions.
#include <stdio.h>
#include <string.h>

#include "engine/disruption/disruption_candidates.h"
#include "engine/disruption/eligibility.h"
#include "engine/disruption_methods.h"
#include "engine/engine.h"
#include "model/snapshot/snapshot_complete.h"
#include "model/snapshot/snapshot_read.h"

struct method {
    enum disruption_method method;
    enum disruption_reason reason;
    bool eventual;
};
static const struct method methods[] = {
    {METHOD_EMPTINESS, DISRUPTION_EMPTY, false},
    {METHOD_STATIC_DRIFT, DISRUPTION_DRIFTED, true},
    {METHOD_DRIFT, DISRUPTION_DRIFTED, true},
    {METHOD_MULTI, DISRUPTION_UNDERUTILIZED, false},
    {METHOD_SINGLE, DISRUPTION_UNDERUTILIZED, false},
};

static const struct method *find_method(const char *name)
{
    for (size_t i = 0; i < ARRAY_LENGTH(methods); i++)
        if (text_equal(disruption_method_name(methods[i].method), name))
            return &methods[i];
    return NULL;
}

static bool is_wanted(struct arena *arena, const struct method *method,
                      const struct disruption_candidate *candidate)
{
    const char *message;
    bool is_static = candidate->pool->pool->spec.replicas.present;
    if (method->method == METHOD_EMPTINESS)
        return emptiness_is_eligible(arena, candidate, &message);
    if (!method->eventual)
        return consolidation_is_eligible(arena, candidate, &message);
    return is_static == (method->method == METHOD_STATIC_DRIFT) && candidate_is_drifted(candidate);
}

static json_t *encode_turn(struct disruption *disruption, const struct method *method)
{
    json_t *names = json_array(), *budgets = json_object();
    struct candidate_table table =
        disruption_candidates(disruption, method->reason, method->eventual);
    list_for_each (candidate, &table.candidates)
        if (is_wanted(disruption->arena, method, candidate))
            json_array_append_new(names, json_string(candidate->node->meta.name));
    disruption_method_decide(disruption, method->method);
    list_for_each (pool, &disruption->table.pools)
        json_object_set_new(budgets, pool->pool->meta.name, json_integer(pool->remaining));
    return json_pack("{s:o, s:o}", "candidates", names, "budgets", budgets);
}

static int print_turn(const struct snapshot *snapshot, const struct method *method)
{
    CLEANUP_ARENA struct arena *arena = arena_create(65536);
    struct error error = {0};
    struct disruption disruption;
    struct plan *plan = engine_plan(snapshot, &(struct plan_options){0}, &error);
    bool fine = plan != NULL && disruption_begin(&disruption, snapshot, NULL, plan, arena, &error);
    if (fine) {
        json_t *turn = encode_turn(&disruption, method);
        json_dumpf(turn, stdout, 0);
        json_decref(turn);
    } else {
        fprintf(stderr, "%s\n", error.message);
    }
    if (plan != NULL)
        disruption_end(&disruption);
    plan_destroy(plan);
    return fine ? 0 : 1;
}

int main(int argc, char **argv)
{
    const struct method *method = argc == 5 ? find_method(argv[2]) : NULL;
    struct error error = {0};
    struct snapshot *snapshot = snapshot_create();
    if (method == NULL || !snapshot_read(snapshot, argv[4], false, &error) ||
        !snapshot_complete(snapshot, &error)) {
        fprintf(stderr, "usage: turn_tool --method NAME -f FILE; %s\n", error.message);
        snapshot_destroy(snapshot);
        return 2;
    }
    int status = print_turn(snapshot, method);
    snapshot_destroy(snapshot);
    return status;
}
