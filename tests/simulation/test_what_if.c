// What an edit would do (engine/forecast/), held against what the controller then does: 30 drawn
// worlds and edits. The nodes that drift and the first commands must be those that were foretold.
//
// Run by hand: test_simulation_what_if [FIRST [LAST]], ADZE_TEST_VERBOSE=1 for all that is
// compared.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/nanoseconds.h"
#include "base/random.h"
#include "base/text.h"
#include "engine/forecast/edit_forecast.h"
#include "engine/forecast/forecast.h"
#include "model/reading/settings_read.h"
#include "model/schema/decode.h"
#include "model/snapshot/snapshot_complete.h"
#include "model/snapshot/snapshot_read.h"
#include "model/snapshot/workload_overlay.h"
#include "model/tables/kinds.h"
#include "simulation/story.h"

#define SEEDS            30
#define EDITS            24 // kinds of them
#define NANO             1e9
#define POOLS            3
#define APPS_MAX         5
#define NODES_MAX        200
#define ROUNDS_MAX       100
#define COMMAND          "adze.dev/disruption-command"
#define TYPES_MAX        200
#define LAUNCH_TYPES_MAX 60
#define ID_LENGTH        36
#define LAUNCH_SECONDS   4

// --- a world -------------------------------------------------------------------------------------

struct pool {
    bool exists;
    int weight, cpu_below, expire_hours, cpu_limit;
    const char *label, *annotation, *policy, *rest, *budget, *capacity, *taint, *startup_taint;
    const char *window; // of the budget: a schedule and a duration
};
struct app {
    int replicas, cpu, memory;
    bool tolerates, anywhere;
};
struct drawn {
    struct random random;
    struct pool pools[POOLS + 1]; // the last: not before the edit
    struct app apps[APPS_MAX];
    uint32_t apps_count;
    const char *deleted; // a NodePool, by the edit
    bool rolls;          // the edit replaces pods
    const char *what;    // the edit, for messages
};

static const char *pool_name(uint32_t index)
{
    static const char *const names[] = {"anvil", "bellows", "crucible", "die"};
    return names[index];
}

static const char *const policies[] = {"WhenEmpty", "WhenEmptyOrUnderutilized"};
static const char *const capacities[] = {"[on-demand]", "[spot]", "[on-demand, spot]"};
static const char *const budgets[] = {"100%", "50%", "1", "2"};

static struct pool draw_pool(struct random *random)
{
    static const int sizes[] = {5, 9, 17};
    return (struct pool){
        .exists = true,
        .weight = (int)random_below(random, 3) * 10 + 1,
        .cpu_below = sizes[random_below(random, ARRAY_LENGTH(sizes))],
        .label = "one",
        .annotation = "one",
        .policy = policies[random_below(random, ARRAY_LENGTH(policies))],
        .rest = "0s",
        .budget = budgets[random_below(random, ARRAY_LENGTH(budgets))],
        .capacity = capacities[random_below(random, ARRAY_LENGTH(capacities))],
    };
}

static void draw(struct drawn *drawn, uint64_t seed)
{
    static const int cpus[] = {250, 500, 1000, 1500, 2500};
    random_seed(&drawn->random, seed * 7919);
    for (uint32_t i = 0; i < POOLS; i++)
        drawn->pools[i] = draw_pool(&drawn->random);
    drawn->apps_count = 2 + (uint32_t)random_below(&drawn->random, APPS_MAX - 1);
    for (uint32_t i = 0; i < drawn->apps_count; i++)
        drawn->apps[i] = (struct app){
            .replicas = (int)random_between(&drawn->random, 1, 14),
            .cpu = cpus[random_below(&drawn->random, ARRAY_LENGTH(cpus))],
            .memory = (int)random_between(&drawn->random, 1, 16) * 128,
            .tolerates = random_chance(&drawn->random, 0.3),
            .anywhere = i == 0 || random_chance(&drawn->random, 0.6),
        };
}

