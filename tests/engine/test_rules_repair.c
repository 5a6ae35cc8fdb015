// Places that an early choice would have taken from a later pod (SCH-510, SCH-543), and domains of
// a later pool alone (SCH-512).
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/plan_fixture.h"
#include "engine/rule_cases.h"

#define HOST "kubernetes.io/hostname"
#define SPREAD(key, app)                                         \
    "topologySpreadConstraints: [{maxSkew: 1, topologyKey: " key \
    ", whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {app: " app "}}}], "

static void domains_of_any_pool_count_SCH_512(void **state)
{
    (void)state;
    static const struct rule_case cases[] = {
        {"SCH-512: the first pool is not for the pod, the second one has the zones",
         POOL_OF("first", "weight: 10, ", "team: one", "", "")
             POOL_OF("second", "", "team: two", "", "")
                 POD("a", "app: web",
                     "nodeSelector: {team: two}, " SPREAD(LABEL_OF_ZONE, "web") CPU("100m")),
         NULL, "a+ a.pool=second"},
    };
    CHECK_CASES(cases);
}

#define NEAR(key, app)                                                                             \
    "affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: " key \
    ", labelSelector: {matchLabels: {app: " app "}}}]}}, "
#define AWAY(key, app)                                                              \
    "affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: " \
    "[{topologyKey: " key ", labelSelector: {matchLabels: {app: " app "}}}]}}, "

static void an_early_choice_is_revised_SCH_510_543(void **state)
{
    (void)state;
    static const struct rule_case cases[] = {
        {"SCH-510: the only node that will do is left to the pod that has no other",
         NODE_OF("n1", "disk: fast", "4") NODE_OF("n2", "", "4")
             POOL_REQUIRING(REQUIRE("kubernetes.io/arch", "In", "arm64"))
                 POD("a", "", "nodeSelector: {kubernetes.io/os: linux}, " CPU("15"))
                     POD("b", "", CPU("3")) POD("c", "", "nodeSelector: {disk: fast}, " CPU("2")),
         NULL, "a! b@n2 c@n1"},
        {"SCH-510: pods of one node go to a new one where an existing one holds only the first",
         NODE_OF("n1", "", "4") POOL POD("a", "app: web", NEAR(HOST, "web") CPU("3"))
             POD("b", "app: web", NEAR(HOST, "web") CPU("3")),
         NULL, "a+ b+ a=b"},
        {"SCH-510: pods of one zone leave the zone in which no machine can be had",
         NODE_OF("n1", LABEL_OF_ZONE ": d", "4")
             POOL POD("a", "app: web", NEAR(LABEL_OF_ZONE, "web") CPU("3"))
                 POD("b", "app: web", NEAR(LABEL_OF_ZONE, "web") CPU("3")),
         NULL, "a+ b+"},
        {"SCH-510: the first of its kind may be where it is alone, and others come later",
         POOL_REQUIRING(REQUIRE("node.kubernetes.io/instance-type", "In", "small"))
             POD("a", "app: web", CPU("1800m")) POD("b", "app: web", NEAR(HOST, "web") CPU("1")),
         NULL, "a+ b+ a/b"},
        {"SCH-510: the domain that fewest machines can have is left to the other pod",
         CATALOG_OF(
             TYPE_OF("t", "", "cpu: '4', memory: 8Gi, pods: '20'",
                     OFFER("a", "spot", "0.02", "") ", " OFFER("b", "spot", "0.024", "") ", " OFFER(
                         "c", "on-demand", "0.04", "") ", " OFFER("c", "spot", "0.016", "")))
             POOL POD("a", "app: web",
                      SPREAD(LABEL_OF_ZONE, "web") AWAY("karpenter.sh/capacity-type", "web")
                          CPU("1")) POD("b", "app: web",
                                        SPREAD(LABEL_OF_ZONE, "web")
                                            AWAY("karpenter.sh/capacity-type", "web") CPU("1")),
         NULL, "a+ b+ a/b", .bare = true},
        {"SCH-510, 519: smaller machines where the limit has no room for as many of the cheapest",
         CATALOG_OF(TYPE_OF(
             "cheap", "", "cpu: '4', memory: 8Gi, pods: '20'",
             OFFER("a", "spot", "0.02", "")) ", " TYPE_OF("little", "",
                                                          "cpu: '2', memory: 8Gi, pods: '20'",
                                                          OFFER("a", "on-demand", "0.08", "")))
             POOL_OF("pool", "limits: {cpu: 6}, ", "", "", "")
                 POD("a", "app: web", AWAY(HOST, "web") CPU("1"))
                     POD("b", "app: web", AWAY(HOST, "web") CPU("1"))
                         POD("c", "app: web", AWAY(HOST, "web") CPU("1")),
         NULL, "a+ b+ c+ #3", .bare = true},
        {"SCH-510: off under COMPATIBILITY=upstream",
         NODE_OF("n1", "", "4") POOL POD("a", "app: web", NEAR(HOST, "web") CPU("3"))
             POD("b", "app: web", NEAR(HOST, "web") CPU("3")),
         "COMPATIBILITY: upstream", "a@n1 b!"},
        {"SCH-510: what nothing can take does not move the others",
         NODE_OF("n1", "", "4") POOL POD("a", "", CPU("3"))
             POD("b", "", "nodeSelector: {disk: fast}, " CPU("2")) POD("c", "", CPU("1")),
         NULL, "a@n1 b! c@n1"},
    };
    CHECK_CASES(cases);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(domains_of_any_pool_count_SCH_512),
        cmocka_unit_test(an_early_choice_is_revised_SCH_510_543),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
