#include "simulation/loads.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/quantity.h"
#include "base/random.h"
#include "base/text.h"
#include "simulation/cluster_view.h"
#include "simulation/lineage.h"

#define SHAPES_MAX 40
#define STEP_S     0.5

struct shape {
    char name[32];
    uint32_t pods, fewer;
    uint32_t cpu_m, memory_mi;
    bool zonal, spread, apart;
};

struct load {
    struct shape shapes[SHAPES_MAX];
    uint32_t count;
    uint32_t wanted; // pods of all Deployments, at present
    struct lineage *lineage;
};

static const char pool[] =
    "apiVersion: karpenter.kwok.sh/v1alpha1\n"
    "kind: KWOKNodeClass\n"
    "metadata: {name: default}\n"
    "---\n"
    "apiVersion: karpenter.sh/v1\n"
    "kind: NodePool\n"
    "metadata: {name: default}\n"
    "spec:\n"
    "  template:\n"
    "    metadata: {labels: {generation: first}}\n"
    "    spec:\n"
    "      nodeClassRef: {group: karpenter.kwok.sh, kind: KWOKNodeClass, name: default}\n"
    "      expireAfter: Never\n"
    "      requirements:\n"
    "      - {key: kubernetes.io/os, operator: In, values: [linux]}\n"
    "      - {key: karpenter.sh/capacity-type, operator: In, values: [on-demand]}\n"
    "      - {key: karpenter.kwok.sh/instance-size, operator: Lt, values: ['32']}\n"
    "  disruption:\n"
    "    consolidationPolicy: WhenEmptyOrUnderutilized\n"
    "    consolidateAfter: 30s\n"
    "    budgets: [{nodes: '100%'}]\n";

// --- pods ----------------------------------------------------------------------------------------
static void add(struct load *load, uint32_t pods, uint32_t fewer, uint32_t cpu_m,
                uint32_t memory_mi)
{
    struct shape *shape = &load->shapes[load->count++];
    *shape = (struct shape){.pods = pods, .fewer = fewer, .cpu_m = cpu_m, .memory_mi = memory_mi};
    snprintf(shape->name, sizeof shape->name, "app-%02u", load->count);
}

static void make_thirty(struct load *load)
{
    static const uint32_t cpu[] = {240,  450, 650,  900,  1400, 1900, 2400, 2800, 3300, 3700,
                                   2300, 900, 1300, 2800, 1800, 1850, 3300, 3800, 225,  450,
                                   700,  900, 1300, 1800, 2400, 2800, 3400, 3800, 3300, 2800};
    static const uint32_t memory[] = {300,   400,   700,   1024,  2048,  4096,  8192,  4096,
                                      16384, 10240, 65536, 30720, 32768, 32768, 30720, 20480,
                                      30720, 300,   500,   750,   1024,  2048,  4096,  8192,
                                      16384, 32768, 28672, 65536, 13312, 24576};
    for (uint32_t i = 0; i < ARRAY_LENGTH(cpu); i++) {
        add(load, i < 20 ? 35 : 30, i < 20 ? 25 : 20, cpu[i], memory[i]);
        load->shapes[i].zonal = true;
        load->shapes[i].apart = i < 3;
        load->shapes[i].spread = i >= 3 && i < 6;
    }
}

static void draw(struct load *load, uint64_t seed)
{
    static const uint32_t cpu[] = {100, 250, 500, 750, 900, 1000, 1500, 2000, 2500, 3500, 4000};
    struct random random;
    random_seed(&random, seed);
    uint32_t count = 20 + (uint32_t)random_below(&random, 21);
    uint32_t pods = 300 + (uint32_t)random_below(&random, 1201);
    uint32_t share = 33 + (uint32_t)random_below(&random, 34);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t own = 1 + (uint32_t)random_below(&random, 2 * pods / count);
        uint32_t fewer = (uint32_t)(own * share * (70 + random_below(&random, 61)) / 10000);
        uint32_t cpu_m = cpu[random_below(&random, ARRAY_LENGTH(cpu))];
        uint32_t memory_mi = 64 + cpu_m * (1U << random_below(&random, 5)) / 2 *
                                      (uint32_t)(80 + random_below(&random, 41)) / 100;
        add(load, own, fewer < 1 ? 1 : fewer > own ? own : fewer, cpu_m, memory_mi);
        struct shape *shape = &load->shapes[i];
        uint64_t kind = random_below(&random, 100);
        shape->zonal = kind < 40;
        shape->spread = kind >= 40 && kind < 50;
        shape->apart = kind >= 50 && kind < 55 && own <= 40;
    }
}

