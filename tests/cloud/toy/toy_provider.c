// A provider that is this folder and one more row of the table (meson.build): two instance types,
// for NodePools that refer to a KWOKNodeClass.
#include "cloud/port/provider.h"

#include <jansson.h>

#include "model/schema/decode.h"
#include "model/tables/kinds.h"

extern const struct cloud_provider toy_provider;

static json_t *block(const char *name, int cpu, const char *memory, const char *price)
{
    return json_pack("{s:s, s:[{s:s, s:s, s:[s]}, {s:s, s:s, s:[s]}], s:{s:i, s:s, s:i}, "
                     "s:[{s:s, s:b, s:[{s:s, s:s, s:[s]}, {s:s, s:s, s:[s]}]}]}",
                     "name", name, "requirements", "key", "kubernetes.io/arch", "operator", "In",
                     "values", "amd64", "key", "kubernetes.io/os", "operator", "In", "values",
                     "linux", "capacity", "cpu", cpu, "memory", memory, "pods", 20, "offerings",
                     "price", price, "available", true, "requirements", "key",
                     "topology.kubernetes.io/zone", "operator", "In", "values", "nursery", "key",
                     "karpenter.sh/capacity-type", "operator", "In", "values", "on-demand");
}

static const struct instance_type_catalog *blocks(struct error *error)
{
    json_t *json =
        json_pack("{s:s, s:s, s:{s:s}, s:{s:[o, o]}}", "apiVersion", "adze/v1", "kind",
                  "InstanceTypeCatalog", "metadata", "name", "blocks", "spec", "instanceTypes",
                  block("toy-small", 2, "4Gi", "0.01"), block("toy-large", 8, "16Gi", "0.03"));
    struct object *object =
        object_decode(json, kind_get(KIND_INSTANCE_TYPE_CATALOG), DECODE_STRICT, error);
    json_decref(json);
    return (const struct instance_type_catalog *)object;
}

static const enum kind_id node_classes[] = {KIND_KWOK_NODE_CLASS, KIND_COUNT};

const struct cloud_provider toy_provider = {
    .name = "toy",
    .node_class = KIND_KWOK_NODE_CLASS,
    .serves = node_classes,
    .labels = &provider_labels_kwok,
    .catalog = blocks,
    .catalog_text = "of wood",
    .catalog_help = "building blocks",
};
