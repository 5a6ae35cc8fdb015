#include "engine/placement/pass_retry.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/text.h"
#include "engine/pass/pass_state.h"
#include "engine/placement/pass.h"
#include "engine/pods/relaxation.h"
#include "engine/topology/topology.h"

// Retries in order. Each queues the pods that failed most often first.
enum retry {
    RETRY_FAILED_FIRST,
    RETRY_QUEUE_AS_GIVEN,
    RETRY_NODES_LAST,
    RETRY_NODES_LAST_AS_GIVEN,
    RETRY_EXPENSIVE_DOMAIN,
    RETRY_SMALLEST_MACHINES,
    RETRY_EXPENSIVE_DOMAIN_AS_GIVEN,
    RETRY_NODES_LAST_EXPENSIVE_DOMAIN,
    RETRIES,
    RETRY_STRICT_MAX_SKEW = RETRIES, // first, and only if pods share nodes beyond maxSkew
};
static const struct way {
    bool nodes_last; // failed pods and their affinity peers try new nodes first
    struct retry_options options;
} ways[RETRIES + 1] = {
    [RETRY_FAILED_FIRST] = {0},
    [RETRY_QUEUE_AS_GIVEN] = {.options = {.queue_order = QUEUE_AS_GIVEN}},
    [RETRY_NODES_LAST] = {.nodes_last = true},
    [RETRY_NODES_LAST_AS_GIVEN] = {.nodes_last = true, .options = {.queue_order = QUEUE_AS_GIVEN}},
    [RETRY_EXPENSIVE_DOMAIN] = {.options = {.prefer_expensive_domain = true}},
    [RETRY_SMALLEST_MACHINES] = {.options = {.smallest_under_limits = true}},
    [RETRY_EXPENSIVE_DOMAIN_AS_GIVEN] = {.options = {.queue_order = QUEUE_AS_GIVEN,
                                                     .prefer_expensive_domain = true}},
    [RETRY_NODES_LAST_EXPENSIVE_DOMAIN] = {.nodes_last = true,
                                           .options = {.prefer_expensive_domain = true}},
    [RETRY_STRICT_MAX_SKEW] = {.options = {.strict_max_skew = true}},
};

#define RETRIES_MAX    (2 * (uint32_t)RETRIES)
#define RETRIES_MIN    2
#define PODS_TRIED_MAX 40000 // over all retries

#define GROUPS_COMPARED 16 // of a pod

struct retry_search {
    struct pass *pass;       // the best so far
    struct pass_input input; // of the first pass
    struct arena *arena;
    uint32_t classes;
    uint32_t *alike;        // by class: the first class that a retry treats as equal
    uint32_t *failures;     // by that class: the number of passes that left a pod of it unplaced
    struct bitset hopeless; // by class
};

// --- equal classes, independent of the order of lists --------------------------------------------

