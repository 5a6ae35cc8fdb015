// Whole worlds under PACKING_POLICY=LowestPrice (SCH-500 to SCH-507, SCH-550 to SCH-553): prices,
// choices and rules are small enough to check by hand.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "base/text.h"
#include "engine/plan_fixture.h"
#include "engine/rule_cases.h"

#define LOWEST                 "PACKING_POLICY: LowestPrice"
#define GREEDY                 "PACKING_POLICY: Greedy"
#define NO_MARGIN              LOWEST ", FLEXIBILITY_MARGIN: '0'"
#define ON_DEMAND(zone, price) OFFER(zone, "on-demand", price, "")
#define SPOT(zone, price)      OFFER(zone, "spot", price, "")
// A machine with 4Gi for each cpu, on demand in zone a.
#define MACHINE(name, cpu, memory, price) \
    TYPE_OF(name, "", "cpu: '" cpu "', memory: " memory "Gi, pods: '110'", ON_DEMAND("a", price))
#define ONLY(types)    REQUIRE("node.kubernetes.io/instance-type", "In", types)
#define SIZED(amounts) "containers: [{name: c, image: i, resources: {requests: {" amounts "}}}]"

// --- price ---------------------------------------------------------------------------------------

// Greedy grows a node until only the giant fits, at twice the price for a cpu.
#define LITTLE_AND_GIANT \
    CATALOG_OF(MACHINE("little", "4", "16", "0.10") ", " MACHINE("giant", "64", "256", "3.20"))
#define TWENTY_CPU DEPLOYMENT("web", "40", "", CPU("500m"))

static void the_cheapest_machines_SCH_500(void **state)
{
    (void)state;
    static const struct rule_case cases[] = {
        {"SCH-500: many small pods get the cheapest machines", LITTLE_AND_GIANT POOL TWENTY_CPU,
         LOWEST, "#5 total=0.5", NULL, true},
        {"SCH-500, 216: Greedy takes one giant", LITTLE_AND_GIANT POOL TWENTY_CPU, GREEDY,
         "#1 total=3.2", NULL, true},
        {"SCH-500: a giant that is worth it is taken",
         CATALOG_OF(MACHINE("little", "4", "16", "0.10") ", " MACHINE("giant", "64", "256", "1.50"))
             POOL DEPLOYMENT("web", "64", "", CPU("1")),
         LOWEST, "#1 total=1.5", NULL, true},
        {"SCH-500: and what is left over gets what is cheapest for it",
         CATALOG_OF(MACHINE("little", "4", "16", "0.10") ", " MACHINE("giant", "64", "256", "1.50"))
             POOL DEPLOYMENT("web", "66", "", CPU("1")),
         LOWEST, "#2 total=1.6", NULL, true},
        {"SCH-500: pods that need cpu go where cpu is cheap, those that need memory elsewhere",
         CATALOG_OF(MACHINE("c", "8", "8", "0.30") ", " MACHINE(
             "r", "2", "32", "0.30") ", " MACHINE("both", "32", "128", "4.00"))
             POOL DEPLOYMENT("counts", "16", "", SIZED("cpu: '1', memory: 500Mi"))
                 DEPLOYMENT("keeps", "8", "", SIZED("cpu: 100m, memory: 8Gi")),
         LOWEST, "#4 total=1.2", NULL, true},
        {"SCH-500: nor more nodes than pods", LITTLE_AND_GIANT POOL POD("a", "", CPU("1")), LOWEST,
         "#1 a.types=little,giant", NULL, true},
        {"SCH-500: what fits nowhere has no place, and the rest is packed all the same",
         LITTLE_AND_GIANT POOL TWENTY_CPU POD("vast", "", CPU("100")), LOWEST, "vast! #5 total=0.5",
         "vast: no instance type", true},
    };
    CHECK_CASES(cases);
}

static void machines_for_what_they_carry_SCH_501(void **state)
{
    (void)state;
    static const char world[] = CATALOG_OF(MACHINE("s", "4", "16", "0.10") ", " MACHINE(
        "l", "8", "32", "0.30") ", " MACHINE("xl", "16", "64", "0.90"))
        POOL POD("big", "", CPU("8")) DEPLOYMENT("web", "8", "", CPU("1"));
    static const struct rule_case cases[] = {
        {"SCH-501: one large pod does not put the small ones on large machines", world, LOWEST,
         "#3 total=0.5 big.types=l,xl web-0.types=s,l,xl", NULL, true},
        {"SCH-501: with Greedy it does", world, GREEDY, "#1 total=0.9", NULL, true},
    };
    CHECK_CASES(cases);
}

static void existing_capacity_first_SCH_502(void **state)
{
    (void)state;
    static const struct rule_case cases[] = {
        {"SCH-502: what fits on a node costs nothing",
         LITTLE_AND_GIANT POOL NODE_OF("n1", "", "8") DEPLOYMENT("web", "8", "", CPU("1")), LOWEST,
         "#0 total=0 web-0@n1 web-7@n1", NULL, true},
        {"SCH-502: only the rest needs a node",
         LITTLE_AND_GIANT POOL NODE_OF("n1", "", "8") DEPLOYMENT("web", "12", "", CPU("1")), LOWEST,
         "#1 total=0.1", NULL, true},
        {"SCH-502: also what people would rather not use",
         LITTLE_AND_GIANT POOL NODE_OF("n1", "", "2") NODE_OF("n2", "", "2") POD("a", "", CPU("2"))
             POD("b", "", CPU("2")),
         LOWEST, "#0 a@n1 b@n2", NULL, true},
    };
    CHECK_CASES(cases);
}

// --- choice --------------------------------------------------------------------------------------

