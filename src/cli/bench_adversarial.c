// adze bench adversarial: the extra cost of a plan of ordinary pods with one costly pod.
//
// Each kind has two sizes: the largest pod that is still planned (engine/pods/pod_demand.h), and as
// many items as an API server allows in an object.
#include <inttypes.h>
#include <stdio.h>

#include "base/nanoseconds.h"
#include "bench/bench_builder.h"
#include "bench/bench_measure.h"
#include "cli/bench_options.h"

#define MEBIBYTE 1048576.0

// --- the pods ------------------------------------------------------------------------------------

// `template` with %u for the number, parsed.
static json_t *numbered(const char *template, uint32_t number)
{
    char text[400];
    size_t length = 0;
    for (const char *c = template; *c != '\0' && length < sizeof text - 20; c++) {
        if (*c == '#')
            length += (size_t)snprintf(text + length, 20, "%" PRIu32, number);
        else
            text[length++] = *c == '\'' ? '"' : *c;
    }
    text[length] = '\0';
    return json_loads(text, JSON_DECODE_ANY, NULL);
}

struct hostile {
    const char *name;
    const char *path[4];  // of the list in the pod's spec; a number is an index of a list
    const char *item;     // # stands for its number, ' for a quotation mark
    uint32_t limit, most; // numbers for a pod that is planned, and for one of some 1.5 MB
};
#define REQUIRED "requiredDuringSchedulingIgnoredDuringExecution"
#define OTHERS \
    "'labelSelector':{'matchExpressions':[{'key':'a','operator':'NotIn','values':['#']}]}"
static const struct hostile kinds[] = {
    {"affinity",
     {"affinity", "podAffinity", REQUIRED},
     "{'topologyKey':'topology.kubernetes.io/zone','labelSelector':{'matchLabels':{'a#':'b'}}}",
     49,
     16000},
    {"anti-affinity",
     {"affinity", "podAntiAffinity", REQUIRED},
     "{'topologyKey':'topology.kubernetes.io/zone'," OTHERS "}",
     49,
     10000},
    {"anti-affinity, namespaces",
     {"affinity", "podAntiAffinity", REQUIRED},
     "{'topologyKey':'kubernetes.io/hostname','namespaceSelector':{}," OTHERS "}",
     49,
     9000},
    {"spread, keys",
     {"topologySpreadConstraints"},
     "{'maxSkew':1,'topologyKey':'k#','whenUnsatisfiable':'DoNotSchedule'," OTHERS "}",
     49,
     9000},
    {"spread, wished",
     {"topologySpreadConstraints"},
     "{'maxSkew':1,'topologyKey':'k#','whenUnsatisfiable':'ScheduleAnyway'," OTHERS "}",
     49,
     9000},
    {"node terms",
     {"affinity", "nodeAffinity", REQUIRED, "nodeSelectorTerms"},
     "{'matchExpressions':[{'key':'k#','operator':'Exists'}]}",
     475,
     24000},
    {"tolerations", {"tolerations"}, "{'key':'t#','operator':'Exists'}", 4900, 40000},
    {"volumes",
     {"volumes"},
     "{'name':'v#','persistentVolumeClaim':{'claimName':'c#'}}",
     490,
     24000},
    {"containers",
     {"containers"},
     "{'name':'c#','image':'i','resources':{'requests':{'cpu':'1m'}}}",
     1950,
     23000},
    {"resources",
     {"containers"},
     "{'name':'c#','image':'i','resources':{'requests':{'a.io/r#':'1'}}}",
     180,
     21000},
};

static json_t *make_spec(const struct hostile *kind, uint32_t count)
{
    json_t *spec = json_pack("{s:[{s:s, s:s, s:{s:{s:s, s:s}}}]}", "containers", "name", "c",
                             "image", "i", "resources", "requests", "cpu", "1", "memory", "1Gi");
    json_t *at = spec, *list = json_array();
    for (uint32_t i = 0; i < count; i++)
        json_array_append_new(list, numbered(kind->item, i));
    for (int p = 0; p < 4 && kind->path[p] != NULL; p++) {
        bool last = p == 3 || kind->path[p + 1] == NULL;
        json_t *next = last ? list : json_object();
        json_object_set_new(at, kind->path[p], next);
        at = next;
    }
    return spec;
}

static bool add_hostile(struct snapshot *snapshot, const struct hostile *kind, uint32_t count,
                        struct error *error)
{
    CLEANUP_ARENA struct arena *arena = arena_create(1 << 14);
    struct bench_builder builder = {.snapshot = snapshot, .arena = arena};
    return bench_add_document(&builder,
                              json_pack("{s:s, s:s, s:{s:s, s:s, s:s, s:{s:s}}, s:o, s:{s:s}}",
                                        "apiVersion", "v1", "kind", "Pod", "metadata", "name",
                                        "hostile", "namespace", BENCH_NAMESPACE, "uid", "hostile",
                                        "labels", "app", "hostile", "spec", make_spec(kind, count),
                                        "status", "phase", "Pending"),
                              error);
}

// --- measuring -----------------------------------------------------------------------------------

static bool measure(const struct bench_workload *workload, const struct hostile *kind,
                    uint32_t count, uint32_t runs, struct bench_result *result, struct error *error)
{
    struct snapshot *snapshot = bench_workload_create(workload, error);
    bool done = snapshot != NULL && (kind == NULL || add_hostile(snapshot, kind, count, error)) &&
                bench_measure(snapshot, workload->pods + (kind != NULL), runs, result, error);
    snapshot_destroy(snapshot);
    return done || (kind != NULL && error_prefix(error, "%s, %u", kind->name, count));
}

static json_t *row_of(const struct bench_workload *workload, const char *name, uint32_t count,
                      const struct bench_result *result, const struct bench_result *usual)
{
    return json_pack(
        "{s:s, s:I, s:I, s:I, s:I, s:o, s:o, s:o, s:o, s:I}", "kind", name, "items",
        (json_int_t)count, "pods", (json_int_t)workload->pods, "existingNodes",
        (json_int_t)workload->nodes, "unschedulable", (json_int_t)result->unschedulable, "wallMs",
        bench_real((double)result->wall_ns / 1e6), "cpuMs",
        bench_real((double)result->cpu_ns / 1e6), "moreMs",
        bench_real((double)ns_subtract(result->cpu_ns, usual->cpu_ns) / 1e6), "planMiB",
        bench_real((double)result->plan_bytes / MEBIBYTE), "runs", (json_int_t)result->runs);
}

static bool add_rows(json_t *rows, const struct bench_workload *workload, uint32_t runs,
                     struct error *error)
{
    struct bench_result usual, result;
    if (!measure(workload, NULL, 0, runs, &usual, error))
        return false;
    json_array_append_new(rows, row_of(workload, "none", 0, &usual, &usual));
    for (size_t k = 0; k < ARRAY_LENGTH(kinds); k++)
        for (int large = 0; large < 2; large++) {
            uint32_t count = large ? kinds[k].most : kinds[k].limit;
            if (!measure(workload, &kinds[k], count, runs, &result, error))
                return false;
            json_array_append_new(rows, row_of(workload, kinds[k].name, count, &result, &usual));
        }
    return true;
}

static bool no_growth(json_t *rows, const struct bench_options *options, struct error *error)
{
    (void)rows;
    (void)options;
    return error_set(error, ERROR_INVALID, "--growth is not for adversarial");
}

bool bench_adversarial(const struct bench_options *options, struct error *error)
{
    return bench_rows_print(options, add_rows, no_growth, error);
}