static void add_pool(struct text *text, const struct drawn *drawn, uint32_t index)
{
    const struct pool *pool = &drawn->pools[index];
    text_format(text,
                "---\napiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: %s}\nspec:\n"
                "  weight: %d\n"
                "  disruption: {consolidationPolicy: %s, consolidateAfter: %s, budgets: [{nodes: "
                "'%s'%s}]}\n"
                "  template:\n"
                "    metadata: {labels: {pool: p%u, generation: %s}, annotations: {note: %s}}\n"
                "    spec:\n"
                "      nodeClassRef: {group: karpenter.kwok.sh, kind: KWOKNodeClass, name: "
                "default}\n",
                pool_name(index), pool->weight, pool->policy, pool->rest, pool->budget,
                text_or_empty(pool->window), index, pool->label, pool->annotation);
    if (pool->expire_hours > 0)
        text_format(text, "      expireAfter: %dh\n", pool->expire_hours);
    else
        text_add(text, "      expireAfter: Never\n");
    if (pool->taint != NULL)
        text_format(text, "      taints: [{key: %s, effect: NoSchedule}]\n", pool->taint);
    if (pool->startup_taint != NULL)
        text_format(text, "      startupTaints: [{key: %s, effect: NoExecute}]\n",
                    pool->startup_taint);
    text_format(text,
                "      requirements:\n"
                "      - {key: kubernetes.io/arch, operator: In, values: [amd64]}\n"
                "      - {key: kubernetes.io/os, operator: In, values: [linux]}\n"
                "      - {key: karpenter.sh/capacity-type, operator: In, values: %s}\n"
                "      - {key: karpenter.kwok.sh/instance-cpu, operator: Lt, values: ['%d']}\n",
                pool->capacity, pool->cpu_below);
    if (pool->cpu_limit > 0)
        text_format(text, "  limits: {cpu: %d}\n", pool->cpu_limit);
}

static void add_app(struct text *text, const struct drawn *drawn, uint32_t index)
{
    const struct app *app = &drawn->apps[index];
    text_format(text,
                "---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {name: app-%u, namespace: "
                "default}\nspec:\n  replicas: %d\n  selector: {matchLabels: {app: app-%u}}\n"
                "  template:\n    metadata: {labels: {app: app-%u}}\n"
                "    spec:\n      terminationGracePeriodSeconds: 0\n",
                index, app->replicas, index, index);
    if (app->tolerates)
        text_add(text, "      tolerations: [{operator: Exists, effect: NoSchedule}]\n");
    if (!app->anywhere)
        text_format(text, "      nodeSelector: {pool: p%u}\n", index % POOLS);
    text_format(text,
                "      containers: [{name: c, image: i, resources: {requests: {cpu: %dm, memory: "
                "%dMi}}}]\n",
                app->cpu, app->memory);
}

static void add_all(struct text *text, const struct drawn *drawn)
{
    for (uint32_t i = 0; i <= POOLS; i++)
        if (drawn->pools[i].exists)
            add_pool(text, drawn, i);
    for (uint32_t i = 0; i < drawn->apps_count; i++)
        add_app(text, drawn, i);
}

// --- an edit -------------------------------------------------------------------------------------

// One of the NodePools that have nodes.
static uint32_t draw_used_pool(struct drawn *drawn, struct scenario *scenario)
{
    uint32_t used[POOLS], count = 0;
    for (uint32_t i = 0; i < POOLS; i++)
        if (story_nodes_labelled(scenario, LABEL_NODE_POOL, pool_name(i)) > 0)
            used[count++] = i;
    assert_true(count > 0);
    return used[random_below(&drawn->random, count)];
}

