#include "cloud/aws/types/class_types.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/loop_virtual.h"
#include "base/pattern.h"
#include "base/quantity.h"
#include "base/text.h"
#include "cloud/aws/families/ami_family.h"
#include "cloud/aws/families/kubelet_config.h"
#include "cloud/aws/types/built_in_types.h"
#include "cloud/aws/types/class_gaps.h"
#include "cloud/aws/types/ec2_types.h"
#include "cloud/aws/types/kept_prices.h"
#include "cloud/aws/types/region_types.h"
#include "cloud/aws/types/region_zones.h"
#include "model/reading/catalog.h"
#include "model/reading/settings.h"
#include "model/schema/pack.h"
#include "model/tables/kinds.h"
#include "model/tables/well_known.h"

#define REGION_DEFAULT "us-east-1"
#define ZONES_DEFAULT  3
#define ZONES_TAKEN    32
#define PATTERN_ZONE   "^[a-z]+(-[a-z]+)+-[0-9]+([a-z]|-[a-z]+-[0-9]+[a-z])$"
#define PATTERN_REGION "^[a-z]+(-[a-z]+)+-[0-9]+$"

struct placing { // where machines come to stand
    struct arena *arena;
    const char *region;                 // NULL: not found yet
    const char *zones[ZONES_TAKEN + 1]; // NULL-terminated
    uint32_t count;
    bool known; // by status.subnets
};

// --- zones ---------------------------------------------------------------------------------------

// "us-west-2" of us-west-2a and us-west-2-lax-1a.
static const char *region_of(struct arena *arena, const char *zone)
{
    size_t length = strcspn(zone, "0123456789");
    length += strspn(zone + length, "0123456789");
    return arena_copy_bytes(arena, zone, length);
}

// A zone of another region than the first one is left out.
static void add_zone(struct placing *placing, const char *zone)
{
    const char *region = region_of(placing->arena, zone);
    if (placing->region == NULL)
        placing->region = region;
    if (strcmp(placing->region, region) != 0 || placing->count == ZONES_TAKEN)
        return;
    for (uint32_t i = 0; i < placing->count; i++)
        if (strcmp(placing->zones[i], zone) == 0)
            return;
    placing->zones[placing->count++] = zone;
}

static void add_pool_zones(struct placing *placing, const requirement_list *requirements)
{
    list_for_each (requirement, requirements) {
        if (!text_equal(requirement->key, LABEL_ZONE) || !text_equal(requirement->operator, "In"))
            continue;
        for (uint32_t i = 0; i < requirement->values.count; i++)
            if (pattern_matches(PATTERN_ZONE, text_or_empty(requirement->values.items[i])))
                add_zone(placing, requirement->values.items[i]);
    }
}

static void find_region(struct placing *placing, const requirement_list *requirements)
{
    const char *region = requirement_single_value(requirements, LABEL_REGION);
    if (placing->region == NULL && region != NULL && pattern_matches(PATTERN_REGION, region))
        placing->region = region;
}

