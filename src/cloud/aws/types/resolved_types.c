#include "cloud/aws/types/resolved_types.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/log.h"
#include "base/text.h"
#include "cloud/aws/families/ami_family.h"
#include "cloud/aws/types/catalogue_pack.h"
#include "cloud/aws/types/offering_facts.h"
#include "cloud/aws/types/public_addresses.h"
#include "cloud/aws/types/resolved_key.h"
#include "cloud/aws/types/type_fit.h"
#include "cloud/aws/types/type_resolve.h"
#include "cloud/aws/types/volume_prices.h"
#include "model/reading/requirement_match.h"
#include "model/schema/pack.h"
#include "model/tables/kinds.h"

struct stamp { // what offerings depend on
    uint64_t prices, unavailable, reservations, shifted, overlays;
};
struct resolved_types {
    struct arena *arena;
    struct text key;
    struct ec2_node_class *node_class; // own copy; the terms and lists point into it
    struct placement_group group;      // own copy
    struct type_zone zones[TYPE_ZONES_MAX];
    struct type_terms terms;
    struct kubelet_config kubelet;
    const struct offering_lists *lists;
    struct offering_type *types; // as in the catalogue
    bool *price_missing;         // of each
    uint32_t count;
    const struct instance_type_catalog *catalogue;
    bool filled;
    struct stamp stamp;
    uint64_t used;
};

static void read_placement(struct resolved_types *resolved, const struct resolving *resolving);
static void read_node_class(struct resolved_types *resolved, const struct resolving *resolving);
static bool resolve_all(struct resolved_types *resolved, const struct resolving *resolving,
                        struct error *error);

static const struct placement_group *group_of(const struct resolving *resolving,
                                              const struct ec2_node_class *node_class)
{
    const struct placement_group *group;
    placement_groups_of(resolving->options->groups, node_class, &group);
    return group;
}

struct resolved_types *resolved_types_create(const struct resolving *resolving,
                                             const struct ec2_node_class *node_class,
                                             struct error *error)
{
    struct arena *arena = arena_create(1 << 14);
    struct resolved_types *resolved = arena_allocate(arena, sizeof *resolved);
    resolved->arena = arena;
    resolved->node_class = (struct ec2_node_class *)object_copy((const struct object *)node_class);
    type_terms_defaults(&resolved->terms);
    resolved_key(resolving, node_class, group_of(resolving, node_class), &resolved->key);
    read_placement(resolved, resolving);
    read_node_class(resolved, resolving);
    bool done =
        kubelet_config_read(&resolved->kubelet, arena, resolved->node_class->spec.kubelet, error) &&
        resolve_all(resolved, resolving, error);
    if (done)
        return resolved;
    resolved_types_destroy(resolved);
    return NULL;
}

void resolved_types_destroy(struct resolved_types *resolved)
{
    if (resolved == NULL)
        return;
    object_release((const struct object *)resolved->catalogue);
    object_release((const struct object *)resolved->node_class);
    kubelet_config_free(&resolved->kubelet);
    text_free(&resolved->key);
    arena_destroy(resolved->arena);
}

bool resolved_types_are_of(const struct resolved_types *resolved, const struct resolving *resolving,
                           const struct ec2_node_class *node_class)
{
    struct text key = {0};
    resolved_key(resolving, node_class, group_of(resolving, node_class), &key);
    bool same = text_equal(key.data, resolved->key.data);
    text_free(&key);
    return same;
}

// --- terms ---------------------------------------------------------------------------------------

// AWI-11: zones by the NodeClass's subnets. By COMPATIBILITY=upstream all subnets without zone id
// are one group, of which the first one's zone counts (AWI-910).
static void read_subnets(struct resolved_types *resolved, bool better)
{
    struct type_terms *terms = &resolved->terms;
    bool unnamed = false;
    list_for_each (subnet, &resolved->node_class->status.subnets) {
        bool has_id = !text_is_empty(subnet->zone_id);
        if (!has_id && unnamed && !better)
            continue;
        unnamed = unnamed || !has_id;
        for (uint32_t i = 0; i < terms->zones_count; i++) {
            if (!text_equal(terms->zones[i].name, subnet->zone))
                continue;
            terms->class_zones |= UINT64_C(1) << i;
            if (has_id && resolved->zones[i].id == NULL)
                resolved->zones[i].id = subnet->zone_id;
        }
    }
}