// `count` types of 4 cpu at 0.102, a lone type of 8 cpu at 0.2 and a giant.
static struct plan_fixture niche_plan(unsigned count, const char *capacity_type,
                                      const char *settings)
{
    struct text text = {0};
    text_add(&text, "{apiVersion: adze/v1, kind: InstanceTypeCatalog, metadata: {name: types}, "
                    "spec: {instanceTypes: [");
    for (unsigned i = 0; i < count + 2; i++) {
        unsigned cpu = i < count ? 4 : i == count ? 8 : 16;
        double price = i < count ? 0.102 : i == count ? 0.2 : 2;
        text_format(
            &text,
            "{name: t%02u, requirements: [], capacity: {cpu: '%u', memory: 64Gi, pods: "
            "'110'}, offerings: [{price: %.3f, available: true, requirements: [{key: " LABEL_OF_ZONE
            ", operator: In, values: [a]}, {key: "
            "karpenter.sh/capacity-type, operator: In, values: [%s]}]}]}, ",
            i, cpu, price, capacity_type);
    }
    text_add(&text, "]}}\n---\n" POOL);
    text_add(&text, DEPLOYMENT("web", "4", "", CPU("4")));
    struct plan_fixture fixture = plan_yaml_bare(text.data, settings);
    text_free(&text);
    return fixture;
}

static void check_niche(unsigned count, const char *capacity_type, const char *settings,
                        uint32_t claims, int64_t price)
{
    PLAN p = niche_plan(count, capacity_type, settings);
    assert_int_equal(p.plan->claims.count, claims);
    assert_int_equal(p.plan->price, price);
    list_for_each (claim, &p.plan->claims)
        assert_true(claims == 2 || claim->types.count == count + 2);
}

static void a_choice_is_worth_a_margin_SCH_503(void **state)
{
    (void)state;
    // 5 types on demand, 15 of spot: only the small machines have as many substitutes.
    check_niche(5, "on-demand", LOWEST, 4, 408000000);
    check_niche(15, "spot", LOWEST, 4, 408000000);
    // Margin 0 takes the cheapest.
    check_niche(5, "on-demand", NO_MARGIN, 2, 400000000);
    check_niche(15, "spot", NO_MARGIN, 2, 400000000);
    // 2 % is more than 1 %.
    check_niche(5, "on-demand", LOWEST ", FLEXIBILITY_MARGIN: '0.01'", 2, 400000000);
    // Without as many types, no premium is paid for them.
    check_niche(2, "on-demand", LOWEST, 2, 400000000);
    check_niche(10, "spot", LOWEST, 2, 400000000);
}

static void zones_and_capacity_types_stay_open_SCH_504(void **state)
{
    (void)state;
#define OFFERED_HERE_AND_THERE                                                       \
    CATALOG_OF(TYPE_OF("t", "", "cpu: '4', memory: 16Gi, pods: '110'",               \
                       ON_DEMAND("a", "0.10") ", " ON_DEMAND("b", "0.11") ", " SPOT( \
                           "c", "0.03")) ", " MACHINE("giant", "64", "256", "3.20"))
    static const struct rule_case cases[] = {
        {"SCH-504: the cheapest offering decides nothing but the price",
         OFFERED_HERE_AND_THERE POOL TWENTY_CPU, LOWEST, "#5 total=0.15 web-0.zone=- web-0.ct=-",
         NULL, true},
        {"SCH-504: nor does a pod's capacity type decide the zone",
         OFFERED_HERE_AND_THERE POOL DEPLOYMENT(
             "web", "40", "",
             "nodeSelector: {karpenter.sh/capacity-type: on-demand}, " CPU("500m")),
         LOWEST, "#5 total=0.5 web-0.zone=- web-0.ct=on-demand", NULL, true},
    };
    CHECK_CASES(cases);
}

static void prices_of_the_final_node_SCH_505(void **state)
{
    (void)state;
#define CHEAP_ELSEWHERE                                                                   \
    CATALOG_OF(TYPE_OF(                                                                   \
        "varied", "", "cpu: '4', memory: 16Gi, pods: '110'",                              \
        ON_DEMAND("a", "0.10") ", " ON_DEMAND(                                            \
            "b", "0.50")) ", " TYPE_OF("even", "", "cpu: '4', memory: 16Gi, pods: '110'", \
                                       ON_DEMAND("a", "0.30") ", " ON_DEMAND("b", "0.30")))
    static const struct rule_case cases[] = {
        {"SCH-505: the order is that of the zone that the pod asks for",
         CHEAP_ELSEWHERE POOL POD("a", "", "nodeSelector: {" LABEL_OF_ZONE ": b}, " CPU("1")),
         LOWEST, "a.types=even,varied a.price=0.3 total=0.3", NULL, true},
        {"SCH-505: and of the zone that a spread puts it in",
         CHEAP_ELSEWHERE POOL DEPLOYMENT(
             "web", "2", "",
             "topologySpreadConstraints: [{maxSkew: 1, topologyKey: " LABEL_OF_ZONE
             ", whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {app: web}}}], " CPU(
                 "1")),
         LOWEST, "#2 total=0.4 zones=a:1,b:1", NULL, true},
        {"SCH-505: ties by name",
         CATALOG_OF(MACHINE("z", "4", "16", "0.10") ", " MACHINE("a", "8", "32", "0.10"))
             POOL POD("a", "", CPU("1")),
         LOWEST, "a.types=a,z", NULL, true},
    };
    CHECK_CASES(cases);
}

#define TWO_MACHINES \
    CATALOG_OF(MACHINE("cheap", "4", "16", "0.10") ", " MACHINE("dear", "4", "16", "0.50"))

