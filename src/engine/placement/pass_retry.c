#include "engine/placement/pass_retry.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/text.h"
#include "engine/placement/pass.h"
#include "engine/pods/preferences.h"
#include "engine/topology/topology.h"

// What a try does otherwise than the pass before.
struct way {
    bool apart;    // the pods that failed, and what they want to be with, try new nodes first
    bool unlifted; // pods that others look for do not go before them
    bool dearest;  // of equal domains the one with the dearest launch
    bool frugal;   // below limits the smallest machines
    bool unshared; // nobody shares existing nodes beyond maxSkew (SCH-513)
};
static const struct way ways[] = {
    {0},
    {.unlifted = true},
    {.apart = true},
    {.unlifted = true, .apart = true},
    {.dearest = true},
    {.frugal = true},
    {.unlifted = true, .dearest = true},
    {.apart = true, .dearest = true},
};

#define TRIES_MAX      (2 * (uint32_t)ARRAY_LENGTH(ways))
#define TRIES_MIN      2
#define PODS_TRIED_MAX 40000 // over all tries

#define GROUPS_TOLD_APART 16 // of a pod

struct repair {
    struct pass *pass;       // the best so far
    struct pass_input input; // of the first one
    struct arena *arena;
    uint32_t classes;
    uint32_t *kind;         // by class: the first class of pods that are the same to a repair
    uint32_t *failures;     // by kind: after how many passes a pod of it had no place
    struct bitset hopeless; // by class
};

// --- kinds of pods: coarser than classes, which differ by the order in which lists are written ---

static int compare_numbers(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static void add_kind_text(const struct repair *repair, const struct pod_class *class,
                          struct text *text)
{
    const struct problem *problem = repair->pass->problem;
    const struct shape *shape = shape_of(problem, class);
    uint32_t groups[GROUPS_TOLD_APART], count = 0;
    text_format(text, "%u %u %u %u", class->identity, shape->set, shape->hostname,
                shape->terms_count);
    for (uint32_t d = 0; d < problem->dimensions.count; d++)
        text_format(text, " %" PRId64, shape->requests[d]);
    for (uint32_t g = 0; g < class->groups_count && class->groups_count <= GROUPS_TOLD_APART; g++)
        groups[count++] = class->groups[g];
    if (count > 0)
        qsort(groups, count, sizeof *groups, compare_numbers);
    for (uint32_t g = 0; g < count; g++)
        text_format(text, " g%u", groups[g]);
}

static void find_kinds(struct repair *repair)
{
    struct map *kinds = map_create();
    struct text text = {0};
    memset(repair->kind, 0xff, repair->classes * sizeof *repair->kind);
    for (uint32_t i = 0; i < repair->input.queue_count; i++) {
        uint32_t class = repair->input.queue[i].class;
        if (repair->kind[class] != NONE)
            continue;
        text_clear(&text);
        add_kind_text(repair, class_at(repair->pass->problem, class), &text);
        uintptr_t known = (uintptr_t)map_get(kinds, text.data);
        if (known == 0)
            map_set(kinds, text.data, (void *)(uintptr_t)(class + 1));
        repair->kind[class] = known != 0 ? (uint32_t)known - 1 : class;
    }
    text_free(&text);
    map_destroy(kinds, NULL);
}

// --- who could have a place ----------------------------------------------------------------------

// Whether the pod finds a place when it comes first, or might when others are placed.
static bool has_hope(struct pass *empty, uint32_t pod)
{
    uint32_t class = pass_pod(empty, pod)->class;
    for (; class != NONE; class = class_relax(empty->problem, class))
        if (pass_could_place(empty, pod, class))
            return true;
    return false;
}

// Classes that fail for good, whatever the others do, are left alone.
static void find_hopeless(struct repair *repair)
{
    struct pass *empty = NULL;
    CLEANUP_ARENA struct arena *scratch = arena_create(256);
    struct bitset known = bitset_create(scratch, repair->classes);
    for (uint32_t i = 0; i < repair->input.queue_count; i++) {
        uint32_t class = pass_pod(repair->pass, i)->class;
        if (repair->pass->placements[i].kind != NOT_PLACED || bitset_has(known, class))
            continue;
        bitset_set(known, class);
        if (empty == NULL) {
            empty = pass_create(repair->pass->problem, &repair->input);
            empty->doubling = true;
        }
        if (!has_hope(empty, i))
            bitset_set(repair->hopeless, class);
    }
    pass_destroy(empty);
}

// Counts the kinds of pods without a place that could have one; returns how many.
static uint32_t note_failures(struct repair *repair, const struct pass *pass)
{
    CLEANUP_ARENA struct arena *scratch = arena_create(256);
    struct bitset noted = bitset_create(scratch, repair->classes);
    for (uint32_t i = 0; i < pass->input.queue_count; i++) {
        uint32_t class = pass_pod(pass, i)->class, kind = repair->kind[class];
        if (pass->placements[i].kind != NOT_PLACED || bitset_has(repair->hopeless, class) ||
            bitset_has(noted, kind))
            continue;
        bitset_set(noted, kind);
        repair->failures[kind]++;
    }
    return bitset_count(noted);
}

// --- another try ---------------------------------------------------------------------------------

static int compare_failures(const void *a, const void *b, void *context)
{
    const struct repair *repair = context;
    const struct queued_pod *x = a, *y = b;
    uint32_t left = repair->failures[repair->kind[x->class]];
    uint32_t right = repair->failures[repair->kind[y->class]];
    if (left != right)
        return left > right ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

// The queue with the pods in front that failed most often.
static struct queued_pod *order_queue(const struct repair *repair)
{
    uint32_t count = repair->input.queue_count;
    struct queued_pod *queue = memory_allocate_array(count + 1, sizeof *queue);
    memcpy(queue, repair->input.queue, count * sizeof *queue);
    for (uint32_t i = 0; i < count; i++)
        queue[i].index = i;
    qsort_r(queue, count, sizeof *queue, compare_failures, (void *)(uintptr_t)repair);
    for (uint32_t i = 0; i < count; i++)
        queue[i].index = i;
    return queue;
}

// The classes that failed and those that they want to be with.
static void find_apart(const struct repair *repair, struct bitset apart)
{
    struct problem *problem = repair->pass->problem;
    CLEANUP_ARENA struct arena *scratch = arena_create(256);
    struct bitset wanted = bitset_create(scratch, problem->interned.identities.count);
    for (uint32_t i = 0; i < repair->input.queue_count; i++) {
        uint32_t id = repair->input.queue[i].class;
        if (repair->failures[repair->kind[id]] == 0 || bitset_has(apart, id))
            continue;
        bitset_set(apart, id);
        const struct pod_class *class = class_at(problem, id);
        for (uint32_t g = 0; g < class->groups_count; g++) {
            const struct group_definition *group = problem->topology.groups.items[class->groups[g]];
            if (group->kind == GROUP_AFFINITY && group->hard)
                bitset_or(wanted, group->selects);
        }
    }
    for (uint32_t i = 0; i < repair->input.queue_count; i++) {
        uint32_t id = repair->input.queue[i].class;
        if (bitset_has(wanted, class_at(problem, id)->identity))
            bitset_set(apart, id);
    }
}

static uint32_t placed_count(const struct pass *pass)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < pass->input.queue_count; i++)
        count += pass->placements[i].kind != NOT_PLACED;
    return count;
}