struct load *load_create(const char *name)
{
    struct load *load = memory_allocate(sizeof *load);
    load->lineage = lineage_create();
    if (strcmp(name, "two") == 0) {
        add(load, 500, 350, 900, 3100);
        add(load, 500, 350, 3500, 28 * 1024);
    } else if (strcmp(name, "thirty") == 0) {
        make_thirty(load);
    } else {
        draw(load, strtoull(name, NULL, 10));
    }
    return load;
}

void load_destroy(struct load *load)
{
    lineage_destroy(load->lineage);
    free(load);
}

// --- manifests -----------------------------------------------------------------------------------
static void describe_spread(struct text *out, const struct shape *shape, const char *key)
{
    text_format(out,
                "      - {maxSkew: 1, topologyKey: %s, whenUnsatisfiable: DoNotSchedule,\n"
                "         labelSelector: {matchLabels: {app: %s}}}\n",
                key, shape->name);
}

static void describe(struct text *out, const struct shape *shape)
{
    text_format(out,
                "---\napiVersion: apps/v1\nkind: Deployment\n"
                "metadata: {name: %s, namespace: default}\n"
                "spec:\n"
                "  replicas: %u\n"
                "  selector: {matchLabels: {app: %s}}\n"
                "  template:\n"
                "    metadata: {labels: {app: %s}}\n"
                "    spec:\n"
                "      containers: [{name: main, image: pause, resources: {requests: "
                "{cpu: %um, memory: %uMi}}}]\n",
                shape->name, shape->pods, shape->name, shape->name, shape->cpu_m, shape->memory_mi);
    if (shape->zonal || shape->spread)
        text_add(out, "      topologySpreadConstraints:\n");
    if (shape->zonal)
        describe_spread(out, shape, "topology.kubernetes.io/zone");
    if (shape->spread)
        describe_spread(out, shape, "kubernetes.io/hostname");
    if (shape->apart)
        text_format(out,
                    "      affinity: {podAntiAffinity: "
                    "{requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: "
                    "kubernetes.io/hostname, labelSelector: {matchLabels: {app: %s}}}]}}\n",
                    shape->name);
}

void load_apply(struct scenario *scenario, struct load *load)
{
    struct text text = {0};
    text_add(&text, pool);
    load->wanted = 0;
    for (uint32_t i = 0; i < load->count; i++) {
        describe(&text, &load->shapes[i]);
        load->wanted += load->shapes[i].pods;
    }
    lineage_watch(load->lineage, scenario);
    scenario_apply(scenario, text.data);
    text_free(&text);
}

static void scale(struct scenario *scenario, struct load *load, bool fewer)
{
    lineage_begin_anew(load->lineage);
    load->wanted = 0;
    for (uint32_t i = 0; i < load->count; i++) {
        struct error error = {0};
        const struct shape *shape = &load->shapes[i];
        uint32_t pods = fewer ? shape->fewer : shape->pods;
        load->wanted += pods;
        if (!simulation_scale(scenario->simulation, shape->name, pods, &error))
            fail_msg("%s", error.message);
    }
}

void load_shrink(struct scenario *scenario, struct load *load)
{
    scale(scenario, load, true);
}

void load_grow(struct scenario *scenario, struct load *load)
{
    scale(scenario, load, false);
}

void load_drift(struct scenario *scenario, struct load *load)
{
    lineage_begin_anew(load->lineage);
    hand_patch(scenario, KARPENTER, "NodePool", NULL, "default", NULL,
               "{spec: {template: {metadata: {labels: {generation: second}}}}}");
}

// --- figures -------------------------------------------------------------------------------------
struct look {
    struct scenario *scenario;
    struct load_figures figures;
    double cpu_asked, memory_asked, cpu_there, memory_there;
};

static double quantity(const json_t *map, const char *resource, const char *key)
{
    const char *text = json_string_value(json_object_get(map, key));
    struct error error = {0};
    int64_t value = 0;
    if (text != NULL && !quantity_parse(resource, text, &value, &error))
        fail_msg("%s", error.message);
    return (double)value;
}

static double amount(const json_t *object, const char *path, const char *resource)
{
    return quantity(store_path(object, path), resource, resource);
}

