#include "properties/search.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "model/reading/catalog.h"
#include "model/schema/encode.h"

#define STEPS_MAX 60000
#define PODS_MAX  16

struct search {
    struct cluster *cluster;
    const struct pod *const *pods;
    uint32_t count;
    char *looks[PODS_MAX]; // equal pods have equal text
    bool placed[PODS_MAX];
    uint32_t site_of[PODS_MAX];
    bool any_order; // some pod's place depends on earlier ones
    uint32_t steps;
};

int64_t pool_use(const struct cluster *cluster, const struct node_pool *pool, const char *resource)
{
    bool counts_nodes = strcmp(resource, "nodes") == 0;
    int64_t use = 0;
    for (uint32_t i = 0; i < cluster->sites_count; i++) {
        const struct site *site = &cluster->sites[i];
        const struct snapshot *snapshot = cluster->snapshot;
        if (!text_equal(site_label(site, LABEL_NODE_POOL), pool->meta.name))
            continue;
        if (counts_nodes) {
            use++;
        } else if (site->choice.type != NULL) {
            use += resource_map_get(&site->choice.type->capacity, resource);
        } else {
            const struct resource_map *capacity = NULL;
            for (uint32_t n = 0; n < snapshot->objects[KIND_NODE].count; n++) {
                const struct node *node =
                    (const struct node *)snapshot->objects[KIND_NODE].items[n];
                if (strcmp(node->meta.name, site->name) == 0)
                    capacity = &node->status.capacity;
            }
            for (uint32_t n = 0; n < snapshot->objects[KIND_NODE_CLAIM].count; n++) {
                const struct node_claim *claim =
                    (const struct node_claim *)snapshot->objects[KIND_NODE_CLAIM].items[n];
                if (strcmp(claim->meta.name, site->name) == 0)
                    capacity = &claim->status.capacity;
            }
            use += capacity != NULL ? resource_map_get(capacity, resource) : 0;
        }
    }
    return use;
}

static bool limits_hold(const struct cluster *cluster, const struct node_pool *pool)
{
    list_for_each (limit, &pool->spec.limits)
        if (pool_use(cluster, pool, limit->name) > limit->value)
            return false;
    return true;
}

// --- minValues -----------------------------------------------------------------------------------

// Whether the pods of the node would fit this type in the same zone and capacity type too, within
// the limits.
static bool type_would_do(struct cluster *cluster, struct site *site,
                          const struct instance_type *type)
{
    const struct instance_type *chosen = site->choice.type;
    site->choice.type = type;
    bool within = limits_hold(cluster, site->choice.pool);
    site->choice.type = chosen;
    if (!within)
        return false;
    const char *zone = site_label(site, LABEL_ZONE),
               *capacity_type = site_label(site, LABEL_CAPACITY_TYPE);
    list_for_each (offering, &type->offerings) {
        if (!text_equal(requirement_single_value(&offering->requirements, LABEL_ZONE), zone) ||
            !text_equal(requirement_single_value(&offering->requirements, LABEL_CAPACITY_TYPE),
                        capacity_type))
            continue;
        struct machine_choice choice = site->choice;
        choice.type = type;
        choice.offering = offering;
        if (!choice_is_launchable(&choice))
            continue;
        uint32_t added = cluster_add(cluster, &choice);
        bool fits = true;
        for (uint32_t i = 0; i < site->pods_count && fits; i++) {
            fits = cluster_refusal_alone(cluster, site->pods[i], added) == NULL;
            cluster_bind(cluster, site->pods[i], added);
        }
        cluster_remove_last(cluster);
        if (fits)
            return true;
    }
    return false;
}

static bool min_values_hold(struct cluster *cluster, uint32_t index)
{
    struct site *site = &cluster->sites[index];
    const struct instance_type_catalog *catalog = catalog_of(cluster->snapshot, site->choice.pool);
    list_for_each (requirement, &site->choice.pool->spec.template.spec.requirements) {
        if (!requirement->min_values.present)
            continue;
        const char *values[64];
        uint32_t count = 0;
        list_for_each (type, &catalog->spec.instance_types) {
            const char *value =
                strcmp(requirement->key, LABEL_INSTANCE_TYPE) == 0
                    ? type->name
                    : requirement_single_value(&type->requirements, requirement->key);
            uint32_t at = 0;
            while (at < count && value != NULL && strcmp(values[at], value) != 0)
                at++;
            if (value != NULL && at == count && count < ARRAY_LENGTH(values) &&
                type_would_do(cluster, site, type))
                values[count++] = value;
        }
        if (count < requirement->min_values.value)
            return false;
    }
    return true;
}