static void edit_more(struct drawn *drawn, uint64_t seed, uint32_t index, struct text *text)
{
    struct pool *pool = &drawn->pools[index];
    switch (seed % EDITS) {
    case 12:
        drawn->what = "a limit, and the label";
        pool->cpu_limit = (int)random_between(&drawn->random, 1, 40);
        pool->label = "two";
        break;
    case 13:
        drawn->what = "a limit";
        pool->cpu_limit = (int)random_between(&drawn->random, 1, 40);
        break;
    case 14:
        drawn->what = "consolidateAfter";
        pool->policy = policies[1];
        pool->rest = random_chance(&drawn->random, 0.5) ? "20s" : "Never";
        break;
    case 15:
        drawn->what = "a budget of 0 that is open now, and the label";
        pool->budget = "0";
        pool->window = ", schedule: '* * * * *', duration: 1h";
        pool->label = "two";
        break;
    case 16:
        drawn->what = "a budget that is closed now, and the label";
        pool->budget = "0";
        pool->window = ", schedule: '0 0 29 2 *', duration: 1m";
        pool->label = "two";
        break;
    case 17:
        drawn->what = "startup taint";
        pool->startup_taint = "cold";
        break;
    case 18:
        drawn->what = "a budget by reasons, and the label";
        pool->budget = "1";
        pool->window = ", reasons: [Drifted]";
        pool->label = "two";
        break;
    case 19:
        drawn->what = "a new NodePool";
        drawn->pools[POOLS] = draw_pool(&drawn->random);
        drawn->pools[POOLS].weight = 100;
        return add_pool(text, drawn, POOLS);
    case 20:
        drawn->what = "weight";
        pool->weight = 90;
        break;
    case 21:
        drawn->what = "replicas and the label";
        drawn->apps[0].replicas += 5;
        pool->label = "two";
        add_app(text, drawn, 0);
        break;
    case 22:
        drawn->what = "a PodDisruptionBudget that blocks, and the label";
        pool->label = "two";
        text_add(text, "---\napiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: "
                       "held, namespace: default}\nspec: {maxUnavailable: 0, selector: "
                       "{matchLabels: {app: app-0}}}\n");
        break;
    default:
        drawn->what = "all NodePools";
        for (uint32_t i = 0; i < POOLS; i++) {
            drawn->pools[i].annotation = "two";
            drawn->pools[i].budget = budgets[random_below(&drawn->random, ARRAY_LENGTH(budgets))];
            if (i != index)
                add_pool(text, drawn, i);
        }
        break;
    }
    add_pool(text, drawn, index);
}

static void edit(struct drawn *drawn, struct scenario *scenario, uint64_t seed, struct text *text)
{
    uint32_t index = draw_used_pool(drawn, scenario);
    uint32_t app = (uint32_t)random_below(&drawn->random, drawn->apps_count);
    struct pool *pool = &drawn->pools[index];
    switch (seed % EDITS) {
    case 0:
        drawn->what = "template label";
        pool->label = "two";
        break;
    case 1:
        drawn->what = "requirement: smaller machines";
        pool->cpu_below = 3;
        break;
    case 2:
        drawn->what = "taint";
        pool->taint = "tongs";
        break;
    case 3:
        drawn->what = "expireAfter";
        pool->expire_hours = 240;
        break;
    case 4:
        drawn->what = "template annotation and budget";
        pool->annotation = "two";
        pool->budget = "1";
        break;
    case 5:
        drawn->what = "capacity type";
        pool->capacity = strcmp(pool->capacity, capacities[1]) == 0 ? capacities[0] : capacities[1];
        break;
    case 6:
        drawn->what = "weight and larger machines";
        pool->weight = 50;
        pool->cpu_below = 33;
        break;
    case 7:
        drawn->what = "another policy";
        pool->policy = policies[strcmp(pool->policy, policies[0]) == 0];
        pool->budget = budgets[0];
        break;
    case 8:
        drawn->what = "a NodePool is deleted";
        drawn->deleted = pool_name(index);
        pool->exists = false;
        for (uint32_t i = 0; i < drawn->apps_count; i++)
            if (i % POOLS == index && !drawn->apps[i].anywhere)
                drawn->deleted = NULL; // its pods have no other place
        if (drawn->deleted == NULL)
            *pool = (struct pool){.exists = true,
                                  .weight = 1,
                                  .cpu_below = 17,
                                  .label = "two",
                                  .annotation = "one",
                                  .policy = policies[0],
                                  .rest = "0s",
                                  .budget = "100%",
                                  .capacity = capacities[0]};
        return add_pool(text, drawn, drawn->deleted == NULL ? index : (index + 1) % POOLS);
    case 9:
        drawn->what = "a new NodePool, and two others change";
        drawn->pools[POOLS] = draw_pool(&drawn->random);
        drawn->pools[(index + 1) % POOLS].label = "two";
        add_pool(text, drawn, POOLS);
        add_pool(text, drawn, (index + 1) % POOLS);
        pool->annotation = "three";
        break;
    case 10:
        drawn->what = "fewer replicas";
        drawn->apps[app].replicas = 1;
        return add_app(text, drawn, app);
    case 11:
        drawn->what = "more replicas";
        drawn->apps[app].replicas += 9;
        return add_app(text, drawn, app);
    default:
        return edit_more(drawn, seed, index, text);
    }
    add_pool(text, drawn, index);
}

