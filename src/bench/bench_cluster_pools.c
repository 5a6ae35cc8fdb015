#include "bench/bench_cluster_pools.h"

#include <string.h>

#include "model/reading/catalog.h"

#define LABEL_CATEGORY "karpenter.k8s.aws/instance-category"
#define LABEL_FAMILY   "karpenter.k8s.aws/instance-family"
#define LABEL_SIZE     "karpenter.k8s.aws/instance-size"
#define FIXED_FAMILY   "m5" // of NodePools with one size

const struct cluster_pool cluster_pools[CLUSTER_POOLS] = {
    {"general", 40, FULL, .on_demand_allowed = true},
    {"spot", 25, ANCHORED, .tainted = true, .spot_allowed = true},
    {"fixed", 20, ANCHORED, .tainted = true, .on_demand_allowed = true, .size = "2xlarge"},
    {"flexible", 15, LARGE, .tainted = true, .spot_allowed = true, .on_demand_allowed = true,
     .size = "2xlarge"},
};

static json_t *requirement_in(const char *key, json_t *values)
{
    return json_pack("{s:s, s:s, s:o}", "key", key, "operator", "In", "values", values);
}

static json_t *requirements_of(const struct cluster_pool *pool)
{
    json_t *capacity_types = json_array();
    if (pool->spot_allowed)
        json_array_append_new(capacity_types, json_string(CAPACITY_TYPE_SPOT));
    if (pool->on_demand_allowed)
        json_array_append_new(capacity_types, json_string(CAPACITY_TYPE_ON_DEMAND));
    json_t *list = json_pack("[o, o, o, o]", requirement_in(LABEL_CAPACITY_TYPE, capacity_types),
                             requirement_in(LABEL_OS, json_pack("[s]", "linux")),
                             requirement_in(LABEL_ARCH, json_pack("[s]", "amd64")),
                             requirement_in(LABEL_CATEGORY, json_pack("[s, s, s]", "c", "m", "r")));
    if (pool->size != NULL) {
        json_array_append_new(list, requirement_in(LABEL_SIZE, json_pack("[s]", pool->size)));
        json_array_append_new(list, requirement_in(LABEL_FAMILY, json_pack("[s]", FIXED_FAMILY)));
    }
    return list;
}

// A budget keeps the drifted nodes of a settled cluster.
static bool add_pool(struct bench_builder *builder, const struct cluster_pool *pool, bool settled,
                     struct error *error)
{
    json_t *budgets = json_pack("[{s:s}]", "nodes", "10%");
    if (settled)
        json_array_append_new(budgets,
                              json_pack("{s:s, s:[s]}", "nodes", "0", "reasons", "Drifted"));
    json_t *taints = json_array();
    if (pool->tainted)
        json_array_append_new(taints, json_pack("{s:s, s:s, s:s}", "key", "tier", "value",
                                                pool->name, "effect", "NoSchedule"));
    json_t *class = json_pack("{s:s, s:s, s:s}", "group", "karpenter.k8s.aws", "kind",
                              "EC2NodeClass", "name", "default");
    json_t *template = json_pack("{s:{s:{s:s}}, s:{s:o, s:o, s:o}}", "metadata", "labels", "tier",
                                 pool->name, "spec", "nodeClassRef", class, "requirements",
                                 requirements_of(pool), "taints", taints);
    return bench_add_document(
        builder,
        json_pack("{s:s, s:s, s:{s:s, s:s}, s:{s:o, s:{s:s, s:s, s:o}}}", "apiVersion",
                  "karpenter.sh/v1", "kind", "NodePool", "metadata", "name", pool->name, "uid",
                  pool->name, "spec", "template", template, "disruption", "consolidationPolicy",
                  "WhenEmptyOrUnderutilized", "consolidateAfter", "30s", "budgets", budgets),
        error);
}

static bool add_daemon_set(struct bench_builder *builder, struct error *error)
{
    return bench_add_document(
        builder,
        json_loads("{\"apiVersion\": \"apps/v1\", \"kind\": \"DaemonSet\", \"metadata\":"
                   " {\"name\": \"agent\", \"namespace\": \"kube-system\", \"uid\": \"agent\"},"
                   " \"spec\": {\"selector\": {\"matchLabels\": {\"app\": \"agent\"}},"
                   " \"template\": {\"metadata\": {\"labels\": {\"app\": \"agent\"}}, \"spec\":"
                   " {\"tolerations\": [{\"operator\": \"Exists\"}], \"containers\": [{\"name\":"
                   " \"main\", \"image\": \"pause\", \"resources\": {\"requests\": {\"cpu\":"
                   " \"100m\", \"memory\": \"128Mi\"}}}]}}}}",
                   0, NULL),
        error);
}

bool cluster_pools_add(struct bench_builder *builder, bool settled, struct error *error)
{
    for (size_t i = 0; i < CLUSTER_POOLS; i++)
        if (!add_pool(builder, &cluster_pools[i], settled, error))
            return false;
    return add_daemon_set(builder, error);
}

bool cluster_pool_has_type(const struct cluster_pool *pool, const struct instance_type *type)
{
    const requirement_list *requirements = &type->requirements;
    const char *category = requirement_single_value(requirements, LABEL_CATEGORY);
    if (category == NULL || strlen(category) != 1 || strchr("cmr", category[0]) == NULL ||
        !text_equal(requirement_single_value(requirements, LABEL_ARCH), "amd64"))
        return false;
    return pool->size == NULL ||
           (text_equal(requirement_single_value(requirements, LABEL_SIZE), pool->size) &&
            text_equal(requirement_single_value(requirements, LABEL_FAMILY), FIXED_FAMILY));
}