static bool all_min_values_hold(struct cluster *cluster)
{
    if (cluster->snapshot->settings.min_values_best_effort)
        return true;
    uint32_t count = cluster->sites_count;
    for (uint32_t i = 0; i < count; i++)
        if (cluster->sites[i].choice.pool != NULL && !min_values_hold(cluster, i))
            return false;
    return true;
}

// --- the search ----------------------------------------------------------------------------------

static bool step(struct search *search);

static bool try_site(struct search *search, uint32_t pod, uint32_t site)
{
    search->steps++;
    if (cluster_refusal(search->cluster, search->pods[pod], site) != NULL)
        return false;
    cluster_bind(search->cluster, search->pods[pod], site);
    search->placed[pod] = true;
    search->site_of[pod] = site;
    bool done = step(search);
    if (!done) {
        search->placed[pod] = false;
        cluster_unbind_last(search->cluster, site);
    }
    return done;
}

static bool try_pod(struct search *search, uint32_t pod)
{
    struct cluster *cluster = search->cluster;
    for (uint32_t site = 0, count = cluster->sites_count; site < count; site++)
        if (try_site(search, pod, site))
            return true;
    for (uint32_t i = 0; i < cluster->launchable_count && search->steps < STEPS_MAX; i++) {
        uint32_t site = cluster_add_launchable(cluster, i);
        if (limits_hold(cluster, cluster->launchable[i].pool) && try_site(search, pod, site))
            return true;
        cluster_remove_last(cluster);
    }
    return false;
}

// Whether an equal pod is still unplaced and comes before this one.
static bool has_earlier_twin(const struct search *search, uint32_t pod)
{
    for (uint32_t i = 0; i < pod; i++)
        if (!search->placed[i] && strcmp(search->looks[i], search->looks[pod]) == 0)
            return true;
    return false;
}

static bool step(struct search *search)
{
    bool complete = true;
    for (uint32_t pod = 0; pod < search->count; pod++) {
        if (search->placed[pod] || has_earlier_twin(search, pod))
            continue;
        complete = false;
        if (search->steps >= STEPS_MAX)
            return false;
        if (try_pod(search, pod))
            return true;
        if (!search->any_order)
            return false;
    }
    return complete && all_min_values_hold(search->cluster);
}

static char *look_of(const struct pod *pod)
{
    json_t *object = object_encode((const struct object *)pod);
    json_t *pair = json_pack("[O, O?]", json_object_get(object, "spec"),
                             json_object_get(json_object_get(object, "metadata"), "labels"));
    char *text = json_dumps(pair, JSON_SORT_KEYS);
    json_decref(pair);
    json_decref(object);
    return text;
}

static void describe(const struct search *search, struct text *found)
{
    for (uint32_t i = 0; i < search->count; i++) {
        const struct site *site = &search->cluster->sites[search->site_of[i]];
        text_format(found, "  %s on %s", search->pods[i]->meta.name, site->name);
        if (site->choice.type != NULL) {
            const char *zone = site_label(site, LABEL_ZONE),
                       *capacity_type = site_label(site, LABEL_CAPACITY_TYPE);
            text_format(found, " (%s %s %s %s)", site->choice.pool->meta.name,
                        site->choice.type->name, zone != NULL ? zone : "-",
                        capacity_type != NULL ? capacity_type : "-");
        }
        text_add(found, "\n");
    }
}

enum search_result search_placement(struct cluster *cluster, const struct pod *const *pods,
                                    uint32_t count, struct text *found)
{
    if (count > PODS_MAX)
        return SEARCH_GAVE_UP;
    struct search search = {.cluster = cluster, .pods = pods, .count = count};
    for (uint32_t i = 0; i < count; i++) {
        const struct affinity *affinity = pods[i]->spec.affinity;
        search.looks[i] = look_of(pods[i]);
        search.any_order = search.any_order ||
                           pods[i]->spec.topology_spread_constraints.count > 0 ||
                           (affinity != NULL && affinity->pod_affinity != NULL);
    }
    bool done = step(&search);
    if (done)
        describe(&search, found);
    for (uint32_t i = 0; i < count; i++)
        free(search.looks[i]);
    return done ? SEARCH_FOUND : search.steps >= STEPS_MAX ? SEARCH_GAVE_UP : SEARCH_NONE;
}