// --- the cluster as a snapshot -------------------------------------------------------------------

static bool take(void *context, json_t *object)
{
    struct snapshot *snapshot = context;
    struct error error = {0};
    CLEANUP_OBJECT struct object *decoded = document_decode(object, DECODE_LENIENT, &error);
    if (decoded == NULL)
        fail_msg("%s", error.message);
    snapshot_add(snapshot, decoded);
    return true;
}

static struct snapshot *snapshot_of(struct scenario *scenario)
{
    static const enum kind_id kinds[] = {
        KIND_NODE_POOL,  KIND_NODE_CLAIM,     KIND_NODE,       KIND_POD,
        KIND_NAMESPACE,  KIND_REPLICA_SET,    KIND_DEPLOYMENT, KIND_POD_DISRUPTION_BUDGET,
        KIND_DAEMON_SET, KIND_KWOK_NODE_CLASS};
    struct snapshot *snapshot = snapshot_create();
    struct store *store = simulation_store(scenario->simulation);
    struct error error = {0};
    settings_free(&snapshot->settings);
    settings_copy(&snapshot->settings, &scenario->settings);
    snapshot->time = loop_now_ns(scenario->loop);
    snapshot->require_unschedulable_condition = true;
    for (size_t i = 0; i < ARRAY_LENGTH(kinds); i++) {
        const struct kind *kind = kind_get(kinds[i]);
        store_each(store, store_resource_of_kind(store, kind->api_version, kind->name), NULL, take,
                   snapshot);
    }
    snapshot_add(snapshot, (const struct object *)scenario->options.catalog);
    if (!snapshot_complete(snapshot, &error))
        fail_msg("%s", error.message);
    return snapshot;
}

// --- what is foretold ----------------------------------------------------------------------------

struct foretold {
    struct arena *arena;
    struct snapshot *before, *edits, *after;
    struct edit_forecast edit;
    struct forecast *forecast;
};

static void foretell(struct foretold *foretold, struct scenario *scenario,
                     const struct drawn *drawn, const char *manifest)
{
    struct error error = {0};
    struct object_change_list changes;
    *foretold = (struct foretold){
        .arena = arena_create(65536), .before = snapshot_of(scenario), .edits = snapshot_create()};
    if (!snapshot_read_text(foretold->edits, manifest, strlen(manifest), "edit", true, &error))
        fail_msg("%s", error.message);
    const struct object_name name = {KIND_NODE_POOL, NULL, drawn->deleted};
    struct overlay overlay = {.edits = foretold->edits};
    overlay.deletions.items = &name;
    overlay.deletions.count = drawn->deleted != NULL;
    foretold->after =
        snapshot_overlay(foretold->arena, foretold->before, &overlay, &changes, &error);
    if (foretold->after == NULL || !workload_overlay(foretold->after, &changes, &error))
        fail_msg("%s", error.message);
    foretold->edit =
        edit_forecast_apply(foretold->arena, foretold->before, foretold->after, &changes);
    const struct forecast_options options = {ROUNDS_MAX, &foretold->edit.fresh};
    foretold->forecast = forecast_create(foretold->after, &options, &error);
    if (foretold->forecast == NULL)
        fail_msg("%s", error.message);
}

static void forget(struct foretold *foretold)
{
    forecast_destroy(foretold->forecast);
    snapshot_destroy(foretold->after);
    snapshot_destroy(foretold->edits);
    snapshot_destroy(foretold->before);
    arena_destroy(foretold->arena);
}

// --- texts ---------------------------------------------------------------------------------------

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

