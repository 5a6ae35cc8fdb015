// properties [--property NAME] [--seeds FROM-TO] [--size small|middle|large] [--keep-going]
//            [--no-shrink] [--print [--json]]
//
// Tries properties on generated worlds. For each failure it prints the seed, the reason and the
// shrunk world as YAML. Exit status 1 if anything failed, 2 on bad usage.
#include "properties/properties.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "properties/guard.h"
#include "properties/shrink.h"

const struct property properties[] = {
    {"permutation", "SCH-540", WORLD_MIDDLE, order_does_not_matter,
     "the order of documents, arrays and labels does not change the plan"},
    {"irrelevance", "SCH-541", WORLD_MIDDLE, the_useless_does_not_matter,
     "types, zones and pools that no pod can use do not change the plan"},
    {"price", "SCH-542", WORLD_MIDDLE, lowest_price_is_not_above_greedy,
     "LowestPrice places as many pods as Greedy, for no more money"},
    {"half", "SCH-542", WORLD_MIDDLE, half_prices_halve_the_total,
     "half the prices, half the total"},
    {"removal", "SCH-542", WORLD_MIDDLE, fewer_pods_cost_no_more,
     "a pod less does not make the plan dearer by more than 1 %"},
    {"completeness", "SCH-543", WORLD_SMALL, what_can_be_placed_is_placed,
     "what an exhaustive search can place is placed"},
    {"safety", "SCH-544", WORLD_MIDDLE, the_scheduler_accepts_all,
     "the kube-scheduler's filters accept all, limits hold"},
    {"bound", "SCH-545", WORLD_MIDDLE, nothing_is_left_when_all_are_bound,
     "when nodes have joined and pods are bound, nothing is left to plan"},
    {"joined", "SCH-545", WORLD_MIDDLE, joined_nodes_suffice,
     "when nodes have joined, their pods need no others"},
    {0},
};

struct run {
    const char *property; // NULL: all
    uint64_t from, to;
    int size; // -1: each property's own
    bool keep_going, shrinks, prints, as_json;
};

static void report(const struct property *property, uint64_t seed, const json_t *world,
                   const struct text *why, bool shrinks)
{
    printf("%s (%s) fails with seed %llu:\n%s", property->name, property->rule,
           (unsigned long long)seed, why->data);
    if (!shrinks)
        return;
    CLEANUP_JSON json_t *small = world_shrink(world, seed, property->check);
    struct text text = {0}, reason = {0};
    guarded_check(property->check, small, seed, &reason);
    world_write_yaml(small, &text);
    printf("shrunk: %s%s", reason.data != NULL ? reason.data : "", text.data);
    text_free(&text);
    text_free(&reason);
}

// A world without a plan proves nothing.
static bool is_plannable(const json_t *world, uint64_t seed, struct text *why)
{
    (void)seed;
    OUTCOME outcome = world_plan(world);
    if (outcome.plan == NULL)
        text_format(why, "no plan: %s\n", outcome.error.message);
    return outcome.plan != NULL;
}

static uint64_t run_property(const struct property *property, const struct run *run)
{
    uint64_t failures = 0;
    for (uint64_t seed = run->from; seed <= run->to; seed++) {
        enum world_size size = run->size >= 0 ? (enum world_size)run->size : property->size;
        CLEANUP_JSON json_t *world = world_generate(seed, size);
        struct text why = {0};
        bool plannable = guarded_check(is_plannable, world, seed, &why);
        if (!plannable || !guarded_check(property->check, world, seed, &why)) {
            failures++;
            report(property, seed, world, &why, run->shrinks);
        }
        text_free(&why);
        if (failures > 0 && !run->keep_going)
            break;
    }
    printf("%s (%s): %llu of %llu seeds fail\n", property->name, property->rule,
           (unsigned long long)failures, (unsigned long long)(run->to - run->from + 1));
    return failures;
}

static void print_world(const struct run *run)
{
    CLEANUP_JSON json_t *world =
        world_generate(run->from, run->size >= 0 ? (enum world_size)run->size : WORLD_MIDDLE);
    if (run->as_json) {
        json_dumpf(world, stdout, 0);
        putchar('\n');
        return;
    }
    struct text text = {0};
    world_write_yaml(world, &text);
    fputs(text.data, stdout);
    text_free(&text);
}

static bool parse_seeds(const char *text, struct run *run)
{
    char *end;
    run->from = run->to = strtoull(text, &end, 10);
    if (*end == '-')
        run->to = strtoull(end + 1, &end, 10);
    return *end == '\0' && run->from <= run->to;
}

static bool parse_size(const char *text, struct run *run)
{
    static const char *const sizes[] = {"small", "middle", "large"};
    for (int i = 0; i < 3; i++)
        if (strcmp(text, sizes[i]) == 0)
            run->size = i;
    return run->size >= 0;
}

static bool parse(int argc, char **argv, struct run *run)
{
    for (int i = 1; i < argc; i++) {
        const char *next = i + 1 < argc ? argv[i + 1] : "";
        bool fine = true;
        if (strcmp(argv[i], "--keep-going") == 0)
            run->keep_going = true;
        else if (strcmp(argv[i], "--no-shrink") == 0)
            run->shrinks = false;
        else if (strcmp(argv[i], "--print") == 0)
            run->prints = true;
        else if (strcmp(argv[i], "--json") == 0)
            run->as_json = true;
        else if (strcmp(argv[i], "--property") == 0 && i++ > 0)
            run->property = next;
        else if (strcmp(argv[i], "--seeds") == 0 && i++ > 0)
            fine = parse_seeds(next, run);
        else if (strcmp(argv[i], "--size") == 0 && i++ > 0)
            fine = parse_size(next, run);
        else
            fine = false;
        if (!fine)
            return false;
    }
    return true;
}

static int usage(void)
{
    fprintf(stderr, "usage: properties [--property NAME] [--seeds FROM-TO] [--size "
                    "small|middle|large] [--keep-going] [--no-shrink] [--print [--json]]\n");
    for (const struct property *property = properties; property->name != NULL; property++)
        fprintf(stderr, "  %-13s %s  %s\n", property->name, property->rule, property->help);
    return 2;
}

int main(int argc, char **argv)
{
    struct run run = {.from = 1, .to = 50, .size = -1, .shrinks = true};
    if (!parse(argc, argv, &run))
        return usage();
    if (run.prints) {
        print_world(&run);
        return 0;
    }
    uint64_t failures = 0;
    bool known = false;
    for (const struct property *property = properties; property->name != NULL; property++)
        if (run.property == NULL || strcmp(run.property, property->name) == 0) {
            known = true;
            failures += run_property(property, &run);
        }
    return !known ? usage() : failures > 0;
}