static bool look_at_pod(void *context, json_t *pod)
{
    struct look *look = context;
    const json_t *container = json_array_get(store_path(pod, "spec.containers"), 0);
    if (store_path(pod, "metadata.deletionTimestamp") != NULL)
        return true;
    look->figures.pods++;
    if (store_path(pod, "spec.nodeName") == NULL)
        return true;
    look->figures.bound++;
    look->cpu_asked += amount(container, "resources.requests", "cpu");
    look->memory_asked += amount(container, "resources.requests", "memory");
    return true;
}

// kwok's own formula: a price for a cpu and one for a GB.
static double price_of(const json_t *node)
{
    const json_t *labels = store_path(node, "metadata.labels");
    double cpu_m = quantity(labels, "cpu", "karpenter.kwok.sh/instance-cpu");
    double bytes = quantity(labels, "memory", "karpenter.kwok.sh/instance-memory");
    return 0.025 * cpu_m / 1000 + 0.001 * bytes / 1e9;
}

static bool look_at_node(void *context, json_t *node)
{
    struct look *look = context;
    look->figures.nodes++;
    look->figures.going += view_has_taint(node, "karpenter.sh/disrupted", "NoSchedule") ||
                           store_path(node, "metadata.deletionTimestamp") != NULL;
    look->figures.price += price_of(node);
    look->cpu_there += amount(node, "status.allocatable", "cpu");
    look->memory_there += amount(node, "status.allocatable", "memory");
    return true;
}

static void visit(struct scenario *scenario, const char *kind,
                  bool (*look_at)(void *context, json_t *object), struct look *look)
{
    struct store *store = simulation_store(scenario->simulation);
    store_each(store, store_resource_of_kind(store, "v1", kind), NULL, look_at, look);
}

static uint32_t counted(struct scenario *scenario, const char *family, const char *part)
{
    double value = view_metric_sum(scenario, family, part);
    return value > 0 ? (uint32_t)value : 0;
}

// Of the nodes that may be consolidated, as consolidation sees them. 0: never compared.
static double above_target(struct scenario *scenario)
{
    static const char family[] = "adze_repack_price_dollars_per_hour";
    double target = view_metric(scenario, family, "kind=\"target\"");
    return target > 0 ? 100 * (view_metric(scenario, family, "kind=\"now\"") / target - 1) : 0;
}

struct load_figures load_look(struct scenario *scenario, struct load *load)
{
    struct look look = {.scenario = scenario};
    visit(scenario, "Pod", look_at_pod, &look);
    visit(scenario, "Node", look_at_node, &look);
    struct load_figures *figures = &look.figures;
    if (look.cpu_there > 0)
        figures->cpu = 100 * look.cpu_asked / look.cpu_there;
    if (look.memory_there > 0)
        figures->memory = 100 * look.memory_asked / look.memory_there;
    figures->above = above_target(scenario);
    figures->created = counted(scenario, "karpenter_nodeclaims_created_total", "");
    figures->gone = counted(scenario, "karpenter_nodeclaims_terminated_total", "");
    figures->evicted = counted(scenario, "karpenter_pods_drained_total", "");
    figures->landed = counted(scenario, "adze_plan_divergence_pods_total", "");
    figures->kept = counted(scenario, "adze_plan_divergence_pods_total", "landed=\"planned\"");
    figures->unplanned = counted(scenario, "adze_unplanned_nodeclaims_total", "");
    for (uint32_t i = 0; i < ARRAY_LENGTH(figures->times); i++)
        figures->times[i] = lineage_count(load->lineage, i);
    return look.figures;
}

struct load_figures load_bound(struct scenario *scenario, struct load *load, double seconds)
{
    double passed = 0;
    struct load_figures figures;
    while (figures = load_look(scenario, load),
           figures.bound < figures.pods || figures.pods != load->wanted || passed < 1) {
        if (passed >= seconds)
            break;
        scenario_run(scenario, STEP_S);
        passed += STEP_S;
    }
    figures.seconds = passed;
    return figures;
}

struct load_figures load_quiet(struct scenario *scenario, struct load *load, double quiet,
                               double seconds, double *last)
{
    double passed = 0;
    struct load_figures before = load_look(scenario, load), figures = before;
    *last = 0;
    while (passed < seconds && (passed - *last < quiet || figures.going > 0)) {
        scenario_run(scenario, STEP_S);
        passed += STEP_S;
        figures = load_look(scenario, load);
        if (figures.created != before.created || figures.gone != before.gone ||
            figures.nodes != before.nodes || figures.going != before.going)
            *last = passed;
        before = figures;
    }
    figures.seconds = passed;
    return figures;
}