// Sorted, joined; the texts are freed.
static char *joined(char **texts, uint32_t count, const char *separator)
{
    struct text text = {0};
    qsort(texts, count, sizeof *texts, compare_texts);
    for (uint32_t i = 0; i < count; i++) {
        text_format(&text, "%s%s", i > 0 ? separator : "", texts[i]);
        free(texts[i]);
    }
    return text_take(&text);
}

// --- what happens --------------------------------------------------------------------------------

struct begun { // a command
    char id[ID_LENGTH + 1], reason[40];
    int64_t at;
};
struct observed {
    struct map *drifted;      // names of NodeClaims
    struct map *deleted;      // the same, those that the edit itself deletes
    struct map *nodes;        // names of Nodes in commands -> the command's id
    struct map *replacements; // names of NodeClaims -> "ID POOL: TYPE TYPE ..."
    struct map *launched;     // the same without an ID, of those for pending pods in the first
                              // seconds; "": it was there before
    struct begun commands[NODES_MAX];
    uint32_t commands_count;
    int64_t begun, now;
};

// "ID,REASON,KIND,..."
static void note_command(struct observed *observed, const char *mark)
{
    struct begun *begun = &observed->commands[observed->commands_count];
    const char *reason = mark + ID_LENGTH + 1;
    for (uint32_t i = 0; i < observed->commands_count; i++)
        if (strncmp(observed->commands[i].id, mark, ID_LENGTH) == 0)
            return;
    assert_true(observed->commands_count++ < NODES_MAX);
    begun->at = observed->now;
    snprintf(begun->id, sizeof begun->id, "%.*s", ID_LENGTH, mark);
    snprintf(begun->reason, sizeof begun->reason, "%.*s", (int)strcspn(reason, ","), reason);
}

// Empty nodes are looked for beside everything else; the other methods wait for a quiet second. So
// commands of one decision have one reason, and begin together.
static bool is_first(const struct observed *observed, const struct begun *begun, const char *reason)
{
    for (uint32_t i = 0; i < observed->commands_count; i++)
        if (strcmp(observed->commands[i].reason, reason) == 0)
            return strcmp(begun->reason, reason) == 0 &&
                   ns_subtract(begun->at, observed->commands[i].at) <= SECOND;
    return true; // of another reason than foretold
}

// "POOL: TYPE TYPE ...", as a NodeClaim asks for them.
static char *wish_of(json_t *claim)
{
    char *types[TYPES_MAX];
    uint32_t count = 0;
    size_t index;
    json_t *requirement, *value;
    json_array_foreach (store_path(claim, "spec.requirements"), index, requirement)
        if (strcmp(json_string_value(json_object_get(requirement, "key")), LABEL_INSTANCE_TYPE) ==
            0) {
            size_t at;
            json_array_foreach (json_object_get(requirement, "values"), at, value)
                types[count++] = memory_copy_string(json_string_value(value));
        }
    CLEANUP_FREE char *names = joined(types, count, " ");
    struct text text = {0};
    text_format(&text, "%s: %s", view_label(claim, LABEL_NODE_POOL), names);
    return text_take(&text);
}

static void look_at_replacement(struct observed *observed, json_t *claim)
{
    const char *name = view_text(claim, "metadata.name");
    const char *mark = view_annotation(claim, COMMAND);
    if (mark == NULL || strlen(mark) <= ID_LENGTH || map_get(observed->replacements, name) != NULL)
        return;
    CLEANUP_FREE char *wish = wish_of(claim);
    struct text text = {0};
    text_format(&text, "%.*s %s", ID_LENGTH, mark, wish);
    map_set(observed->replacements, name, text_take(&text));
}

static void look_at_launch(struct observed *observed, json_t *claim)
{
    const char *name = view_text(claim, "metadata.name");
    if (map_get(observed->launched, name) == NULL &&
        ns_subtract(observed->now, observed->begun) <= LAUNCH_SECONDS * SECOND &&
        view_annotation(claim, COMMAND) == NULL)
        map_set(observed->launched, name,
                observed->now == observed->begun ? memory_copy_string("") : wish_of(claim));
}