static void pools_of_one_weight_by_price_SCH_506_552(void **state)
{
    (void)state;
    static const struct rule_case cases[] = {
        {"SCH-506: of equal weights the cheaper pool",
         TWO_MACHINES POOL_OF("a", "", "", "", ONLY("cheap")) POOL_OF("z", "", "", "", ONLY("dear"))
             DEPLOYMENT("web", "8", "", CPU("1")),
         LOWEST, "#2 total=0.2 web-0.pool=a web-7.pool=a", NULL, true},
        {"SCH-506, 487: Greedy takes the later name",
         TWO_MACHINES POOL_OF("a", "", "", "", ONLY("cheap")) POOL_OF("z", "", "", "", ONLY("dear"))
             DEPLOYMENT("web", "8", "", CPU("1")),
         GREEDY, "#2 total=1 web-0.pool=z", NULL, true},
        {"SCH-506: of equal prices the later name",
         TWO_MACHINES POOL_OF("a", "", "", "", "") POOL_OF("z", "", "", "", "")
             DEPLOYMENT("web", "8", "", CPU("1")),
         LOWEST, "#2 total=0.2 web-0.pool=z web-7.pool=z", NULL, true},
        {"SCH-506, 552: of different weights the heavier, whatever it costs",
         TWO_MACHINES POOL_OF("a", "weight: 1, ", "", "", ONLY("cheap")) POOL_OF(
             "z", "weight: 10, ", "", "", ONLY("dear")) DEPLOYMENT("web", "8", "", CPU("1")),
         LOWEST, "#2 total=1 web-0.pool=z web-7.pool=z", NULL, true},
        {"SCH-552: what the heavier pool cannot carry goes to the lighter one",
         TWO_MACHINES POOL_OF("a", "weight: 1, ", "", "", ONLY("cheap"))
             POOL_OF("z", "weight: 10, ", "", "taints: [{key: own, effect: NoSchedule}], ",
                     ONLY("dear")) DEPLOYMENT("web", "8", "", CPU("1"))
                 DEPLOYMENT("own", "4", "", "tolerations: [{operator: Exists}], " CPU("2")),
         LOWEST, "#4 total=1.2 web-0.pool=a own-0.pool=z", NULL, true},
    };
    CHECK_CASES(cases);
}

static void nodes_cost_too_SCH_507(void **state)
{
    (void)state;
#define FOUR_OR_SIXTEEN                                                                            \
    CATALOG_OF(MACHINE("s", "4", "16", "0.10") ", " MACHINE("l", "16", "64", "0.44") ", " MACHINE( \
        "giant", "64", "256", "9"))
#define EQUAL_PRICES                                                                              \
    CATALOG_OF(MACHINE("xs", "2", "8", "0.05") ", " MACHINE("s", "4", "16", "0.10") ", " MACHINE( \
        "m", "16", "64", "0.40") ", " MACHINE("l", "32", "128",                                   \
                                              "0.80") ", " MACHINE("xl", "128", "512", "3.20"))
    static const struct rule_case cases[] = {
        {"SCH-507: prices alone count", FOUR_OR_SIXTEEN POOL DEPLOYMENT("web", "32", "", CPU("1")),
         LOWEST, "#8 total=0.8", NULL, true},
        {"SCH-507: a cost of nodes makes for fewer; the plan's price is that of the machines",
         FOUR_OR_SIXTEEN POOL DEPLOYMENT("web", "32", "", CPU("1")), LOWEST ", NODE_COST: '0.02'",
         "#2 total=0.88", NULL, true},
        {"SCH-507: a small one does not",
         FOUR_OR_SIXTEEN POOL DEPLOYMENT("web", "32", "", CPU("1")), LOWEST ", NODE_COST: '0.01'",
         "#8 total=0.8", NULL, true},
        {"SCH-507: equal prices go to fewer nodes",
         EQUAL_PRICES POOL DEPLOYMENT("web", "128", "", CPU("1")), LOWEST ", NODE_COST: '0.02'",
         "#4 total=3.2", NULL, true},
        {"SCH-507, 521: but not all to one node: what would be lost with it counts, too",
         EQUAL_PRICES POOL DEPLOYMENT("web", "32", "", CPU("1")), LOWEST ", NODE_COST: '0.01'",
         "#2 total=0.8", NULL, true},
        {"SCH-507, 521: unless there is little to lose",
         EQUAL_PRICES POOL DEPLOYMENT("web", "4", "", CPU("1")), LOWEST ", NODE_COST: '0.01'",
         "#1 total=0.1", NULL, true},
        {"SCH-507: what DaemonSets take is part of the comparison",
         FOUR_OR_SIXTEEN POOL DAEMON_SET("agent", CPU("1")) DEPLOYMENT("web", "30", "", CPU("1")),
         LOWEST, "#2 total=0.88 web-0.cpu=16000", NULL, true},
        {"SCH-507: of those that run there",
         FOUR_OR_SIXTEEN POOL DAEMON_SET(
             "agent", "nodeSelector: {node.kubernetes.io/instance-type: l}, " CPU("1"))
             DEPLOYMENT("web", "32", "", CPU("1")),
         LOWEST, "#8 total=0.8", NULL, true},
    };
    CHECK_CASES(cases);
}

// --- validity ------------------------------------------------------------------------------------

#define APART(name)                                                                   \
    "affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{" \
    "topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {app: " name "}}}]}}, "
#define TOGETHER(name)                                                            \
    "affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{" \
    "topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {group: " name "}}}]}}, "
#define SPREAD(key, skew, name)                                         \
    "topologySpreadConstraints: [{maxSkew: " skew ", topologyKey: " key \
    ", whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {app: " name "}}}], "
#define PORT(cpu)                                                                              \
    "containers: [{name: c, image: i, ports: [{containerPort: 80, hostPort: 80}], resources: " \
    "{requests: {cpu: '" cpu "'}}}]"
// Little machines in three zones; zone b is cheaper.
#define THREE_ZONES                                                                          \
    CATALOG_OF(TYPE_OF(                                                                      \
        "little", "", "cpu: '4', memory: 16Gi, pods: '110'",                                 \
        ON_DEMAND("a", "0.10") ", " ON_DEMAND("b", "0.09") ", " ON_DEMAND(                   \
            "c", "0.10")) ", " TYPE_OF("giant", "", "cpu: '64', memory: 256Gi, pods: '110'", \
                                       ON_DEMAND("a", "3.20") ", " ON_DEMAND(                \
                                           "b", "3.20") ", " ON_DEMAND("c", "3.20")))