static void read_placement(struct resolved_types *resolved, const struct resolving *resolving)
{
    struct type_terms *terms = &resolved->terms;
    for (uint32_t i = 0; i < resolving->zones->count; i++)
        resolved->zones[i].name = arena_copy_string(resolved->arena, resolving->zones->names[i]);
    terms->zones = resolved->zones;
    terms->zones_count = resolving->zones->count;
    terms->region = resolving->region;
    terms->better = !resolving->options->settings->compatibility_upstream;
    read_subnets(resolved, terms->better);
    const struct placement_group *group = group_of(resolving, resolved->node_class);
    if (group == NULL)
        return;
    resolved->group = (struct placement_group){
        .id = arena_copy_string(resolved->arena, group->id),
        .name = arena_copy_string(resolved->arena, group->name),
        .strategy = arena_copy_string(resolved->arena, group->strategy),
        .spread_level = arena_copy_string(resolved->arena, group->spread_level),
        .partitions = group->partitions,
    };
    terms->group = &resolved->group;
}

static void read_node_class(struct resolved_types *resolved, const struct resolving *resolving)
{
    const struct ec2_node_class *node_class = resolved->node_class;
    const struct settings *settings = resolving->options->settings;
    struct type_terms *terms = &resolved->terms;
    const struct ami_family_facts *family = ami_family_facts(ami_family_of(node_class));
    terms->memory_overhead_fraction = settings->vm_memory_overhead_percent;
    terms->reserved_enis = settings->reserved_enis;
    terms->expressions = kubelet_expressions_enabled(settings);
    terms->windows = family->windows;
    terms->windows_build = family->windows_build;
    terms->eni_limited_pods = family->eni_limited_pods;
    terms->eni_limited_memory = family->eni_limited_memory_overhead;
    terms->honours_pods_per_core = family->pods_per_core;
    terms->kubelet = &resolved->kubelet;
    terms->ephemeral_bytes = ami_family_ephemeral_bytes(node_class, 0);
    terms->instance_store_raid = text_equal(node_class->spec.instance_store_policy, "RAID0");
    terms->interfaces_given = node_class->spec.network_interfaces.items != NULL;
    list_for_each (interface, &node_class->spec.network_interfaces) {
        bool efa_only = text_equal(interface->interface_type, "efa-only");
        terms->efa_only += efa_only;
        terms->efa_only_card_0 += efa_only && interface->network_card_index == 0;
    }
    terms->prefixes =
        node_class->spec.ip_prefix_count.present && node_class->spec.ip_prefix_count.value > 0;
    terms->volume_price = volume_prices_of(node_class, terms->region);
    terms->public_address = public_addresses_of(node_class) >= PUBLIC_ADDRESSES_SOME;
    terms->node_class = node_class;
}

// --- resolving -----------------------------------------------------------------------------------

// AWN-176.
static const struct ec2_ami *image_of(const struct ec2_node_class *node_class,
                                      const struct instance_type *type)
{
    list_for_each (ami, &node_class->status.amis) {
        bool compatible = true;
        list_for_each (requirement, &type->requirements)
            compatible = compatible && requirement_meets(requirement, &ami->requirements);
        if (compatible)
            return ami;
    }
    return NULL;
}

// AWI-23, 906.
static void apply_learned(const struct resolved_types *resolved, const struct resolving *resolving,
                          struct instance_type *type)
{
    if (!learned_memory_knows(resolving->learned, type->name))
        return;
    const struct ec2_ami *image = image_of(resolved->node_class, type);
    if (image == NULL || image->id == NULL)
        return;
    const char *family = ami_family_facts(ami_family_of(resolved->node_class))->name;
    int64_t bytes = learned_memory_get(resolving->learned, type->name, image->id, family,
                                       resolved->terms.better);
    for (uint32_t i = 0; bytes > 0 && i < type->capacity.count; i++)
        if (strcmp(type->capacity.items[i].name, "memory") == 0)
            type->capacity.items[i].value = bytes;
}

// False with the error: the list fails. AWI-901: a type alone is left out.
static bool resolve_one(struct resolved_types *resolved, const struct resolving *resolving,
                        const struct instance_info *info, struct instance_type_catalog *catalogue,
                        struct arena *arena, struct error *error)
{
    struct instance_type *type =
        &catalogue->spec.instance_types.items[catalogue->spec.instance_types.count];
    struct error own = {0};
    uint64_t zones = type_zones_mask(resolving->zones, info->name);
    if (!type_resolve(info, zones, &resolved->terms, arena, type, &own)) {
        error_prefix(&own, "resolving instance type %s", info->name);
        if (!resolved->terms.better) {
            if (error != NULL)
                *error = own;
            return false;
        }
        log_error("leaving out an instance type", "s:error", own.message);
        return true;
    }
    apply_learned(resolved, resolving, type);
    offerings_shape(resolved->lists, info, type);
    resolved->types[catalogue->spec.instance_types.count++] = (struct offering_type){
        .info = info,
        .zones = zones & resolved->terms.class_zones,
        .fits = ec2_type_fits_class(info, resolved->node_class, resolved->terms.group),
    };
    return true;
}