static int compare_numbers(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static void add_text(const struct retry_search *search, const struct pod_class *class,
                     struct text *text)
{
    const struct problem *problem = search->pass->problem;
    const struct shape *shape = shape_of(problem, class);
    uint32_t groups[GROUPS_COMPARED], count = 0;
    text_format(text, "%u %u %u %u", class->identity, shape->set, shape->hostname,
                shape->terms_count);
    for (uint32_t d = 0; d < problem->dimensions.count; d++)
        text_format(text, " %" PRId64, shape->requests[d]);
    for (uint32_t g = 0; g < class->groups_count && class->groups_count <= GROUPS_COMPARED; g++)
        groups[count++] = class->groups[g];
    if (count > 0)
        qsort(groups, count, sizeof *groups, compare_numbers);
    for (uint32_t g = 0; g < count; g++)
        text_format(text, " g%u", groups[g]);
}

static void find_alike(struct retry_search *search)
{
    struct map *known_texts = map_create();
    struct text text = {0};
    memset(search->alike, 0xff, search->classes * sizeof *search->alike);
    for (uint32_t i = 0; i < search->input.queue_count; i++) {
        uint32_t class = search->input.queue[i].class;
        assert(class < search->classes);
        if (search->alike[class] != NONE)
            continue;
        text_clear(&text);
        add_text(search, class_at(search->pass->problem, class), &text);
        uintptr_t known = (uintptr_t)map_get(known_texts, text.data);
        if (known == 0)
            map_set(known_texts, text.data, (void *)(uintptr_t)(class + 1));
        search->alike[class] = known != 0 ? (uint32_t)known - 1 : class;
    }
    text_free(&text);
    map_destroy(known_texts, NULL);
}

// --- placeable classes ---------------------------------------------------------------------------

// True if the pod can be placed first, or possibly after others.
static bool is_placeable(struct pass *empty, uint32_t pod)
{
    uint32_t class = pass_pod(empty, pod)->class;
    for (; class != NONE; class = class_relax(empty->problem, class))
        if (pass_could_place(empty, pod, class))
            return true;
    return false;
}

// Finds the classes that no order of the queue can place; retries ignore them.
static void find_hopeless(struct retry_search *search)
{
    struct pass *empty = NULL;
    CLEANUP_ARENA struct arena *scratch = arena_create(256);
    struct bitset known = bitset_create(scratch, search->classes);
    for (uint32_t i = 0; i < search->input.queue_count; i++) {
        uint32_t class = pass_pod(search->pass, i)->class;
        if (search->pass->placements[i].kind != NOT_PLACED || bitset_has(known, class))
            continue;
        bitset_set(known, class);
        if (empty == NULL) {
            empty = pass_create(search->pass->problem, &search->input);
            empty->doubling.active = true;
        }
        if (!is_placeable(empty, i))
            bitset_set(search->hopeless, class);
    }
    pass_destroy(empty);
}

// Counts a failure for each class with unplaced pods that could be placed, equal classes once.
// Returns their number.
static uint32_t note_failures(struct retry_search *search, const struct pass *pass)
{
    CLEANUP_ARENA struct arena *scratch = arena_create(256);
    struct bitset noted = bitset_create(scratch, search->classes);
    for (uint32_t i = 0; i < pass->input.queue_count; i++) {
        uint32_t class = pass_pod(pass, i)->class, alike = search->alike[class];
        if (pass->placements[i].kind != NOT_PLACED || bitset_has(search->hopeless, class) ||
            bitset_has(noted, alike))
            continue;
        bitset_set(noted, alike);
        search->failures[alike]++;
    }
    return bitset_count(noted);
}

// --- retries -------------------------------------------------------------------------------------

static int compare_failures(const void *a, const void *b, void *context)
{
    const struct retry_search *search = context;
    const struct queued_pod *x = a, *y = b;
    uint32_t left = search->failures[search->alike[x->class]];
    uint32_t right = search->failures[search->alike[y->class]];
    if (left != right)
        return left > right ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

// The queue, with the pods that failed most often first.
static struct queued_pod *order_queue(const struct retry_search *search)
{
    uint32_t count = search->input.queue_count;
    struct queued_pod *queue = memory_allocate_array(count + 1, sizeof *queue);
    memcpy(queue, search->input.queue, count * sizeof *queue);
    for (uint32_t i = 0; i < count; i++)
        queue[i].index = i;
    qsort_r(queue, count, sizeof *queue, compare_failures, (void *)(uintptr_t)search);
    for (uint32_t i = 0; i < count; i++)
        queue[i].index = i;
    return queue;
}

// The failed classes and their affinity peers.
static void find_nodes_last(const struct retry_search *search, struct bitset nodes_last)
{
    struct problem *problem = search->pass->problem;
    CLEANUP_ARENA struct arena *scratch = arena_create(256);
    struct bitset wanted = bitset_create(scratch, problem->interned.identities.count);
    for (uint32_t i = 0; i < search->input.queue_count; i++) {
        uint32_t id = search->input.queue[i].class;
        if (search->failures[search->alike[id]] == 0 || bitset_has(nodes_last, id))
            continue;
        bitset_set(nodes_last, id);
        const struct pod_class *class = class_at(problem, id);
        for (uint32_t g = 0; g < class->groups_count; g++) {
            const struct group_definition *group = problem->topology.groups.items[class->groups[g]];
            if (group->kind == GROUP_AFFINITY && group->hard)
                bitset_or(wanted, group->selects);
        }
    }
    for (uint32_t i = 0; i < search->input.queue_count; i++) {
        uint32_t id = search->input.queue[i].class;
        if (bitset_has(wanted, class_at(problem, id)->identity))
            bitset_set(nodes_last, id);
    }
}

static uint32_t placed_count(const struct pass *pass)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < pass->input.queue_count; i++)
        count += pass->placements[i].kind != NOT_PLACED;
    assert(count <= pass->version);
    return count;
}

