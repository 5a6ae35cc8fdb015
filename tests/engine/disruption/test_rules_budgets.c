// Budgets (DIS-110 to DIS-133) as tables. It is Thursday, 2026-01-01T00:00:00Z.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/disruption/disrupt_cases.h"

#define THREE_EMPTY                   \
    {                                 \
        {.name = "a"}, {.name = "b"}, \
        {                             \
            .name = "c"               \
        }                             \
    }
#define BUDGETS(what, list, result)                                             \
    {                                                                           \
        .rule = what, .method = "emptiness",                                    \
        .pools = {{.disruption = "budgets: [" list "], consolidateAfter: 0s"}}, \
        .nodes = THREE_EMPTY, .expected = result                                \
    }
#define ALL     "Empty/empty: a b c"
#define TWO     "Empty/empty: a b"
#define ONE     "Empty/empty: a"
#define NOTHING ""

static void one_budget(void **state)
{
    (void)state;
    static const struct disrupt_case cases[] = {
        BUDGETS("DIS-110: without schedule always", "{nodes: '1'}", ONE),
        BUDGETS("DIS-95: none at all is no limit", "", ALL),
        BUDGETS("DIS-111: in its window", "{nodes: '1', schedule: '0 0 * * *', duration: 1h}", ONE),
        BUDGETS("DIS-111: long durations overlap",
                "{nodes: '1', schedule: '0 12 * * *', duration: 24h}", ONE),
        BUDGETS("DIS-111: the end is excluded",
                "{nodes: '0', schedule: '0 23 * * *', duration: 1h}", ALL),
        BUDGETS("DIS-111: 0h is never active", "{nodes: '0', schedule: '0 0 * * *', duration: 0h}",
                ALL),
        BUDGETS("DIS-119: outside of its window there is no limit",
                "{nodes: '0', schedule: '0 12 * * *', duration: 1h}", ALL),
        BUDGETS("DIS-113: a schedule that never hits is always active",
                "{nodes: '1', schedule: '0 0 31 2 *', duration: 1h}", ONE),
        BUDGETS("DIS-115: both days, for the day of the week is a star",
                "{nodes: '0', schedule: '0 0 1 * *', duration: 1h}", NOTHING),
        BUDGETS("DIS-115: one of them suffices, the 7th or a Thursday",
                "{nodes: '0', schedule: '0 0 7 * thu', duration: 1h}", NOTHING),
        BUDGETS("DIS-115: a step of one is a star",
                "{nodes: '0', schedule: '0 0 */1 * fri', duration: 1h}", ALL),
        BUDGETS("DIS-116: @daily", "{nodes: '1', schedule: '@daily', duration: 1h}", ONE),
        BUDGETS("DIS-116: @weekly is Sunday", "{nodes: '0', schedule: '@weekly', duration: 1h}",
                ALL),
        BUDGETS("DIS-116, DIS-117: what does not parse allows nothing",
                "{nodes: '3', schedule: '@dailyfoo', duration: 1h}", NOTHING),
        BUDGETS("DIS-118: a share rounds up", "{nodes: 34%}", TWO),
        BUDGETS("DIS-118, DIS-764: a tenth of three is one", "{nodes: 10%}", ONE),
        BUDGETS("DIS-118: none", "{nodes: 0%}", NOTHING),
        BUDGETS("DIS-118: leading zeros", "{nodes: '002'}", TWO),
    };
    CHECK_DISRUPT_CASES(cases);
}

static void a_pools_budgets(void **state)
{
    (void)state;
    static const struct disrupt_case cases[] = {
        BUDGETS("DIS-120: the least of those for the reason",
                "{nodes: '2'}, {nodes: '1', reasons: [Empty]}, {nodes: '0', reasons: [Drifted]}",
                ONE),
        BUDGETS("DIS-120: an empty list matches no reason", "{nodes: '1', reasons: []}", ALL),
        BUDGETS(
            "DIS-121: a broken one for another reason allows nothing",
            "{nodes: '3'}, {nodes: '3', reasons: [Drifted], schedule: '0 0 * * 7', duration: 1h}",
            NOTHING),
    };
    CHECK_DISRUPT_CASES(cases);
}

#define BUDGET_OF(count) .disruption = "budgets: [{nodes: " count "}], consolidateAfter: 0s"

static void who_counts(void **state)
{
    (void)state;
    static const struct disrupt_case cases[] = {
        {.rule = "DIS-125: uninitialized and unmanaged nodes are no part of the total",
         .method = "emptiness",
         .pools = {{BUDGET_OF("50%")}},
         .nodes = {{.name = "a"},
                   {.name = "b"},
                   {.name = "u", .unmanaged = true},
                   {.name = "v", .uninitialized = true, .no_condition = "Initialized"}},
         .expected = "Empty/empty: a"},
        {.rule = "DIS-126, DIS-127: a NotReady node uses the budget",
         .method = "emptiness",
         .pools = {{BUDGET_OF("'2'")}},
         .nodes = {{.name = "a"}, {.name = "b"}, {.name = "c", .not_ready = true}},
         .pods = {{.name = "p", .node = "c"}},
         .expected = "Empty/empty: a"},
        {.rule = "DIS-133: a deletion by force does not wait, but counts",
         .method = "emptiness",
         .pools = {{BUDGET_OF("'1'")}},
         .nodes = {{.name = "a"}, {.name = "g", .deleting = true}},
         .expected = ""},
        {.rule = "DIS-127: whatever the reason for which it goes",
         .method = "drift",
         .pools = {{.disruption = "budgets: [{nodes: '1', reasons: [Drifted]}], "
                                  "consolidateAfter: 0s"}},
         .nodes = {{.name = "a", .drifted = "2025-12-20T00:00:00Z"},
                   {.name = "g", .deleting = true}},
         .expected = ""},
        {.rule = "DIS-132: pools are independent",
         .method = "emptiness",
         .pools = {{BUDGET_OF("'1'")}, {.name = "other", BUDGET_OF("'1'")}},
         .nodes = {{.name = "a"}, {.name = "g", .deleting = true}, {.name = "o", .pool = "other"}},
         .expected = "Empty/empty: o"},
    };
    CHECK_DISRUPT_CASES(cases);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_budget),
        cmocka_unit_test(a_pools_budgets),
        cmocka_unit_test(who_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