static void rules_between_pods_hold_SCH_550(void **state)
{
    (void)state;
    static const struct rule_case cases[] = {
        {"SCH-550 step 4: spread over zones, each in the cheapest machines",
         THREE_ZONES POOL DEPLOYMENT("web", "24", "", SPREAD(LABEL_OF_ZONE, "1", "web") CPU("1")),
         LOWEST, "zones=a:8,b:8,c:8 #6 total=0.58", NULL, true},
        {"SCH-550 step 5: anti-affinity: one for each node, and others beside them",
         LITTLE_AND_GIANT POOL DEPLOYMENT("web", "4", "", APART("web") CPU("1"))
             DEPLOYMENT("free", "12", "", CPU("1")),
         LOWEST, "#4 total=0.4 web-0/web-1 web-1/web-2 web-2/web-3 web-0/web-3", NULL, true},
        {"SCH-550 step 5: spread over nodes",
         LITTLE_AND_GIANT POOL DEPLOYMENT("web", "6", "",
                                          SPREAD("kubernetes.io/hostname", "2", "web") CPU("1")),
         LOWEST, "#3 total=0.3", NULL, true},
        {"SCH-550 step 5: host ports",
         LITTLE_AND_GIANT POOL DEPLOYMENT("web", "3", "", PORT("1"))
             DEPLOYMENT("free", "9", "", CPU("1")),
         LOWEST, "#3 total=0.3 web-0/web-1 web-1/web-2 web-0/web-2", NULL, true},
        {"SCH-550 step 5: pods that belong on one node are one item",
         LITTLE_AND_GIANT POOL POD("a", "group: pair", TOGETHER("pair") CPU("2")) POD(
             "b", "group: pair", TOGETHER("pair") CPU("1")) DEPLOYMENT("free", "13", "", CPU("1")),
         LOWEST, "a=b #4 total=0.4", NULL, true},
        {"SCH-550 step 5: even if that takes a giant",
         LITTLE_AND_GIANT POOL POD("a", "group: pair", TOGETHER("pair") CPU("3"))
             POD("b", "group: pair", TOGETHER("pair") CPU("3")),
         LOWEST, "a=b #1 total=3.2", NULL, true},
    };
    CHECK_CASES(cases);
}

#define BLOCK_CLAIM(name)                                                                   \
    "{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: " name                  \
    ", namespace: default, annotations: {pv.kubernetes.io/bind-completed: 'yes'}}, spec: {" \
    "accessModes: [ReadWriteOnce], storageClassName: fast}}\n---\n"
#define FAST                                                                                    \
    "{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: fast}, provisioner: " \
    "ebs.csi.aws.com, volumeBindingMode: WaitForFirstConsumer}\n---\n"
#define WITH_DISK(name)                               \
    BLOCK_CLAIM("c-" name)                            \
    POD(name, "",                                     \
        "volumes: [{name: v, persistentVolumeClaim: " \
        "{claimName: c-" name "}}], " CPU("1"))
#define TWO_DISKS                                                                            \
    CATALOG_OF(TYPE_OF(                                                                      \
        "little", "",                                                                        \
        "cpu: '4', memory: 16Gi, pods: '110', "                                              \
        "attachable-volumes-csi-ebs.csi.aws.com: '2'",                                       \
        ON_DEMAND("a", "0.10")) ", " TYPE_OF("giant", "",                                    \
                                             "cpu: '64', memory: 256Gi, pods: '110', "       \
                                             "attachable-volumes-csi-ebs.csi.aws.com: '20'", \
                                             ON_DEMAND("a", "3.20")))
#define IN_ZONE_C_BY_DISK(name)                                                                \
    "{apiVersion: v1, kind: PersistentVolume, metadata: {name: pv}, spec: {capacity: {"        \
    "storage: 1Gi}, accessModes: [ReadWriteOnce], csi: {driver: x, volumeHandle: h}, "         \
    "nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [" REQUIRE(              \
        LABEL_OF_ZONE, "In",                                                                   \
        "c") "]}]}}}}\n---\n"                                                                  \
             "{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: pvc, namespace: " \
             "default, "                                                                       \
             "annotations: {pv.kubernetes.io/bind-completed: 'yes'}}, "                        \
             "spec: {accessModes: [ReadWriteOnce], storageClassName: fast, volumeName: "       \
             "pv}}\n---\n" POD(                                                                \
                 name, "",                                                                     \
                 "volumes: [{name: v, persistentVolumeClaim: {claimName: pvc}}], " CPU("1"))

static void volumes_hold_SCH_550(void **state)
{
    (void)state;
    static const struct rule_case cases[] = {
        {"SCH-550 step 5, 353: no more volumes than the machine takes",
         TWO_DISKS FAST POOL WITH_DISK("a") WITH_DISK("b") WITH_DISK("c") WITH_DISK("d")
             DEPLOYMENT("free", "4", "", CPU("1")),
         LOWEST, "#2 total=0.2", NULL, true},
        {"SCH-550 step 5, 353: pods that share a volume need one",
         TWO_DISKS FAST POOL BLOCK_CLAIM("shared") WITH_DISK("a") DEPLOYMENT(
             "free", "3", "",
             "volumes: [{name: v, persistentVolumeClaim: {claimName: shared}}], " CPU("1")),
         LOWEST, "#1 total=0.1", NULL, true},
        {"SCH-550: a volume's zone",
         THREE_ZONES FAST POOL IN_ZONE_C_BY_DISK("a") DEPLOYMENT("free", "7", "", CPU("1")), LOWEST,
         "#2 a.zone=c total=0.19", NULL, true},
    };
    CHECK_CASES(cases);
}

