// Drift (DIS-220 to DIS-228, and its reference cases) as tables; see test_disrupt_drift.c.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/disruption/disrupt_cases.h"

#define OLD          .drifted = "2025-12-10T00:00:00Z"
#define NEW          .drifted = "2025-12-20T00:00:00Z"
#define BUDGET(list) .disruption = "budgets: [" list "], consolidateAfter: Never"

static void upstream(void **state)
{
    (void)state;
    static const struct disrupt_case cases[] = {
        {.rule = "DIS-225, DIS-492: one node a pass",
         .method = "drift",
         .pools = {{BUDGET("{nodes: '3'}"), .template = ONLY_TYPES("small")}},
         .nodes = {{.name = "a", NEW}, {.name = "b", OLD}, {.name = "c", NEW}},
         .pods = {{.name = "p", .node = "a"},
                  {.name = "q", .node = "b"},
                  {.name = "r", .node = "c"}},
         .expected = "Drifted/none: b"},
        {.rule = "DIS-492: those that go already use the budget up",
         .method = "drift",
         .pools = {{BUDGET("{nodes: '1'}"), .template = ONLY_TYPES("small")}},
         .nodes = {{.name = "a", NEW}, {.name = "g", .deleting = true}},
         .pods = {{.name = "p", .node = "a"}},
         .expected = ""},
        {.rule = "DIS-224: no consolidateAfter, no condition Consolidatable, any price",
         .method = "drift",
         .pools = {{BUDGET("{nodes: '3'}"), .template = ONLY_TYPES("large")}},
         .nodes = {{.name = "a",
                    NEW,
                    .type = "small",
                    .cpu = "1900m",
                    .no_condition = "Consolidatable"}},
         .pods = {{.name = "p", .node = "a"}},
         .expected = "Drifted/none: a -> large on-demand -"},
        {.rule = "DIS-223: its pods may go to nodes that are there",
         .method = "drift",
         .nodes = {{.name = "a", NEW}, {.name = "u", .unmanaged = true}},
         .pods = {{.name = "p", .node = "a"}},
         .expected = "Drifted/none: a"},
        {.rule = "DIS-227: without a ready NodePool nothing is asked",
         .method = "drift",
         .pools = {{.not_ready = true}},
         .nodes = {{.name = "a", NEW}, {.name = "u", .unmanaged = true}},
         .pods = {{.name = "p", .node = "a"}},
         .expected = ""},
        {.rule = "DIS-712: adze needs none to move pods to nodes that are there",
         .method = "drift",
         .settings = BETTER,
         .pools = {{.not_ready = true}},
         .nodes = {{.name = "a", NEW}, {.name = "u", .unmanaged = true}},
         .pods = {{.name = "p", .node = "a"}},
         .expected = "Drifted/none: a"},
        {.rule = "DIS-228: static drift needs no feature gate",
         .method = "static-drift",
         .settings = UPSTREAM ", FEATURE_GATES: StaticCapacity=false",
         .pools = {{.spec = "replicas: 1, "}},
         .nodes = {{.name = "a", NEW}},
         .expected = "Drifted/none: a ->  - -"},
        {.rule = "DIS-439: drift precedes consolidation",
         .nodes = {{.name = "a", NEW}, {.name = "b"}, {.name = "u", .unmanaged = true}},
         .pods = {{.name = "p", .node = "a"}, {.name = "q", .node = "b"}},
         .expected = "Drifted/none: a"},
        {.rule = "DIS-36: drift of a pool with Never is decided, consolidation is not",
         .pools = {{BUDGET("{nodes: '3'}")}},
         .nodes = {{.name = "a", NEW}, {.name = "b"}, {.name = "u", .unmanaged = true}},
         .pods = {{.name = "p", .node = "a"}, {.name = "q", .node = "b"}},
         .expected = "Drifted/none: a"},
        {.rule = "DIS-433: the pods of static nodes that drift are not simulated",
         .method = "static-drift",
         .pools = {{.spec = "replicas: 1, "}},
         .nodes = {{.name = "a", NEW}},
         .pods = {{.name = "p", .node = "a", .cpu = "150"}},
         .expected = "Drifted/none: a ->  - -"},
    };
    CHECK_DISRUPT_CASES(cases);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(upstream)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