static bool resolve_all(struct resolved_types *resolved, const struct resolving *resolving,
                        struct error *error)
{
    CLEANUP_ARENA struct arena *arena = arena_create(1 << 20);
    struct instance_type_catalog catalogue = {.kind = kind_get(KIND_INSTANCE_TYPE_CATALOG)};
    uint32_t count = resolving->infos->count;
    catalogue.meta.name = "ec2";
    catalogue.spec.instance_types.items =
        arena_allocate_array(arena, count + 1, sizeof(struct instance_type));
    resolved->types = arena_allocate_array(resolved->arena, count + 1, sizeof *resolved->types);
    resolved->price_missing = arena_allocate_array(resolved->arena, count + 1, sizeof(bool));
    if (kubelet_has_expressions(&resolved->kubelet))
        resolved->terms.resolve_kubelet = kubelet_resolve;
    resolved->lists = offering_lists_create(&resolved->terms,
                                            resolving->options->settings->gate_reserved_capacity,
                                            false, resolved->arena);
    // The shapes of offerings are needed while packing only.
    struct offering_lists *shapes = offering_lists_create(
        &resolved->terms, resolving->options->settings->gate_reserved_capacity, false, arena);
    const struct offering_lists *kept = resolved->lists;
    resolved->lists = shapes;
    bool done = true;
    for (uint32_t i = 0; i < count && done; i++)
        done =
            resolve_one(resolved, resolving, resolving->infos->items[i], &catalogue, arena, error);
    resolved->lists = kept;
    if (!done)
        return false;
    resolved->count = catalogue.spec.instance_types.count;
    resolved->catalogue = catalogue_pack(&catalogue);
    return true;
}

// --- offerings -----------------------------------------------------------------------------------

static uint64_t overlays_hash(const struct resolved_types *resolved,
                              const struct resolving *resolving)
{
    const struct ec2_types_options *options = resolving->options;
    uint64_t hash = 0;
    for (uint32_t i = 0; options->overlay_price != NULL && i < resolved->count; i++)
        if (resolved->price_missing[i])
            hash = hash_mix(hash, (uint64_t)options->overlay_price(options->context,
                                                                   resolved->types[i].info->name));
    return hash;
}

static struct stamp stamp_of(const struct resolved_types *resolved,
                             const struct resolving *resolving)
{
    const struct ec2_types_options *options = resolving->options;
    return (struct stamp){
        .prices = ec2_prices_generation(options->prices),
        .unavailable = unavailable_generation(options->unavailable),
        .reservations = reservation_counts_generation(options->reservations),
        .shifted = shifted_zones(resolving, &resolved->terms),
        .overlays = overlays_hash(resolved, resolving),
    };
}

static bool offerings_equal(const struct instance_type_catalog *a,
                            const struct instance_type_catalog *b)
{
    for (uint32_t i = 0; i < a->spec.instance_types.count; i++) {
        const struct instance_type *left = &a->spec.instance_types.items[i];
        const struct instance_type *right = &b->spec.instance_types.items[i];
        for (uint32_t j = 0; j < left->offerings.count; j++)
            if (left->offerings.items[j].price != right->offerings.items[j].price ||
                left->offerings.items[j].available != right->offerings.items[j].available ||
                left->offerings.items[j].reservation_capacity.value !=
                    right->offerings.items[j].reservation_capacity.value)
                return false;
    }
    return true;
}

const struct instance_type_catalog *resolved_types_catalogue(struct resolved_types *resolved,
                                                             const struct resolving *resolving)
{
    struct stamp stamp = stamp_of(resolved, resolving);
    const struct object *present = (const struct object *)resolved->catalogue;
    if (resolved->filled && memcmp(&stamp, &resolved->stamp, sizeof stamp) == 0)
        return (const struct instance_type_catalog *)object_acquire(present);
    CLEANUP_ARENA struct arena *arena = arena_create(4096);
    struct instance_type_catalog *next = catalogue_clone(resolved->catalogue);
    struct offering_facts *facts = offering_facts_create(resolving, &resolved->terms, arena);
    for (uint32_t i = 0; i < resolved->count; i++)
        resolved->price_missing[i] = offering_facts_fill(
            facts, resolved->lists, &resolved->types[i], &next->spec.instance_types.items[i]);
    offering_facts_rank(facts);
    stamp.overlays = overlays_hash(resolved, resolving); // of those that miss a price now
    resolved->stamp = stamp;
    if (resolved->filled && offerings_equal(resolved->catalogue, next)) {
        object_release((const struct object *)next); // readers keep what they have compiled
    } else {
        object_release(present);
        resolved->catalogue = next;
        resolved->filled = true;
    }
    return (const struct instance_type_catalog *)object_acquire(
        (const struct object *)resolved->catalogue);
}

void resolved_types_use(struct resolved_types *resolved, uint64_t at)
{
    resolved->used = at;
}

uint64_t resolved_types_used(const struct resolved_types *resolved)
{
    return resolved->used;
}