#define LIMITED(list) POOL_OF("pool", "limits: {" list "}, ", "", "", "")
#define TWO_KINDS     POOL_REQUIRING(REQUIRE_MIN("node.kubernetes.io/instance-type", "Exists", "", "2"))
#define RESERVED_ONCE                                                                            \
    CATALOG_OF(                                                                                  \
        TYPE_OF("little", "", "cpu: '4', memory: 16Gi, pods: '110'",                             \
                ON_DEMAND("a", "0.10") ", {price: 0.001, available: true, reservationCapacity: " \
                                       "1, "                                                     \
                                       "requirements: [{key: " LABEL_OF_ZONE                     \
                                       ", operator: In, values: [a]}, {key: "                    \
                                       "karpenter.sh/capacity-type, operator: In, values: "      \
                                       "[reserved]}, {key: "                                     \
                                       "example.com/reservation-id, operator: In, values: "      \
                                       "[r1]}]}") ", " MACHINE("giant", "64", "256", "3.20"))

static void limits_and_reservations_hold_SCH_550_552(void **state)
{
    (void)state;
    static const struct rule_case cases[] = {
        {"SCH-552, 519: never more cpu than the limit",
         LITTLE_AND_GIANT LIMITED("cpu: '12'") DEPLOYMENT("web", "16", "", CPU("1")), LOWEST,
         "#3 total=0.3", NULL, true},
        {"SCH-552, 519: nor nodes; the giant is what the limit leaves",
         LITTLE_AND_GIANT LIMITED("nodes: '1'") DEPLOYMENT("web", "16", "", CPU("1")), LOWEST,
         "#1 total=3.2", NULL, true},
        {"SCH-552: a limit that does not bind changes nothing",
         LITTLE_AND_GIANT LIMITED("cpu: '20', nodes: '5'") TWENTY_CPU, LOWEST, "#5 total=0.5", NULL,
         true},
        {"SCH-550, 245: enough types for minValues",
         CATALOG_OF(
             MACHINE("s1", "4", "16", "0.10") ", " MACHINE("s2", "4", "16", "0.11") ", " MACHINE(
                 "m", "8", "32", "0.15") ", " MACHINE("giant", "64", "256", "3.20"))
             TWO_KINDS DEPLOYMENT("web", "8", "", CPU("1")),
         LOWEST, "#1 web-0.types=m,giant total=0.15", NULL, true},
        {"SCH-550, 245: a machine that nothing else can stand in for is no choice",
         CATALOG_OF(MACHINE("s1", "4", "16", "0.10") ", " MACHINE(
             "s2", "4", "16", "0.11") ", " MACHINE("m", "8", "32", "0.15"))
             TWO_KINDS DEPLOYMENT("web", "8", "", CPU("1")),
         LOWEST, "#2 web-0.types=s1,s2,m total=0.2", NULL, true},
        {"SCH-552, 522: one instance of a reservation is one node",
         RESERVED_ONCE POOL DEPLOYMENT("web", "12", "", CPU("1")), LOWEST, "#3 total=0.201", NULL,
         true},
    };
    CHECK_CASES(cases);
}

// --- costs that show only when everything is placed ----------------------------------------------

#define MACHINE_IN(name, cpu, arch, offers)                  \
    TYPE_OF(name, REQUIRE("kubernetes.io/arch", "In", arch), \
            "cpu: '" cpu "', memory: 64Gi, pods: '110'", offers)
#define DEAR_ZONE                                            \
    CATALOG_OF(MACHINE_IN(                                   \
        "s", "4", "amd64",                                   \
        ON_DEMAND("a", "2.5") ", " ON_DEMAND(                \
            "c", "0.1")) ", " MACHINE_IN("l", "16", "amd64", \
                                         ON_DEMAND("a", "10") ", " ON_DEMAND("c", "0.4")))
#define A_ON_AMD64_OR_C                                                    \
    REQUIRED_TERMS(TERM_OF(REQUIRE(LABEL_OF_ZONE, "In", "a") ", " REQUIRE( \
        "kubernetes.io/arch", "In", "amd64")) ", " TERM_OF(REQUIRE(LABEL_OF_ZONE, "In", "c")))
#define SPREAD_OF(key, labels)                                   \
    "topologySpreadConstraints: [{maxSkew: 1, topologyKey: " key \
    ", whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {" labels "}}}], "
#define COUNTED(name, spec) POD(name, "all: x", spec CPU("1500m"))
// Two cpu everywhere; arm64 at its own price.
#define EVERYWHERE(price) \
    ON_DEMAND("a", price) ", " ON_DEMAND("b", price) ", " ON_DEMAND("c", price)
#define ARM_FOR(price)                                                           \
    CATALOG_OF(MACHINE_IN("m", "2", "amd64", EVERYWHERE("0.1")) ", " MACHINE_IN( \
        "arm", "2", "arm64", EVERYWHERE(price)))
#define A_OR_ARM                                                            \
    REQUIRED_TERMS(TERM_OF(REQUIRE(LABEL_OF_ZONE, "In", "a")) ", " TERM_OF( \
        REQUIRE("kubernetes.io/arch", "In", "arm64")))
#define ANY_SYSTEM(name, cpu, price)                                  \
    TYPE_OF(name, REQUIRE("kubernetes.io/os", "In", "darwin, linux"), \
            "cpu: '" cpu "', memory: 64Gi, pods: '110'", ON_DEMAND("a", price))
#define LARGE_ARM                                                                    \
    CATALOG_OF(MACHINE_IN("m", "2", "amd64", ON_DEMAND("a", "0.1")) ", " MACHINE_IN( \
        "arm", "16", "arm64", ON_DEMAND("a", "5")))
#define ON_ARM "nodeSelector: {kubernetes.io/arch: arm64}, "
#define FOLLOWING(labels)                                                       \
    "affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: " \
    "[{topologyKey: " LABEL_OF_ZONE ", labelSelector: {matchLabels: {" labels "}}}]}}, "
#define ON_LINUX     "nodeSelector: {kubernetes.io/os: linux}, "
#define LARGER_OWNER POD("own", "all: x", SPREAD_OF(LABEL_OF_ZONE, "all: x") CPU("1900m"))
#define FIVE_COUNTED \
    COUNTED("a", "") COUNTED("b", "") COUNTED("c", "") COUNTED("d", "") COUNTED("e", "")