static bool look_at_claim(void *context, json_t *object)
{
    struct observed *observed = context;
    look_at_launch(observed, object);
    const char *name = view_text(object, "metadata.name");
    look_at_replacement(observed, object);
    if (text_starts_with(view_condition(object, "Drifted"), "True"))
        map_set(observed->drifted, name, observed);
    if (view_text(object, "metadata.deletionTimestamp") != NULL &&
        ns_subtract(observed->now, observed->begun) <= 5 * SECOND)
        map_set(observed->deleted, name, observed);
    return true;
}

static bool look_at_node(void *context, json_t *object)
{
    struct observed *observed = context;
    const char *name = view_text(object, "metadata.name");
    const char *mark = view_annotation(object, COMMAND);
    if (mark == NULL || strlen(mark) <= ID_LENGTH || map_get(observed->nodes, name) != NULL ||
        !view_has_taint(object, "karpenter.sh/disrupted", "NoSchedule"))
        return true;
    char id[ID_LENGTH + 1];
    snprintf(id, sizeof id, "%.*s", ID_LENGTH, mark);
    map_set(observed->nodes, name, memory_copy_string(id));
    note_command(observed, mark);
    return true;
}

static void look(struct scenario *scenario, struct observed *observed)
{
    struct store *store = simulation_store(scenario->simulation);
    observed->now = loop_now_ns(scenario->loop);
    store_each(store, store_resource_of_kind(store, KARPENTER, "NodeClaim"), NULL, look_at_claim,
               observed);
    store_each(store, store_resource_of_kind(store, "v1", "Node"), NULL, look_at_node, observed);
}

static void watch(struct scenario *scenario, struct observed *observed, double seconds)
{
    for (int i = 0; i < (int)(seconds * 10); i++) {
        scenario_run(scenario, 0.1);
        look(scenario, observed);
    }
}

// --- the comparison ------------------------------------------------------------------------------

static char *drift_foretold(const struct foretold *foretold)
{
    char *names[NODES_MAX];
    uint32_t count = 0;
    list_for_each (mark, &foretold->edit.drifted)
        names[count++] = memory_copy_string(mark->claim->meta.name);
    return joined(names, count, " ");
}

static char *names_in(const struct map *map)
{
    char *names[NODES_MAX];
    uint32_t count = 0;
    for (struct map_entry *at = map_first(map); at != NULL; at = map_next(at))
        names[count++] = memory_copy_string(map_key(at));
    return joined(names, count, " ");
}

// NodeClaims that go with their NodePool, by name.
static char *deletions_foretold(const struct foretold *foretold)
{
    char *names[NODES_MAX];
    uint32_t count = 0;
    const struct snapshot *after = foretold->after;
    for (uint32_t i = 0; i < after->objects[KIND_NODE_CLAIM].count; i++)
        if (object_is_deleting(after->objects[KIND_NODE_CLAIM].items[i]))
            names[count++] =
                memory_copy_string(after->objects[KIND_NODE_CLAIM].items[i]->meta.name);
    return joined(names, count, " ");
}

// The first round that has any; NULL: none.
static const struct forecast_round *first_round(const struct foretold *foretold)
{
    list_for_each (round, &foretold->forecast->rounds)
        if (round->commands.count > 0)
            return round;
    return NULL;
}

static const char *reason_foretold(const struct foretold *foretold)
{
    const struct forecast_round *round = first_round(foretold);
    return round != NULL ? disruption_reason_name(round->commands.items[0].reason) : "none";
}

// The nodes of commands of one decision; empty nodes go one by one, as their pods end.
struct named_commands {
    char *commands[NODES_MAX];
    uint32_t count;
};

static void add_command(struct named_commands *list, char **names, uint32_t count,
                        const char *reason)
{
    bool one_by_one = strcmp(reason, disruption_reason_name(DISRUPTION_EMPTY)) == 0;
    assert_true(list->count + count < NODES_MAX);
    for (uint32_t i = 0; i < count && one_by_one; i++)
        list->commands[list->count++] = names[i];
    if (!one_by_one)
        list->commands[list->count++] = joined(names, count, " ");
}