static int compare_zones(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void find_zones(struct placing *placing, const struct class_catalog_request *request)
{
    const struct ec2_node_class *node_class = (const struct ec2_node_class *)request->node_class;
    placing->region = request->region;
    list_for_each (subnet, &node_class->status.subnets)
        if (pattern_matches(PATTERN_ZONE, text_or_empty(subnet->zone)))
            add_zone(placing, subnet->zone);
    placing->known = placing->count > 0;
    if (placing->known)
        return;
    for (uint32_t i = 0; i < request->pools_count; i++)
        find_region(placing, &request->pools[i]->spec.template.spec.requirements);
    for (uint32_t i = 0; i < request->pools_count; i++)
        add_pool_zones(placing, &request->pools[i]->spec.template.spec.requirements);
    if (placing->region == NULL)
        placing->region = REGION_DEFAULT;
    const char *const *zones =
        request->region != NULL ? region_zone_names(placing->arena, request->region) : NULL;
    for (uint32_t i = 0; zones != NULL && zones[i] != NULL; i++)
        add_zone(placing, zones[i]);
    for (int i = 0; zones == NULL && i < ZONES_DEFAULT; i++)
        add_zone(placing, arena_format(placing->arena, "%s%c", placing->region, 'a' + i));
    qsort(placing->zones, placing->count, sizeof *placing->zones, compare_zones);
}

// The NodeClass with a subnet in each zone, as its status would show.
static void place(struct ec2_node_class *draft, const struct placing *placing)
{
    if (placing->known)
        return;
    draft->status.subnets.count = placing->count;
    draft->status.subnets.items = arena_allocate_array(placing->arena, placing->count + 1,
                                                       sizeof *draft->status.subnets.items);
    for (uint32_t i = 0; i < placing->count; i++)
        draft->status.subnets.items[i] =
            (struct ec2_subnet){.id = placing->zones[i], .zone = placing->zones[i]};
}

// --- prices --------------------------------------------------------------------------------------

// A share of the on-demand price in every zone.
static void estimate_spot(struct ec2_prices *prices, const struct placing *placing)
{
    json_t *known = kept_prices_encode(prices, false), *spot = json_object(), *price;
    const char *type;
    json_object_foreach (json_object_get(known, "onDemand"), type, price) {
        json_t *zones = json_object();
        for (uint32_t i = 0; i < placing->count; i++)
            json_object_set_new(zones, placing->zones[i],
                                json_real(json_number_value(price) * EC2_SPOT_SHARE));
        json_object_set_new(spot, type, zones);
    }
    json_t *estimate = json_pack("{s:o}", "spot", spot);
    kept_prices_decode(prices, estimate);
    json_decref(estimate);
    json_decref(known);
}

// --- the catalogue -------------------------------------------------------------------------------

// All that catalogues depend on beside the NodeClass: nothing is short, learned or reserved.
struct resolver {
    struct loop *loop;
    struct ec2_prices *prices;
    struct unavailable_offerings *unavailable;
    struct reservation_counts *reservations;
    struct placement_groups *groups;
    struct ec2_types *types;
};

// Whether sizes are written as expressions though the gate is off.
static bool lacks_gate(const struct class_catalog_request *request)
{
    CLEANUP_ARENA struct arena *arena = arena_create(1024);
    const struct ec2_node_class *node_class = (const struct ec2_node_class *)request->node_class;
    struct kubelet_config kubelet;
    if (kubelet_expressions_enabled(request->settings) ||
        !kubelet_config_read(&kubelet, arena, node_class->spec.kubelet, NULL))
        return false;
    bool lacks = kubelet_has_expressions(&kubelet);
    kubelet_config_free(&kubelet);
    return lacks;
}

static void resolver_open(struct resolver *resolver, const struct settings *settings,
                          const struct placing *placing)
{
    resolver->loop = loop_create_virtual(0);
    resolver->prices = ec2_prices_create(
        &(struct ec2_prices_options){.loop = resolver->loop,
                                     .region = placing->region,
                                     .upstream = settings->compatibility_upstream});
    estimate_spot(resolver->prices, placing);
    resolver->unavailable = unavailable_offerings_create(&(struct unavailable_options){
        .loop = resolver->loop, .upstream = settings->compatibility_upstream});
    resolver->reservations = reservation_counts_create(resolver->loop);
    resolver->groups = placement_groups_create();
    resolver->types = ec2_types_create(&(struct ec2_types_options){
        .loop = resolver->loop,
        .settings = settings,
        .region = placing->region,
        .prices = resolver->prices,
        .unavailable = resolver->unavailable,
        .reservations = resolver->reservations,
        .groups = resolver->groups,
    });
}

static void resolver_close(struct resolver *resolver)
{
    ec2_types_destroy(resolver->types);
    ec2_prices_destroy(resolver->prices);
    unavailable_offerings_destroy(resolver->unavailable);
    reservation_counts_destroy(resolver->reservations);
    placement_groups_destroy(resolver->groups);
    loop_destroy(resolver->loop);
}

const struct instance_type_catalog *ec2_class_catalog(const struct class_catalog_request *request,
                                                      struct text *unknown, struct error *error)
{
    assert(request->node_class != NULL && request->settings != NULL);
    if (request->node_class->kind->id != KIND_EC2_NODE_CLASS)
        return NULL;
    CLEANUP_ARENA struct arena *arena = arena_create(4096);
    struct ec2_node_class draft = *(const struct ec2_node_class *)request->node_class;
    struct placing placing = {.arena = arena};
    struct instance_infos *infos = instance_infos_built_in(error);
    if (infos == NULL)
        return NULL;
    find_zones(&placing, request);
    place(&draft, &placing);
    struct resolver resolver;
    struct settings settings = *request->settings;
    bool gate_taken = lacks_gate(request);
    if (gate_taken)
        settings.aws_feature_gates = "NodeClassCEL=true";
    resolver_open(&resolver, &settings, &placing);
    ec2_types_use(resolver.types, infos, placing.zones);
    const struct instance_type_catalog *catalogue = ec2_types_for(resolver.types, &draft, error);
    bool listed = ec2_prices_listed(resolver.prices);
    resolver_close(&resolver);
    if (catalogue != NULL)
        catalogue = region_types_only(catalogue, placing.region);
    if (catalogue != NULL && unknown != NULL)
        class_gaps_tell(
            &(struct class_gaps){.node_class = (const struct ec2_node_class *)request->node_class,
                                 .settings = request->settings,
                                 .zones_taken = placing.known ? NULL : placing.zones,
                                 .region = placing.region,
                                 .listed = listed,
                                 .gate_taken = gate_taken},
            unknown);
    return catalogue;
}

// --- a class that is not in the input ------------------------------------------------------------

static bool requires_windows(const struct node_pool *pool)
{
    list_for_each (requirement, &pool->spec.template.spec.requirements)
        if (requirement->key != NULL &&
            strcmp(label_alias_target(requirement->key), LABEL_OS) == 0 &&
            text_equal(requirement->operator, "In") && requirement->values.count == 1 &&
            text_equal(requirement->values.items[0], "windows"))
            return true;
    return false;
}

const char *ec2_class_taken(const struct node_pool *pool, const struct object **node_class)
{
    const struct node_class_reference *reference = pool->spec.template.spec.node_class_ref;
    *node_class = NULL;
    if (!requires_windows(pool) || reference == NULL)
        return "AL2023";
    struct ec2_selector_term term = {.alias = "windows2022@latest"};
    struct ec2_node_class taken = {.kind = kind_get(KIND_EC2_NODE_CLASS),
                                   .meta.name = reference->name,
                                   .spec.ami_selector_terms = {&term, 1}};
    *node_class = object_copy((const struct object *)&taken);
    return "Windows Server 2022";
}
