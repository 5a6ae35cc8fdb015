#include "cloud/aws/nodeclass/subnet_addresses.h"

#include <assert.h>
#include <string.h>

#include "base/map.h"
#include "base/nanoseconds.h"
#include "base/text.h"
#include "model/reading/requirement_match.h"

#define CHOICES_PER_ZONE 3      // AWI-935
#define SUBNETS_MAX      100000 // known at once; expired ones are dropped first

struct subnet_entry {
    int64_t cached, fetched_at; // fetched_at 0: never
    bool in_flight;
    struct optional_bool public;
    int64_t figure; // the free addresses less the launches under way (AWN-105)
};
struct subnet_addresses {
    struct loop *loop;
    int64_t lifetime_ns;
    uint32_t choices; // of a zone, at most
    struct map *entries;
};

struct subnet_addresses *subnet_addresses_create(struct loop *loop, int64_t refresh_interval_ns)
{
    assert(loop != NULL);
    struct subnet_addresses *addresses = memory_allocate(sizeof *addresses);
    addresses->loop = loop;
    int64_t longer = ns_add(refresh_interval_ns, 4 * MINUTE);
    addresses->lifetime_ns = longer > 5 * MINUTE ? longer : 5 * MINUTE;
    addresses->entries = map_create();
    addresses->choices = CHOICES_PER_ZONE;
    return addresses;
}

void subnet_addresses_choose_one(struct subnet_addresses *addresses)
{
    addresses->choices = 1;
}

void subnet_addresses_destroy(struct subnet_addresses *addresses)
{
    if (addresses == NULL)
        return;
    map_destroy(addresses->entries, free);
    free(addresses);
}

static bool is_fresh(const struct subnet_addresses *addresses, const struct subnet_entry *entry)
{
    return ns_subtract(loop_monotonic_ns(addresses->loop), entry->fetched_at) <
           addresses->lifetime_ns;
}

static void drop_expired(struct subnet_addresses *addresses)
{
    for (struct map_entry *entry = map_first(addresses->entries), *next; entry != NULL;
         entry = next) {
        next = map_next(entry);
        if (!is_fresh(addresses, map_value(entry)))
            free(map_remove(addresses->entries, map_key(entry)));
    }
}

void subnet_addresses_fetched(struct subnet_addresses *addresses, const char *id,
                              int64_t free_count)
{
    assert(id != NULL);
    if (map_count(addresses->entries) >= SUBNETS_MAX)
        drop_expired(addresses);
    struct subnet_entry *entry = map_ensure(addresses->entries, id, sizeof *entry);
    *entry = (struct subnet_entry){.cached = free_count < 0 ? 0 : free_count,
                                   .public = entry->public,
                                   .fetched_at = loop_monotonic_ns(addresses->loop)};
}

void subnet_addresses_exhausted(struct subnet_addresses *addresses, const char *id)
{
    subnet_addresses_fetched(addresses, id, 0);
}

static struct subnet_entry *find(const struct subnet_addresses *addresses, const char *id)
{
    struct subnet_entry *entry = map_get(addresses->entries, id);
    return entry != NULL && is_fresh(addresses, entry) ? entry : NULL;
}

static int64_t cached_count(const struct subnet_addresses *addresses, const char *id)
{
    const struct subnet_entry *entry = find(addresses, id);
    return entry != NULL ? entry->cached : 0;
}

void subnet_addresses_note_public(struct subnet_addresses *addresses, const char *id, bool public)
{
    struct subnet_entry *entry = find(addresses, id);
    if (entry != NULL)
        entry->public = (struct optional_bool){true, public};
}

struct optional_bool subnet_addresses_public(const struct subnet_addresses *addresses,
                                             const char *id)
{
    const struct subnet_entry *entry = map_get(addresses->entries, id);
    return entry != NULL ? entry->public : (struct optional_bool){0};
}

int64_t subnet_addresses_free(const struct subnet_addresses *addresses, const char *id)
{
    const struct subnet_entry *entry = find(addresses, id);
    if (entry == NULL)
        return 0;
    return entry->in_flight ? entry->figure : entry->cached;
}

static bool offers(const requirement_list *requirements, const char *key, const char *value)
{
    list_for_each (requirement, requirements)
        if (strcmp(requirement->key, key) == 0)
            return requirement_allows(requirement, value);
    return true;
}

