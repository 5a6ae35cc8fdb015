// Texts about nodes that stay (DIS-6, DIS-140, DIS-150 to DIS-175, DIS-251), as tables.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/disruption/disrupt_cases.h"

#define SINGLE .method = "single"

static void consolidation(void **state)
{
    (void)state;
    static const struct disrupt_case cases[] = {
        {.rule = "DIS-150: a type that its NodePool does not know",
         SINGLE,
         .nodes = {{.name = "a", .type = "gone"}},
         .pods = {{.name = "p", .node = "a"}},
         .expected = "",
         .note = "a: Instance Type \"gone\" not found"},
        {.rule = "DIS-150, DIS-83: consolidation is off",
         SINGLE,
         .pools = {{.disruption = "consolidateAfter: Never"}},
         .nodes = {{.name = "a"}},
         .pods = {{.name = "p", .node = "a"}},
         .expected = "",
         .note = "a: NodePool \"pool\" has consolidation disabled"},
        {.rule = "DIS-169: nothing cheaper",
         SINGLE,
         .pools = {{.template = ONLY_TYPES("large")}},
         .nodes = {{.name = "a"}},
         .pods = {{.name = "p", .node = "a"}},
         .expected = "",
         .note = "a: Can't replace with a cheaper node"},
        {.rule = "DIS-163: it would take two",
         SINGLE,
         .pools = {{.template = ONLY_TYPES("small")}},
         .nodes = {{.name = "a"}},
         .pods = {{.name = "p", .node = "a", .cpu = "1500m"},
                  {.name = "q", .node = "a", .cpu = "1500m"}},
         .expected = "",
         .note = "a: Can't remove without creating 2 candidates"},
        {.rule = "DIS-168, DIS-472: minValues",
         SINGLE,
         .settings = UPSTREAM ", MIN_VALUES_POLICY: BestEffort",
         .pools = {{.template =
                        "requirements: [{key: node.kubernetes.io/instance-type, operator: "
                        "Exists, minValues: 3}, {key: karpenter.sh/capacity-type, operator: "
                        "In, values: [on-demand]}], "}},
         .nodes = {{.name = "a", .type = "medium", .cpu = "3900m"}},
         .pods = {{.name = "p", .node = "a"}},
         .expected = "",
         .note = "a: Filtering by price: minValues requirement is not met for label(s) "
                 "(label(s)=[node.kubernetes.io/instance-type])"},
        {.rule = "DIS-6, DIS-161, DIS-251: the first byte is a capital",
         SINGLE,
         .nodes = {{.name = "a"}},
         .pods = {{.name = "p", .node = "a", .cpu = "100"}},
         .expected = "",
         .note = "a: Not all pods would schedule, default/p => "},
        {.rule = "DIS-251: five are named, by name, the others counted",
         SINGLE,
         .nodes = {{.name = "a"}},
         .pods = {{.name = "p1", .node = "a", .cpu = "100"},
                  {.name = "p2", .node = "a", .cpu = "100"},
                  {.name = "p3", .node = "a", .cpu = "100"},
                  {.name = "p4", .node = "a", .cpu = "100"},
                  {.name = "p5", .node = "a", .cpu = "100"},
                  {.name = "p6", .node = "a", .cpu = "100"},
                  {.name = "p7", .node = "a", .cpu = "100"}},
         .expected = "",
         .note = "a:  and 2 other(s)"},
        {.rule = "DIS-223, DIS-490: of a drifted node",
         .method = "drift",
         .nodes = {{.name = "a", .drifted = "2025-12-20T00:00:00Z"}},
         .pods = {{.name = "p", .node = "a", .cpu = "150"}},
         .expected = "",
         .note = "a: Not all pods would schedule, default/p => "},
        {.rule = "DIS-776: of exactly five none is counted",
         SINGLE,
         .nodes = {{.name = "a"}},
         .pods = {{.name = "p1", .node = "a", .cpu = "100"},
                  {.name = "p2", .node = "a", .cpu = "100"},
                  {.name = "p3", .node = "a", .cpu = "100"},
                  {.name = "p4", .node = "a", .cpu = "100"},
                  {.name = "p5", .node = "a", .cpu = "100"}},
         .expected = "",
         .note = "a: default/p5 => "},
    };
    CHECK_DISRUPT_CASES(cases);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(consolidation)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