static void whole_plans_are_compared_SCH_306_508_516(void **state)
{
    (void)state;
    static const struct rule_case cases[] = {
        {"SCH-508: pods do not join a node that must grow for them where another term is cheap",
         DEAR_ZONE POOL POD("own", "", "nodeSelector: {" LABEL_OF_ZONE ": a}, " CPU("3500m"))
             DEPLOYMENT("web", "4", "", A_ON_AMD64_OR_C CPU("3")),
         LOWEST, "own.zone=a web-0.zone=c total=2.9", NULL, true},
        {"SCH-508: nor where there are many",
         DEAR_ZONE POOL POD("own", "", "nodeSelector: {" LABEL_OF_ZONE ": a}, " CPU("3500m"))
             DEPLOYMENT("web", "200", "", A_ON_AMD64_OR_C CPU("3")),
         LOWEST, "own.zone=a web-0.zone=c total=18.5", NULL, true},
        {"SCH-516: whom a spread counts need not be what its owners must be",
         CATALOG_OF(MACHINE_IN(
             "m", "2", "amd64",
             ON_DEMAND("a", "0.5") ", " ON_DEMAND(
                 "b", "0.5")) ", " MACHINE_IN("arm", "2", "arm64",
                                              ON_DEMAND("a", "0.1") ", " ON_DEMAND("b", "0.1")))
             POOL COUNTED("own", "nodeSelector: {kubernetes.io/arch: amd64}, " SPREAD_OF(
                                     LABEL_OF_ZONE, "all: x")) FIVE_COUNTED,
         LOWEST, "own.types=m a.types=arm e.types=arm total=1", NULL, true},
        {"SCH-516: nor go where it is dear so that a spread of others holds whatever comes first",
         CATALOG_OF(MACHINE_IN("m", "2", "amd64", ON_DEMAND("a", "0.1") ", " ON_DEMAND("b", "3")))
             POOL LARGER_OWNER FIVE_COUNTED,
         LOWEST, "zones=a:6 total=0.6", NULL, true},
        {"SCH-516: the bound for the zones that were chosen is none for others",
         CATALOG_OF(MACHINE_IN("m", "2", "amd64", ON_DEMAND("a", "0.1") ", " ON_DEMAND("b", "3")))
             POOL POD("own", "all: x", SPREAD_OF(LABEL_OF_ZONE, "all: x") CPU("2")) POD(
                 "a", "all: x", CPU("2")) POD("b", "all: x", CPU("2")) POD("c", "all: x", CPU("2")),
         LOWEST, "zones=a:4 total=0.4", NULL, true},
        {"SCH-508, 512: a spread does not reach into zones that only a far dearer term opens",
         ARM_FOR("5") POOL DEPLOYMENT("web", "4", "all: x, ",
                                      A_OR_ARM SPREAD_OF(LABEL_OF_ZONE, "all: x") CPU("500m")),
         LOWEST, "zones=a:4 total=0.1", NULL, true},
        {"SCH-508, 512: it does where the term costs the same, whatever the nodes cost",
         ARM_FOR("0.1") POOL DEPLOYMENT("web", "4", "all: x, ",
                                        A_OR_ARM SPREAD_OF(LABEL_OF_ZONE, "all: x") CPU("500m")),
         LOWEST, "zones=a:2,b:1,c:1 total=0.3", NULL, true},
        {"SCH-544: a label that must be decided gets the value that others ask for",
         CATALOG_OF(ANY_SYSTEM("m", "2", "0.1") ", " ANY_SYSTEM("l", "8", "1")) POOL POD(
             "large", "all: x", "nodeSelector: {node.kubernetes.io/instance-type: l}, " CPU("4"))
             POD("own", "all: x", ON_LINUX SPREAD_OF("kubernetes.io/hostname", "all: x") CPU("1"))
                 POD("u", "", ON_LINUX CPU("2")) POD("v", "", ON_LINUX CPU("2")),
         LOWEST, "large=u large=v own/large #2 total=1.1", NULL, true},
        {"SCH-516: owners of a spread first, those that it counts after them, if that saves a node",
         CATALOG_OF(MACHINE_IN("m", "2", "amd64", ON_DEMAND("a", "0.1") ", " ON_DEMAND("b", "0.1")))
             POOL POD("own", "all: x", SPREAD_OF(LABEL_OF_ZONE, "all: x") CPU("500m"))
                 COUNTED("free", ""),
         LOWEST, "own=free #1 total=0.1", NULL, true},
        {"SCH-513, 516: the same over hostnames, however many share the existing node",
         CATALOG_OF(MACHINE_IN("m", "4", "amd64", ON_DEMAND("a", "0.1")))
             POOL NODE_OF("full", "", "1") BOUND_POD("there", "full", "all: x", CPU("1"))
                 POD("own", "all: x", SPREAD_OF("kubernetes.io/hostname", "all: x") CPU("500m"))
                     COUNTED("a", "") COUNTED("b", ""),
         LOWEST, "own=a own=b #1 total=0.1", NULL, true},
        {"SCH-516: the same where that saves all new nodes, which are as cheap as new ones can be",
         CATALOG_OF(MACHINE_IN("m", "2", "amd64", ON_DEMAND("a", "0.1") ", " ON_DEMAND("b", "0.1")))
             POOL NODE_OF("spare", LABEL_OF_ZONE ": a", "2")
                 POD("own", "all: x", SPREAD_OF(LABEL_OF_ZONE, "all: x") CPU("500m"))
                     COUNTED("free", ""),
         LOWEST, "own@spare free@spare #0", NULL, true},
        {"SCH-510, 516: nor are those lifted that others look for, if that takes a further node",
         CATALOG_OF(MACHINE_IN("m", "2", "amd64", ON_DEMAND("a", "0.1") ", " ON_DEMAND("b", "0.1")))
             POOL POD("follower", "", FOLLOWING("is: wanted") CPU("700m"))
                 POD("spread", "all: x", SPREAD_OF(LABEL_OF_ZONE, "all: x") CPU("600m"))
                     POD("wanted", "all: x, is: wanted",
                         "nodeSelector: {" LABEL_OF_ZONE ": a}, " SPREAD_OF(LABEL_OF_ZONE, "all: x")
                             CPU("400m")),
         LOWEST, "spread=wanted follower=wanted #1 total=0.1", NULL, true},
        {"SCH-516: pods that need a dear machine first, others fill it up",
         LARGE_ARM POOL POD("dear", "all: x", ON_ARM SPREAD_OF(LABEL_OF_ZONE, "all: x") CPU("500m"))
             POD("a", "all: x", CPU("1")) POD("b", "all: x", CPU("1")),
         LOWEST, "dear=a dear=b #1 total=5", NULL, true},
        {"SCH-516: or fill it up before them, where only that order keeps every spread",
         LARGE_ARM POOL NODE_OF("full", LABEL_OF_ZONE ": b", "1")
             BOUND_POD("there", "full", "all: x", CPU("1"))
                 POD("dear", "all: x", ON_ARM SPREAD_OF(LABEL_OF_ZONE, "all: x") CPU("500m"))
                     POD("a", "all: x", SPREAD_OF(LABEL_OF_ZONE, "all: x") CPU("1"))
                         POD("b", "all: x", SPREAD_OF(LABEL_OF_ZONE, "all: x") CPU("1")),
         LOWEST, "dear=a dear=b #1 total=5", NULL, true},
    };
    CHECK_CASES(cases);
}