// P of AWN-105: the addresses that a launch in the zone takes at least.
static int64_t least_pods(const struct instance_type *const *types, uint32_t count,
                          const char *capacity_type, const char *zone)
{
    int64_t least = 0;
    bool any = false;
    for (uint32_t i = 0; i < count; i++) {
        int64_t pods = resource_map_get(&types[i]->capacity, "pods");
        if (any && pods >= least)
            continue;
        list_for_each (offering, &types[i]->offerings)
            if (offering->available &&
                offers(&offering->requirements, LABEL_CAPACITY_TYPE, capacity_type) &&
                offers(&offering->requirements, LABEL_ZONE, zone)) {
                least = pods;
                any = true;
                break;
            }
    }
    return least;
}

static bool is_chosen(const struct subnet_choice *choices, uint32_t count,
                      const struct ec2_subnet *subnet)
{
    for (uint32_t i = 0; i < count; i++)
        if (choices[i].subnet == subnet)
            return true;
    return false;
}

// The subnet of the zone with the most free addresses that is not chosen yet; the first wins ties.
static const struct ec2_subnet *best_of_zone(const struct subnet_addresses *addresses,
                                             const struct ec2_node_class *node_class,
                                             const char *zone, const struct subnet_choice *choices,
                                             uint32_t count)
{
    const struct ec2_subnet *best = NULL;
    int64_t most = 0;
    list_for_each (subnet, &node_class->status.subnets) {
        if (!text_equal(subnet->zone, zone) || is_chosen(choices, count, subnet))
            continue;
        int64_t found = subnet_addresses_free(addresses, subnet->id);
        if (best == NULL || found > most) {
            best = subnet;
            most = found;
        }
    }
    return best;
}

static void reserve(struct subnet_addresses *addresses, const struct subnet_choice *choice)
{
    struct subnet_entry *entry = find(addresses, choice->subnet->id);
    if (entry == NULL)
        return; // an unknown count cannot be kept up to date
    entry->figure = (entry->in_flight ? entry->figure : entry->cached) - choice->reserved;
    entry->in_flight = true;
}

// The best subnet; its neighbours as well if it may lack room for one machine (AWI-935).
static uint32_t choose_zone(struct subnet_addresses *addresses,
                            const struct ec2_node_class *node_class, const char *zone, int64_t pods,
                            struct subnet_choice *out, uint32_t count)
{
    for (uint32_t i = 0; i < addresses->choices; i++) {
        const struct ec2_subnet *subnet = best_of_zone(addresses, node_class, zone, out, count);
        if (subnet == NULL)
            break;
        int64_t found = subnet_addresses_free(addresses, subnet->id);
        if (i > 0 && found <= 0)
            break;
        out[count] = (struct subnet_choice){subnet, pods, cached_count(addresses, subnet->id)};
        reserve(addresses, &out[count++]);
        if (found >= pods)
            break;
    }
    return count;
}

uint32_t subnet_addresses_choose(struct subnet_addresses *addresses,
                                 const struct ec2_node_class *node_class,
                                 const struct instance_type *const *types, uint32_t types_count,
                                 const char *capacity_type, struct subnet_choice *out)
{
    assert(node_class != NULL);
    assert(out != NULL);
    uint32_t count = 0;
    list_for_each (subnet, &node_class->status.subnets) {
        bool seen = false;
        for (uint32_t i = 0; i < count; i++)
            seen = seen || text_equal(out[i].subnet->zone, subnet->zone);
        if (!seen)
            count = choose_zone(addresses, node_class, subnet->zone,
                                least_pods(types, types_count, capacity_type, subnet->zone), out,
                                count);
    }
    assert(count <= node_class->status.subnets.count);
    return count;
}

void subnet_addresses_settle(struct subnet_addresses *addresses,
                             const struct subnet_choice *choices, uint32_t count,
                             const char *const *used_ids, uint32_t used_count)
{
    for (uint32_t i = 0; i < count; i++) {
        const char *id = choices[i].subnet->id;
        bool used = false;
        for (uint32_t u = 0; u < used_count; u++)
            used = used || text_equal(used_ids[u], id);
        struct subnet_entry *entry = find(addresses, id);
        if (!used && entry != NULL && entry->in_flight && entry->cached == choices[i].cached)
            entry->figure += choices[i].reserved;
    }
}