static char *commands_foretold(const struct foretold *foretold)
{
    const struct forecast_round *round = first_round(foretold);
    struct named_commands list = {.count = 0};
    for (uint32_t c = 0; round != NULL && c < round->commands.count; c++) {
        const struct string_list *nodes = &round->commands.items[c].nodes;
        char *names[NODES_MAX];
        for (uint32_t i = 0; i < nodes->count; i++)
            names[i] = memory_copy_string(nodes->items[i]);
        add_command(&list, names, nodes->count,
                    disruption_reason_name(round->commands.items[c].reason));
    }
    return joined(list.commands, list.count, "; ");
}

static uint32_t names_of_command(const struct observed *observed, const struct begun *begun,
                                 char **names)
{
    uint32_t count = 0;
    for (struct map_entry *at = map_first(observed->nodes); at != NULL; at = map_next(at))
        if (strcmp(map_value(at), begun->id) == 0)
            names[count++] = memory_copy_string(map_key(at));
    return count;
}

static char *commands_observed(const struct observed *observed, const char *reason)
{
    struct named_commands list = {.count = 0};
    for (uint32_t i = 0; i < observed->commands_count; i++) {
        const struct begun *begun = &observed->commands[i];
        char *names[NODES_MAX];
        if (is_first(observed, begun, reason))
            add_command(&list, names, names_of_command(observed, begun, names), begun->reason);
    }
    return joined(list.commands, list.count, "; ");
}

static char *wish_foretold(const struct plan_claim *claim)
{
    char *types[TYPES_MAX];
    uint32_t count = 0;
    list_for_each (type, &claim->types)
        if (count < LAUNCH_TYPES_MAX)
            types[count++] = memory_copy_string(type->instance_type->name);
    CLEANUP_FREE char *names = joined(types, count, " ");
    struct text text = {0};
    text_format(&text, "%s: %s", claim->node_pool->meta.name, names);
    return text_take(&text);
}

static char *launches_foretold(const struct foretold *foretold)
{
    char *wishes[NODES_MAX];
    uint32_t count = 0;
    list_for_each (claim, &foretold->forecast->first->claims)
        wishes[count++] = wish_foretold(claim);
    return joined(wishes, count, "; ");
}

static char *launches_observed(const struct observed *observed)
{
    char *wishes[NODES_MAX];
    uint32_t count = 0;
    for (struct map_entry *at = map_first(observed->launched); at != NULL; at = map_next(at))
        if (((const char *)map_value(at))[0] != '\0')
            wishes[count++] = memory_copy_string(map_value(at));
    return joined(wishes, count, "; ");
}

// If the first decision has commands: what it would launch in place of their nodes.
static char *replacements_foretold(const struct foretold *foretold)
{
    char *wishes[NODES_MAX];
    uint32_t count = 0;
    list_for_each (disruption, &foretold->forecast->first->disruptions)
        list_for_each (claim, &disruption->replacements)
            wishes[count++] = wish_foretold(claim);
    return joined(wishes, count, "; ");
}

static char *replacements_observed(const struct observed *observed, const char *reason)
{
    char *wishes[NODES_MAX];
    uint32_t count = 0;
    for (struct map_entry *at = map_first(observed->replacements); at != NULL; at = map_next(at))
        for (uint32_t i = 0; i < observed->commands_count; i++)
            if (is_first(observed, &observed->commands[i], reason) &&
                strncmp(map_value(at), observed->commands[i].id, ID_LENGTH) == 0)
                wishes[count++] = memory_copy_string((const char *)map_value(at) + ID_LENGTH + 1);
    return joined(wishes, count, "; ");
}

static bool agree(uint64_t seed, const char *edit_text, const char *what, char *foretold,
                  char *observed)
{
    bool same = strcmp(foretold, observed) == 0;
    if (!same || getenv("ADZE_TEST_VERBOSE") != NULL)
        print_message("seed %llu, %s: %s foretold [%s], observed [%s]\n", (unsigned long long)seed,
                      edit_text, what, foretold, observed);
    free(foretold);
    free(observed);
    return same;
}

static void tell_observed(const struct observed *observed)
{
    for (uint32_t i = 0; i < observed->commands_count; i++) {
        const struct begun *begun = &observed->commands[i];
        char *names[NODES_MAX];
        CLEANUP_FREE char *nodes = joined(names, names_of_command(observed, begun, names), " ");
        print_message("  after %.1f s %s: %s\n",
                      (double)ns_subtract(begun->at, observed->begun) / SECOND, begun->reason,
                      nodes);
    }
}

