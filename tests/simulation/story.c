#include "simulation/story.h"
#include "model/schema/decode.h"
#include "model/tables/kinds.h"

#include <string.h>

static const char * or (const char *text, const char *otherwise)
{
    return text != NULL ? text : otherwise;
}

void story_pool(struct scenario *scenario, const struct story_pool *pool)
{
    struct text text = {0};
    text_format(&text,
                "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: %s}\n"
                "spec:\n"
                "  disruption: {consolidationPolicy: %s, consolidateAfter: %s, budgets: %s}\n"
                "  template:\n"
                "    metadata: {labels: {%s}}\n"
                "    spec: {%snodeClassRef: {group: karpenter.kwok.sh, kind: KWOKNodeClass,\n"
                "      name: default},\n"
                "      expireAfter: %s, requirements: [\n"
                "      {key: kubernetes.io/arch, operator: In, values: [amd64]},\n"
                "      {key: kubernetes.io/os, operator: In, values: [linux]}, %s]}\n",
                or (pool->name, "default"), or (pool->policy, "WhenEmptyOrUnderutilized"),
                or (pool->after, "0s"), or (pool->budgets, "[{nodes: '100%'}]"),
                or (pool->labels, ""), or (pool->template_spec, ""),
                or (pool->expire_after, "Never"),
                or (pool->requirements,
                    "{key: karpenter.kwok.sh/instance-cpu, operator: Lt, values: ['9']}"));
    if (pool->spec != NULL)
        text_format(&text, "  %s\n", pool->spec);
    scenario_apply(scenario, text.data);
    text_free(&text);
}

void story_app(struct scenario *scenario, const struct story_app *app)
{
    struct text text = {0};
    text_format(&text,
                "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: %s, namespace: default}\n"
                "spec:\n  replicas: %u\n  selector: {matchLabels: {app: %s}}\n  template:\n"
                "    metadata: {labels: {app: %s}, annotations: {%s}}\n"
                "    spec: {%sterminationGracePeriodSeconds: 0, containers: [\n"
                "      {name: c, image: i, resources: {requests: {cpu: '%s', memory: %s}}}]}\n",
                app->name, app->replicas, app->name, app->name, or (app->annotations, ""),
                or (app->spec, ""), app->cpu, or (app->memory, "64Mi"));
    scenario_apply(scenario, text.data);
    text_free(&text);
}

// --- catalogs ----------------------------------------------------------------------------------
static json_t *in(const char *key, const char *value)
{
    return json_pack("{s:s, s:s, s:[s]}", "key", key, "operator", "In", "values", value);
}

static json_t *instance_type(const struct story_type *type)
{
    static const char *const zones[] = {"test-zone-a", "test-zone-b"};
    char cpu[16], memory[16];
    json_t *offerings = json_array();
    snprintf(cpu, sizeof cpu, "%u", type->cpu);
    snprintf(memory, sizeof memory, "%uGi", type->memory_gib);
    for (size_t i = 0; i < ARRAY_LENGTH(zones); i++)
        json_array_append_new(offerings, json_pack("{s:[o, o], s:f, s:b}", "requirements",
                                                   in(LABEL_CAPACITY_TYPE, CAPACITY_TYPE_ON_DEMAND),
                                                   in(LABEL_ZONE, zones[i]), "price", type->price,
                                                   "available", 1));
    return json_pack("{s:s, s:[o, o], s:{s:s, s:s, s:s, s:s}, s:{s:{s:s, s:s}}, s:o}", "name",
                     type->name, "requirements", in(LABEL_ARCH, "amd64"), in(LABEL_OS, "linux"),
                     "capacity", "cpu", cpu, "memory", memory, "pods", "110", "ephemeral-storage",
                     "20Gi", "overhead", "kubeReserved", "cpu", "100m", "memory", "10Mi",
                     "offerings", offerings);
}

void story_catalog(struct scenario *scenario, const struct story_type *types, uint32_t count)
{
    struct error error = {0};
    json_t *list = json_array();
    for (uint32_t i = 0; i < count; i++)
        json_array_append_new(list, instance_type(&types[i]));
    json_t *document = json_pack("{s:s, s:s, s:{s:s}, s:{s:o}}", "apiVersion", "adze/v1", "kind",
                                 "InstanceTypeCatalog", "metadata", "name", "story", "spec",
                                 "instanceTypes", list);
    struct object *catalog =
        object_decode(document, kind_get(KIND_INSTANCE_TYPE_CATALOG), DECODE_STRICT, &error);
    json_decref(document);
    if (catalog == NULL)
        fail_msg("%s", error.message);
    object_release((const struct object *)scenario->options.catalog);
    scenario->options.catalog = (const struct instance_type_catalog *)catalog;
}

// --- counts --------------------------------------------------------------------------------------
uint32_t story_nodes(struct scenario *scenario)
{
    return view_count(scenario, "v1", "Node");
}

uint64_t story_launches(struct scenario *scenario)
{
    return sim_instances_launches(simulation_park(scenario->simulation));
}

struct sought { // objects that carry a label
    const char *key, *value;
    bool ready;
    uint32_t count;
};

static bool count_labelled(void *context, json_t *object)
{
    struct sought *sought = context;
    sought->count += text_equal(view_label(object, sought->key), sought->value) &&
                     (!sought->ready || store_condition_is_true(object, CONDITION_READY));
    return true;
}

static uint32_t labelled(struct scenario *scenario, const char *kind, struct sought sought)
{
    struct store *store = simulation_store(scenario->simulation);
    store_each(store, store_resource_of_kind(store, "v1", kind), NULL, count_labelled, &sought);
    return sought.count;
}

uint32_t story_running_of(struct scenario *scenario, const char *app)
{
    return labelled(scenario, "Pod", (struct sought){"app", app, true, 0});
}

uint32_t story_nodes_labelled(struct scenario *scenario, const char *key, const char *value)
{
    return labelled(scenario, "Node", (struct sought){key, value, false, 0});
}
