// Places that an early choice would have taken from a later pod (SCH-510, SCH-543), and domains that
// only a later pool has (SCH-512).
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/plan_fixture.h"
#include "engine/rule_cases.h"

#define HOST "kubernetes.io/hostname"
#define SPREAD(key, app)                                                                        \
    "topologySpreadConstraints: [{maxSkew: 1, topologyKey: " key                                \
    ", whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {app: " app "}}}], "

static void domains_of_any_pool_count_SCH_512(void **state)
{
    (void)state;
    static const struct rule_case cases[] = {
        {"SCH-512: the first pool is not for the pod, the second one has the zones",
         POOL_OF("first", "weight: 10, ", "team: one", "", "")
             POOL_OF("second", "", "team: two", "", "")
                 POD("a", "app: web", "nodeSelector: {team: two}, " SPREAD(LABEL_OF_ZONE, "web")
                         CPU("100m")),
         NULL, "a+ a.pool=second"},
    };
    CHECK_CASES(cases);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(domains_of_any_pool_count_SCH_512),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
