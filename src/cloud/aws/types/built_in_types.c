#include "cloud/aws/types/built_in_types.h"

#include <assert.h>
#include <string.h>

#include "base/quantity.h"
#include "cloud/aws/types/catalogue_pack.h"
#include "cloud/aws/types/ec2_offerings.h"
#include "cloud/aws/types/instance_infos.h"
#include "cloud/aws/types/region_prices.h"
#include "cloud/aws/types/type_capacity.h"
#include "cloud/aws/types/type_facts.h"
#include "cloud/aws/types/type_resolve.h"
#include "cloud/aws/types/volume_prices.h"
#include "model/reading/catalog.h"
#include "model/tables/kinds.h"

#define PREFIX    "karpenter.k8s.aws/"
#define ZONES_MAX 32

const char *const ec2_well_known_labels[] = {
    PREFIX "instance-category",
    PREFIX "instance-generation",
    PREFIX "instance-family",
    PREFIX "instance-size",
    PREFIX "instance-capability-flex",
    PREFIX "instance-cpu",
    PREFIX "instance-cpu-manufacturer",
    PREFIX "instance-cpu-sustained-clock-speed-mhz",
    PREFIX "instance-memory",
    PREFIX "instance-ebs-bandwidth",
    PREFIX "instance-network-bandwidth",
    PREFIX "instance-local-nvme",
    PREFIX "instance-hypervisor",
    PREFIX "instance-encryption-in-transit-supported",
    PREFIX "nitro-sandbox",
    PREFIX "instance-gpu-name",
    PREFIX "instance-gpu-manufacturer",
    PREFIX "instance-gpu-count",
    PREFIX "instance-gpu-memory",
    PREFIX "instance-accelerator-name",
    PREFIX "instance-accelerator-manufacturer",
    PREFIX "instance-accelerator-count",
    PREFIX "instance-tenancy",
    PREFIX "capacity-reservation-id",
    PREFIX "capacity-reservation-type",
    PREFIX "capacity-reservation-interruptible",
    PREFIX "placement-group-id",
    PREFIX "placement-group-partition",
    "topology.k8s.aws/zone-id",
    NULL,
};

struct builder {
    struct arena *arena;
    struct ec2_catalog_options options;
    struct type_terms terms;
    struct type_zone zones[ZONES_MAX];
    const struct region_prices *prices;
};

static bool builder_options(struct builder *builder, const struct ec2_catalog_options *options,
                            struct error *error);
static const struct instance_type_catalog *build(struct builder *builder,
                                                 const struct instance_infos *infos);

const struct instance_type_catalog *ec2_catalog_create(const struct ec2_catalog_options *options,
                                                       struct error *error)
{
    CLEANUP_ARENA struct arena *arena = arena_create(1 << 20);
    struct builder builder = {.arena = arena};
    const struct instance_type_catalog *made = NULL;
    if (!builder_options(&builder, options, error))
        return NULL;
    struct region_prices *own =
        builder.options.prices == NULL ? region_prices_create(builder.options.region) : NULL;
    builder.prices = own != NULL ? own : builder.options.prices;
    struct instance_infos *infos = instance_infos_built_in(error);
    if (own != NULL && !own->listed)
        error_set(error, ERROR_INVALID, "no prices are known for region %s",
                  builder.options.region);
    else if (infos != NULL)
        made = build(&builder, infos);
    instance_infos_destroy(infos);
    region_prices_destroy(own);
    return made;
}

static bool builder_options(struct builder *builder, const struct ec2_catalog_options *options,
                            struct error *error)
{
    static const struct ec2_catalog_options none = {.memory_overhead_fraction = -1};
    builder->options = options != NULL ? *options : none;
    struct ec2_catalog_options *chosen = &builder->options;
    struct type_terms *terms = &builder->terms;
    type_terms_defaults(terms);
    if (chosen->region == NULL)
        chosen->region = "us-east-1";
    if (chosen->memory_overhead_fraction >= 0)
        terms->memory_overhead_fraction = chosen->memory_overhead_fraction;
    for (uint32_t i = 0; chosen->zones != NULL && chosen->zones[i] != NULL; i++) {
        if (i == ZONES_MAX)
            return error_set(error, ERROR_INVALID, "more than %d zones", ZONES_MAX);
        builder->zones[terms->zones_count++].name = chosen->zones[i];
    }
    for (int i = 0; chosen->zones == NULL && i < 3; i++)
        builder->zones[terms->zones_count++].name =
            arena_format(builder->arena, "%s%c", chosen->region, 'a' + i);
    terms->zones = builder->zones;
    terms->class_zones = (UINT64_C(1) << terms->zones_count) - 1;
    terms->region = arena_copy_string(builder->arena, chosen->region);
    terms->reserved_enis = chosen->reserved_enis;
    terms->volume_price = volume_prices_usual(terms->region);
    return true;
}

static int64_t share_of(int64_t price, double share)
{
    return price_from_double(price_to_double(price) * share);
}

static void set_price(const struct builder *builder, const struct region_price *price,
                      struct offering *offering)
{
    const char *capacity_type =
        requirement_single_value(&offering->requirements, LABEL_CAPACITY_TYPE);
    double share = builder->options.spot_share;
    assert(capacity_type != NULL);
    offering->available = price != NULL;
    if (price == NULL)
        return;
    if (strcmp(capacity_type, CAPACITY_TYPE_SPOT) != 0) {
        offering->price = price->on_demand;
    } else if (share > 0 || price->spot == 0) {
        offering->price = share_of(price->on_demand, share > 0 ? share : EC2_SPOT_SHARE);
    } else {
        offering->price = price->spot;
        offering->interruptions = price->interruptions;
    }
}

static void fill_prices(const struct builder *builder, struct instance_type *type)
{
    const struct region_price *price = region_prices_find(builder->prices, type->name);
    list_for_each (offering, &type->offerings)
        set_price(builder, price, offering);
}

static const struct instance_type_catalog *build(struct builder *builder,
                                                 const struct instance_infos *infos)
{
    struct arena *arena = builder->arena;
    const struct offering_lists *lists = offering_lists_create(&builder->terms, false, true, arena);
    struct instance_type_catalog catalog = {.kind = kind_get(KIND_INSTANCE_TYPE_CATALOG)};
    catalog.meta.name = "ec2";
    catalog.spec.instance_types.items =
        arena_allocate_array(arena, infos->count + 1, sizeof(struct instance_type));
    for (uint32_t i = 0; i < infos->count; i++) {
        struct instance_type *type =
            &catalog.spec.instance_types.items[catalog.spec.instance_types.count++];
        bool resolved = type_resolve(infos->items[i], builder->terms.class_zones, &builder->terms,
                                     arena, type, NULL);
        assert(resolved); // only kubelet expressions can fail
        (void)resolved;
        offerings_shape(lists, infos->items[i], type);
        fill_prices(builder, type);
    }
    return catalogue_pack(&catalog);
}

int64_t ec2_kube_reserved_cpu(int64_t cpu_millicores)
{
    return type_kube_reserved_cpu(cpu_millicores);
}

int64_t ec2_memory_bytes(int64_t stated_mib, bool arm64, double overhead_fraction)
{
    return type_memory_bytes(stated_mib, arm64, overhead_fraction);
}