// The queue of the pass that is kept lives as long as the problem.
static void keep(struct repair *repair, struct pass *anew)
{
    struct queued_pod *queue =
        arena_allocate_array(anew->problem->arena, anew->input.queue_count + 1, sizeof *queue);
    memcpy(queue, anew->input.queue, anew->input.queue_count * sizeof *queue);
    struct pass before = *repair->pass;
    *repair->pass = *anew;
    *anew = before;
    repair->pass->input.queue = queue;
}

// Returns how many kinds have no place although they could, if the try is kept; else NONE.
static uint32_t try_way(struct repair *repair, const struct way *way)
{
    CLEANUP_ARENA struct arena *scratch = arena_create(256);
    struct pass_input input = repair->input;
    struct queued_pod *queue = order_queue(repair);
    input.queue = queue;
    input.unlifted = way->unlifted;
    input.dearest = way->dearest;
    input.frugal = way->frugal;
    input.unshared = way->unshared;
    input.apart = bitset_create(scratch, repair->classes);
    if (way->apart)
        find_apart(repair, input.apart);
    struct pass *anew = pass_create(repair->pass->problem, &input);
    pass_run_queue(anew);
    uint32_t failures = note_failures(repair, anew);
    if (placed_count(anew) > placed_count(repair->pass) && !pass_priorities_matter(anew))
        keep(repair, anew);
    else
        failures = NONE;
    pass_destroy(anew);
    free(queue);
    return failures;
}

static bool was_cut_short(const struct pass *pass)
{
    for (uint32_t i = 0; i < pass->input.queue_count; i++)
        if (pass->placements[i].kind == NOT_PLACED && !pass->placements[i].tried &&
            class_at(pass->problem, pass_pod(pass, i)->class)->refusal == NULL)
            return true;
    return false;
}

static uint32_t tries_allowed(uint32_t pods)
{
    uint32_t tries = PODS_TRIED_MAX / pods;
    return tries < TRIES_MIN ? TRIES_MIN : tries > TRIES_MAX ? TRIES_MAX : tries;
}

void pass_retry(struct pass *pass)
{
    if (!topology_better(pass) || placed_count(pass) == pass->input.queue_count ||
        was_cut_short(pass))
        return;
    CLEANUP_ARENA struct arena *arena = arena_create(1024);
    struct repair repair = {.pass = pass, .input = pass->input, .arena = arena};
    repair.classes = pass->problem->interned.classes.count;
    repair.kind = arena_allocate_array(arena, repair.classes + 1, sizeof *repair.kind);
    repair.failures = arena_allocate_array(arena, repair.classes + 1, sizeof *repair.failures);
    repair.hopeless = bitset_create(arena, repair.classes);
    find_kinds(&repair);
    find_hopeless(&repair);
    uint32_t left = note_failures(&repair, pass);
    if (left > 0 && pass->doubled.count > 0) {
        uint32_t after = try_way(&repair, &(struct way){.unshared = true});
        left = after != NONE ? after : left;
    }
    uint32_t tries = tries_allowed(pass->input.queue_count);
    for (uint32_t i = 0; i < tries && left > 0; i++) {
        uint32_t after = try_way(&repair, &ways[i % ARRAY_LENGTH(ways)]);
        left = after != NONE ? after : left;
    }
}