// Keeps the new pass; its queue lives as long as the problem.
static void keep(struct retry_search *search, struct pass *retried)
{
    assert(retried->problem == search->pass->problem);
    assert(retried->input.queue_count == search->pass->input.queue_count);
    struct queued_pod *queue = arena_allocate_array(retried->problem->arena,
                                                    retried->input.queue_count + 1, sizeof *queue);
    memcpy(queue, retried->input.queue, retried->input.queue_count * sizeof *queue);
    struct pass before = *search->pass;
    *search->pass = *retried;
    *retried = before;
    search->pass->input.queue = queue;
}

// Runs one retry. Returns the number of classes that still fail if the retry is kept, else NONE.
static uint32_t run_retry(struct retry_search *search, enum retry retry)
{
    assert(retry < ARRAY_LENGTH(ways));
    CLEANUP_ARENA struct arena *scratch = arena_create(256);
    struct pass_input input = search->input;
    struct queued_pod *queue = order_queue(search);
    input.queue = queue;
    input.retry = ways[retry].options;
    input.retry.nodes_last = bitset_create(scratch, search->classes);
    if (ways[retry].nodes_last)
        find_nodes_last(search, input.retry.nodes_last);
    struct pass *retried = pass_create(search->pass->problem, &input);
    pass_run_queue(retried);
    uint32_t failures = note_failures(search, retried);
    if (placed_count(retried) > placed_count(search->pass) && !pass_priorities_matter(retried))
        keep(search, retried);
    else
        failures = NONE;
    pass_destroy(retried);
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
    assert(pods > 0);
    uint32_t tries = PODS_TRIED_MAX / pods;
    return tries < RETRIES_MIN ? RETRIES_MIN : tries > RETRIES_MAX ? RETRIES_MAX : tries;
}

void pass_retry(struct pass *pass)
{
    if (!pass->problem->strategy->retries_passes || placed_count(pass) == pass->input.queue_count ||
        was_cut_short(pass))
        return;
    CLEANUP_ARENA struct arena *arena = arena_create(1024);
    struct retry_search search = {.pass = pass, .input = pass->input, .arena = arena};
    search.classes = pass->problem->interned.classes.count;
    search.alike = arena_allocate_array(arena, search.classes + 1, sizeof *search.alike);
    search.failures = arena_allocate_array(arena, search.classes + 1, sizeof *search.failures);
    search.hopeless = bitset_create(arena, search.classes);
    find_alike(&search);
    find_hopeless(&search);
    uint32_t left = note_failures(&search, pass);
    if (left > 0 && pass->doubling.groups.count > 0) {
        uint32_t after = run_retry(&search, RETRY_STRICT_MAX_SKEW);
        left = after != NONE ? after : left;
    }
    uint32_t tries = tries_allowed(pass->input.queue_count);
    for (uint32_t i = 0; i < tries && left > 0; i++) {
        uint32_t after = run_retry(&search, (enum retry)(i % RETRIES));
        left = after != NONE ? after : left;
    }
}