static void all_types_that_carry_the_pods_SCH_551(void **state)
{
    (void)state;
    static const struct rule_case cases[] = {
        {"SCH-551: every type that carries the final pods, cheapest first",
         CATALOG_OF(MACHINE("narrow", "4", "4", "0.12") ", " MACHINE(
             "little", "4", "16",
             "0.10") ", " MACHINE("tiny", "2", "8",
                                  "0.09") ", " MACHINE("m", "8", "32",
                                                       "0.25") ", " MACHINE("giant", "64", "256",
                                                                            "3.20"))
             POOL DEPLOYMENT("web", "8", "", SIZED("cpu: '1', memory: 2Gi")),
         LOWEST, "#2 web-0.types=little,m,giant web-0.price=0.1 total=0.2", NULL, true},
    };
    CHECK_CASES(cases);
}

static void the_price_decides_between_capacity_types_SCH_553(void **state)
{
    (void)state;
#define SPOT_AT(price)                                                                           \
    CATALOG_OF(TYPE_OF("t", "", "cpu: '4', memory: 16Gi, pods: '110'",                           \
                       ON_DEMAND("a", "0.10") ", " SPOT("a", price)) ", " MACHINE("giant", "64", \
                                                                                  "256", "3.20"))
    static const struct rule_case cases[] = {
        {"SCH-553: spot if it is cheaper", SPOT_AT("0.03") POOL TWENTY_CPU, LOWEST,
         "#5 total=0.15 web-0.price=0.03", NULL, true},
        {"SCH-553: on demand if it is cheaper", SPOT_AT("0.12") POOL TWENTY_CPU, LOWEST,
         "#5 total=0.5 web-0.price=0.1", NULL, true},
        {"SCH-553: a pool of spot takes the dearer spot",
         SPOT_AT("0.12") POOL_REQUIRING(REQUIRE("karpenter.sh/capacity-type", "In", "spot"))
             TWENTY_CPU,
         LOWEST, "#5 total=0.6 web-0.ct=spot", NULL, true},
    };
    CHECK_CASES(cases);
}

// --- whole plans of random worlds ----------------------------------------------------------------

#define DOCUMENTS_MAX 40
struct world {
    char *documents[DOCUMENTS_MAX];
    uint32_t count;
};

static void add_document(struct world *world, struct text *text)
{
    assert_true(world->count < DOCUMENTS_MAX);
    world->documents[world->count++] = text_take(text);
}

static void draw_catalog(struct random *random, struct world *world)
{
    struct text text = {0};
    text_add(&text, "{apiVersion: adze/v1, kind: InstanceTypeCatalog, metadata: {name: types}, "
                    "spec: {instanceTypes: [");
    for (unsigned i = 0; i < 12; i++) {
        unsigned cpu = 2u << random_below(random, 5), gi = cpu << random_below(random, 4);
        text_format(&text,
                    "{name: t%u, requirements: [], capacity: {cpu: '%u', memory: %uGi, pods: "
                    "'%u'}, offerings: [",
                    i, cpu, gi, 8 + 6 * cpu);
        for (unsigned z = 0; z < 3; z++)
            text_format(&text, OFFER("%c", "%s", "%.4f", "") ", ",
                        (0.03 * cpu + 0.004 * gi) * (0.8 + 0.4 * random_unit(random)), 'a' + z,
                        z == i % 3 ? "spot" : "on-demand");
        text_add(&text, "]}, ");
    }
    text_add(&text, "]}}\n---\n");
    add_document(world, &text);
}