static bool compare(const struct foretold *foretold, const struct observed *observed,
                    const struct drawn *drawn, uint64_t seed)
{
    const char *reason = reason_foretold(foretold);
    if (getenv("ADZE_TEST_VERBOSE") != NULL)
        tell_observed(observed);
    bool fine =
        agree(seed, drawn->what, "drift", drift_foretold(foretold), names_in(observed->drifted));
    fine &= agree(seed, drawn->what, "launches", launches_foretold(foretold),
                  launches_observed(observed));
    if (drawn->deleted != NULL) // commands would follow later, when its pods have been placed
        return agree(seed, drawn->what, "deletions", deletions_foretold(foretold),
                     names_in(observed->deleted)) &&
               fine;
    if (foretold->forecast->remark != NULL)
        return fine; // they may be others, and the forecast says so
    fine &= agree(seed, drawn->what, "commands", commands_foretold(foretold),
                  commands_observed(observed, reason));
    fine &= agree(seed, drawn->what, "replacements", replacements_foretold(foretold),
                  replacements_observed(observed, reason));
    return fine;
}

// Where it ends is an estimate: launches take time, and kube-scheduler goes its own ways meanwhile.
static void tell_end(struct scenario *scenario, uint64_t seed, const char *what,
                     const struct forecast *forecast)
{
    scenario_run(scenario, 400);
    print_message("seed %llu, %s: %u nodes -> %u, foretold %u; $%.4f -> $%.4f, foretold $%.4f\n",
                  (unsigned long long)seed, what, forecast->before.total.nodes,
                  view_count(scenario, "v1", "Node"), forecast->after.total.nodes,
                  (double)forecast->before.total.price / NANO,
                  (double)simulation_price(scenario->simulation) / NANO,
                  (double)forecast->after.total.price / NANO);
}

static bool life(uint64_t seed)
{
    struct drawn drawn = {0};
    struct scenario *scenario = scenario_create(seed);
    struct text text = {0};
    scenario_begin(scenario);
    draw(&drawn, seed);
    add_all(&text, &drawn);
    scenario_apply(scenario, text.data);
    hand_delete(scenario, KARPENTER, "NodePool", NULL, "default");
    scenario_run(scenario, 180);
    text_clear(&text);
    edit(&drawn, scenario, seed, &text);
    struct foretold foretold;
    foretell(&foretold, scenario, &drawn, text.data);
    struct observed observed = {.drifted = map_create(),
                                .deleted = map_create(),
                                .nodes = map_create(),
                                .replacements = map_create(),
                                .launched = map_create()};
    observed.begun = loop_now_ns(scenario->loop);
    look(scenario, &observed);
    scenario_apply(scenario, text.data);
    if (drawn.deleted != NULL)
        hand_delete(scenario, KARPENTER, "NodePool", NULL, drawn.deleted);
    watch(scenario, &observed, 60);
    bool fine = compare(&foretold, &observed, &drawn, seed);
    if (getenv("ADZE_TEST_VERBOSE") != NULL)
        tell_end(scenario, seed, drawn.what, foretold.forecast);
    map_destroy(observed.drifted, NULL);
    map_destroy(observed.deleted, NULL);
    map_destroy(observed.nodes, free);
    map_destroy(observed.replacements, free);
    map_destroy(observed.launched, free);
    forget(&foretold);
    text_free(&text);
    scenario_destroy(scenario);
    return fine;
}

static uint64_t first_seed = 1, last_seed = SEEDS;

static void edits_do_what_was_foretold_DIS_72_DIS_74_DIS_75_DIS_222(void **state)
{
    uint32_t wrong = 0;
    (void)state;
    for (uint64_t seed = first_seed; seed <= last_seed; seed++)
        wrong += !life(seed);
    assert_int_equal(wrong, 0);
}

int main(int argc, char **argv)
{
    if (argc > 1)
        first_seed = last_seed = strtoull(argv[1], NULL, 10);
    if (argc > 2)
        last_seed = strtoull(argv[2], NULL, 10);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(edits_do_what_was_foretold_DIS_72_DIS_74_DIS_75_DIS_222),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