// `rules`: some of the pods have rules; else none has.
static void draw_world(struct random *random, bool rules, struct world *world)
{
    struct text text = {0};
    draw_catalog(random, world);
    text_add(&text, POOL_OF("pool", "", "", "", ""));
    add_document(world, &text);
    text_add(&text, POOL_OF("other", "", "", "", ONLY("t1, t3, t5, t7")));
    add_document(world, &text);
    for (unsigned i = 0; i < 8; i++) {
        static const char *const constraints[] = {
            "",
            "",
            "",
            "topologyKey: " LABEL_OF_ZONE ", maxSkew: 1",
            "topologyKey: kubernetes.io/hostname, maxSkew: 2",
        };
        const char *rule = constraints[rules ? random_below(random, 5) : 0];
        text_format(&text,
                    "{apiVersion: apps/v1, kind: Deployment, metadata: {name: w%u}, spec: "
                    "{replicas: %u, selector: {matchLabels: {app: w%u}}, template: {metadata: "
                    "{labels: {app: w%u}}, spec: {",
                    i, 1 + (unsigned)random_below(random, 15), i, i);
        if (rule[0] != '\0')
            text_format(&text,
                        "topologySpreadConstraints: [{%s, whenUnsatisfiable: DoNotSchedule, "
                        "labelSelector: {matchLabels: {app: w%u}}}], ",
                        rule, i);
        text_format(&text, SIZED("cpu: %um, memory: %uMi") "}}}}\n---\n",
                    100 * (1 + (unsigned)random_below(random, 18)),
                    128 * (1 + (unsigned)random_below(random, 40)));
        add_document(world, &text);
    }
}

static void free_world(struct world *world)
{
    for (uint32_t i = 0; i < world->count; i++)
        free(world->documents[i]);
}

static struct plan_fixture plan_of(const struct world *world, const char *settings)
{
    struct text text = {0};
    for (uint32_t i = 0; i < world->count; i++)
        text_add(&text, world->documents[i]);
    struct plan_fixture fixture = plan_yaml_bare(text.data, settings);
    text_free(&text);
    return fixture;
}

static void shuffle(struct random *random, struct world *world)
{
    for (uint32_t i = world->count; i > 1; i--) {
        uint32_t other = (uint32_t)random_below(random, i);
        char *kept = world->documents[i - 1];
        world->documents[i - 1] = world->documents[other];
        world->documents[other] = kept;
    }
}

#define WORLDS 12

static void never_dearer_than_greedy_SCH_500_550(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= WORLDS; seed++) {
        struct random random;
        struct world world = {0};
        random_seed(&random, seed);
        draw_world(&random, seed % 2 == 0, &world);
        PLAN lowest = plan_of(&world, LOWEST);
        PLAN greedy = plan_of(&world, GREEDY);
        assert_int_equal(lowest.plan->pods_placed, greedy.plan->pods_placed);
        assert_true(lowest.plan->price <= greedy.plan->price);
        free_world(&world);
    }
}

// SCH-550 step 10.
static void the_lower_bound_is_one_SCH_550(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= WORLDS; seed++) {
        struct random random;
        struct world world = {0};
        random_seed(&random, 1000 + seed);
        draw_world(&random, seed % 2 == 0, &world);
        PLAN p = plan_of(&world, LOWEST);
        PLAN greedy = plan_of(&world, GREEDY);
        assert_true(p.plan->lower_bound > 0);
        assert_true(p.plan->lower_bound <= p.plan->price);
        assert_true(p.plan->lower_bound > p.plan->price / 4); // it is not trivial
        assert_int_equal(greedy.plan->lower_bound, 0);
        free_world(&world);
    }
    // Where the cheapest machines are full, the bound is the price, but for a millionth.
    PLAN exact = plan_yaml_bare(LITTLE_AND_GIANT POOL TWENTY_CPU, LOWEST);
    assert_true(exact.plan->lower_bound <= 500000000 && exact.plan->lower_bound >= 499999000);
    // With alternative terms the minimum is unknown: the second term is cheaper.
    PLAN terms = plan_yaml_bare(
        CATALOG_OF(MACHINE("little", "4", "16", "0.10") ", " TYPE_OF(
            "odd", "", "cpu: '4', memory: 16Gi, pods: '110'", ON_DEMAND("b", "0.50")))
            POOL POD("a", "",
                     REQUIRED_TERMS(TERM_OF(ONLY("odd")) ", " TERM_OF(
                         REQUIRE(LABEL_OF_ZONE, "In", "a"))) CPU("1")),
        LOWEST);
    assert_int_equal(terms.plan->price, 100000000);
    assert_true(terms.plan->lower_bound <= terms.plan->price);
    // Nothing to pack: no bound.
    PLAN nothing = plan_yaml_bare(LITTLE_AND_GIANT POOL, LOWEST);
    assert_int_equal(nothing.plan->lower_bound, 0);
}

static void the_order_of_the_input_decides_nothing_SCH_500_540(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 6; seed++) {
        struct random random;
        struct world world = {0};
        random_seed(&random, 2000 + seed);
        draw_world(&random, true, &world);
        PLAN first = plan_of(&world, LOWEST);
        char *expected = plan_json(first.plan);
        for (int i = 0; i < 3; i++) {
            shuffle(&random, &world);
            PLAN again = plan_of(&world, LOWEST);
            char *actual = plan_json(again.plan);
            assert_string_equal(actual, expected);
            free(actual);
        }
        free(expected);
        free_world(&world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_cheapest_machines_SCH_500),
        cmocka_unit_test(machines_for_what_they_carry_SCH_501),
        cmocka_unit_test(existing_capacity_first_SCH_502),
        cmocka_unit_test(a_choice_is_worth_a_margin_SCH_503),
        cmocka_unit_test(zones_and_capacity_types_stay_open_SCH_504),
        cmocka_unit_test(prices_of_the_final_node_SCH_505),
        cmocka_unit_test(pools_of_one_weight_by_price_SCH_506_552),
        cmocka_unit_test(nodes_cost_too_SCH_507),
        cmocka_unit_test(rules_between_pods_hold_SCH_550),
        cmocka_unit_test(volumes_hold_SCH_550),
        cmocka_unit_test(limits_and_reservations_hold_SCH_550_552),
        cmocka_unit_test(whole_plans_are_compared_SCH_306_508_516),
        cmocka_unit_test(all_types_that_carry_the_pods_SCH_551),
        cmocka_unit_test(the_price_decides_between_capacity_types_SCH_553),
        cmocka_unit_test(never_dearer_than_greedy_SCH_500_550),
        cmocka_unit_test(the_lower_bound_is_one_SCH_550),
        cmocka_unit_test(the_order_of_the_input_decides_nothing_SCH_500_540),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
