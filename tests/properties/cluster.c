// Nodes and the filters that look at one node alone.
#include "properties/cluster.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "model/reading/catalog.h"
#include "model/reading/pod.h"
#include "model/schema/condition_types.h"

// --- labels, taints ------------------------------------------------------------------------------

const char *site_label(const struct site *site, const char *key)
{
    for (uint32_t i = 0; i < site->labels_count; i++)
        if (strcmp(site->labels[i].key, key) == 0)
            return site->labels[i].value;
    return NULL;
}

// The first value stays.
static void set_label(struct site *site, const char *key, const char *value)
{
    if (site_label(site, key) == NULL && site->labels_count < LABELS_MAX)
        site->labels[site->labels_count++] = (struct string_pair){key, value};
}

static bool number_of(const char *text, int64_t *number)
{
    return text != NULL && text_parse_int64(text, number);
}

bool expression_holds(const struct selector_requirement *expression, const char *value)
{
    const char *operator= expression->operator;
    if (strcmp(operator, "In") == 0)
        return value != NULL && string_list_has(&expression->values, value);
    if (strcmp(operator, "NotIn") == 0)
        return value == NULL || !string_list_has(&expression->values, value);
    if (strcmp(operator, "Exists") == 0)
        return value != NULL;
    if (strcmp(operator, "DoesNotExist") == 0)
        return value == NULL;
    int64_t have, bound;
    if (expression->values.count == 0 || !number_of(value, &have) ||
        !number_of(expression->values.items[0], &bound))
        return false;
    return strcmp(operator, "Gt") == 0    ? have > bound
           : strcmp(operator, "Lt") == 0  ? have < bound
           : strcmp(operator, "Gte") == 0 ? have >= bound
                                          : have <= bound;
}

static bool term_holds(const struct node_selector_term *term, const struct site *site)
{
    if (term->match_expressions.count == 0)
        return false;
    list_for_each (expression, &term->match_expressions)
        if (!expression_holds(expression, site_label(site, expression->key)))
            return false;
    return true;
}

static bool spec_selects_site(const struct pod_spec *spec, const struct site *site)
{
    list_for_each (pair, &spec->node_selector) {
        const char *value = site_label(site, pair->key);
        if (value == NULL || strcmp(value, pair->value) != 0)
            return false;
    }
    if (spec->affinity == NULL || spec->affinity->node_affinity == NULL ||
        spec->affinity->node_affinity->required == NULL)
        return true;
    list_for_each (term, &spec->affinity->node_affinity->required->node_selector_terms)
        if (term_holds(term, site))
            return true;
    return false;
}

bool pod_selects_site(const struct pod *pod, const struct site *site)
{
    return spec_selects_site(&pod->spec, site);
}

static bool tolerates(const struct pod_spec *spec, const struct taint *taint)
{
    list_for_each (toleration, &spec->tolerations) {
        bool every_effect = toleration->effect == NULL || toleration->effect[0] == '\0',
             every_key = toleration->key == NULL || toleration->key[0] == '\0';
        if (!every_effect && strcmp(toleration->effect, taint->effect) != 0)
            continue;
        if (!every_key && strcmp(toleration->key, taint->key) != 0)
            continue;
        if (text_equal(toleration->operator, "Exists"))
            return true;
        const char *mine = toleration->value != NULL ? toleration->value : "",
                   *its = taint->value != NULL ? taint->value : "";
        if (!every_key && strcmp(mine, its) == 0)
            return true;
    }
    return false;
}

static bool spec_tolerates_site(const struct pod_spec *spec, const struct site *site)
{
    for (uint32_t i = 0; i < site->taints_count; i++)
        if (strcmp(site->taints[i]->effect, "PreferNoSchedule") != 0 &&
            !tolerates(spec, site->taints[i]))
            return false;
    return true;
}

bool pod_tolerates_site(const struct pod *pod, const struct site *site)
{
    return spec_tolerates_site(&pod->spec, site);
}

// --- making nodes --------------------------------------------------------------------------------

static struct site *new_site(struct cluster *cluster, const char *name)
{
    struct site *site = &cluster->sites[cluster->sites_count++];
    if (site->pods == NULL)
        site->pods =
            arena_allocate_array(cluster->arena, cluster->pods_capacity, sizeof *site->pods);
    *site = (struct site){.name = name, .pods = site->pods};
    return site;
}

static void set_taints(struct cluster *cluster, struct site *site, const taint_list *taints)
{
    site->taints = arena_allocate_array(cluster->arena, taints->count + 1, sizeof *site->taints);
    list_for_each (taint, taints)
        site->taints[site->taints_count++] = taint;
}

static struct resource_map less(struct cluster *cluster, const struct resource_map *from,
                                const struct resource_map *amounts)
{
    struct resource_map result = {.count = from->count};
    result.items = arena_allocate_array(cluster->arena, from->count + 1, sizeof *result.items);
    for (uint32_t i = 0; i < from->count; i++) {
        result.items[i] = from->items[i];
        result.items[i].value -= resource_map_get(amounts, from->items[i].name);
    }
    return result;
}

// Future DaemonSet pods of the node reserve their room first.
static void reserve_for_daemon_sets(struct cluster *cluster, struct site *site)
{
    const struct snapshot *snapshot = cluster->snapshot;
    uint32_t count = snapshot->objects[KIND_DAEMON_SET].count;
    site->daemon_sets = arena_allocate_array(cluster->arena, count + 1, sizeof *site->daemon_sets);
    for (uint32_t i = 0; i < count; i++) {
        const struct daemon_set *daemon_set =
            (const struct daemon_set *)snapshot->objects[KIND_DAEMON_SET].items[i];
        const struct pod_spec *spec = &daemon_set->spec.template.spec;
        if (!spec_selects_site(spec, site) || !spec_tolerates_site(spec, site))
            continue;
        struct resource_map requests = pod_spec_requests(cluster->arena, spec);
        site->allocatable = less(cluster, &site->allocatable, &requests);
        site->daemon_sets[site->daemon_sets_count++] = daemon_set;
    }
}

static void label_machine(struct site *site, const struct machine_choice *choice)
{
    set_label(site, LABEL_HOSTNAME, site->name);
    set_label(site, LABEL_NODE_POOL, choice->pool->meta.name);
    set_label(site, LABEL_INSTANCE_TYPE, choice->type->name);
    set_label(site, LABEL_REGISTERED, "true");
    set_label(site, LABEL_INITIALIZED, "true");
    const requirement_list *lists[] = {&choice->offering->requirements, &choice->type->requirements,
                                       &choice->pool->spec.template.spec.requirements};
    list_for_each (pair, &choice->pool->spec.template.metadata.labels)
        set_label(site, pair->key, pair->value);
    for (size_t i = 0; i < ARRAY_LENGTH(lists); i++) {
        if (i == 2 && choice->labels != NULL)
            list_for_each (pair, choice->labels)
                set_label(site, pair->key, pair->value);
        list_for_each (requirement, lists[i])
            if (requirement->values.count == 1 && strcmp(requirement->operator, "In") == 0)
                set_label(site, requirement->key, requirement->values.items[0]);
    }
}

uint32_t cluster_add(struct cluster *cluster, const struct machine_choice *choice)
{
    uint32_t index = cluster->sites_count;
    struct site *site = new_site(cluster, cluster->site_names[index]);
    site->choice = *choice;
    label_machine(site, choice);
    set_taints(cluster, site, &choice->pool->spec.template.spec.taints);
    site->allocatable = instance_type_allocatable(cluster->arena, choice->type, choice->offering);
    reserve_for_daemon_sets(cluster, site);
    return index;
}

uint32_t cluster_add_launchable(struct cluster *cluster, uint32_t index)
{
    struct site *prepared = &cluster->launchable_sites[index];
    if (prepared->name == NULL) {
        uint32_t added = cluster_add(cluster, &cluster->launchable[index]);
        *prepared = cluster->sites[added];
        cluster_remove_last(cluster);
    }
    uint32_t at = cluster->sites_count++;
    struct site *site = &cluster->sites[at];
    const struct pod **pods = site->pods;
    if (pods == NULL)
        pods = arena_allocate_array(cluster->arena, cluster->pods_capacity, sizeof *pods);
    *site = *prepared;
    site->pods = pods;
    site->name = cluster->site_names[at];
    site->labels[0].value = site->name; // the hostname: label_machine() sets it first
    return at;
}

void cluster_remove_last(struct cluster *cluster)
{
    cluster->sites_count--;
}

uint32_t cluster_find(const struct cluster *cluster, const char *name)
{
    for (uint32_t i = 0; i < cluster->sites_count; i++)
        if (strcmp(cluster->sites[i].name, name) == 0)
            return i;
    return UINT32_MAX;
}

// --- the snapshot's nodes ------------------------------------------------------------------------

static bool label_is_true(const struct object *object, const char *key)
{
    return text_equal(object_label(object, key), "true");
}

static const struct node_claim *claim_of_node(const struct snapshot *snapshot,
                                              const struct node *node)
{
    for (uint32_t i = 0; i < snapshot->objects[KIND_NODE_CLAIM].count; i++) {
        const struct node_claim *claim =
            (const struct node_claim *)snapshot->objects[KIND_NODE_CLAIM].items[i];
        if (claim->status.provider_id != NULL &&
            text_equal(claim->status.provider_id, node->spec.provider_id))
            return claim;
    }
    return NULL;
}

// Before a node is initialized its startup taints, and those that a kubelet removes by itself, will
// be gone by the time that pods arrive.
static bool taint_will_go(const struct node_claim *claim, const struct taint *taint)
{
    list_for_each (startup, &claim->spec.startup_taints)
        if (strcmp(startup->key, taint->key) == 0 && strcmp(startup->effect, taint->effect) == 0)
            return true;
    return strcmp(taint->key, "node.kubernetes.io/not-ready") == 0;
}

static void add_node(struct cluster *cluster, const struct node *node)
{
    static const struct taint cordon = {.key = "node.kubernetes.io/unschedulable",
                                        .effect = "NoSchedule"};
    const struct node_claim *claim = claim_of_node(cluster->snapshot, node);
    bool initialized =
        claim == NULL || label_is_true((const struct object *)node, LABEL_INITIALIZED);
    struct site *site = new_site(cluster, node->meta.name);
    list_for_each (pair, &node->meta.labels)
        set_label(site, pair->key, pair->value);
    site->taints =
        arena_allocate_array(cluster->arena, node->spec.taints.count + 1, sizeof *site->taints);
    list_for_each (taint, &node->spec.taints)
        if (initialized || !taint_will_go(claim, taint))
            site->taints[site->taints_count++] = taint;
    if (node->spec.unschedulable)
        site->taints[site->taints_count++] = &cordon;
    site->allocatable = node->status.allocatable;
    for (uint32_t i = 0; i < cluster->snapshot->objects[KIND_CSI_NODE].count; i++) {
        const struct object *object = cluster->snapshot->objects[KIND_CSI_NODE].items[i];
        if (strcmp(object->meta.name, node->meta.name) == 0)
            site->csi_node = (const struct csi_node *)object;
    }
    reserve_for_daemon_sets(cluster, site);
}

static bool has_node(const struct snapshot *snapshot, const struct node_claim *claim)
{
    for (uint32_t i = 0; i < snapshot->objects[KIND_NODE].count; i++)
        if (claim_of_node(snapshot, (const struct node *)snapshot->objects[KIND_NODE].items[i]) ==
            claim)
            return true;
    return false;
}

static void add_node_claim(struct cluster *cluster, const struct node_claim *claim)
{
    if (claim->status.provider_id == NULL || has_node(cluster->snapshot, claim))
        return;
    struct site *site = new_site(cluster, claim->meta.name);
    list_for_each (pair, &claim->meta.labels)
        set_label(site, pair->key, pair->value);
    set_label(site, LABEL_HOSTNAME, claim->meta.name);
    set_taints(cluster, site, &claim->spec.taints);
    site->allocatable = claim->status.allocatable;
    reserve_for_daemon_sets(cluster, site);
}

static void bind_running_pods(struct cluster *cluster)
{
    for (uint32_t i = 0; i < cluster->snapshot->objects[KIND_POD].count; i++) {
        const struct pod *pod = (const struct pod *)cluster->snapshot->objects[KIND_POD].items[i];
        if (pod->spec.node_name == NULL)
            continue;
        uint32_t site = cluster_find(cluster, pod->spec.node_name);
        if (site != UINT32_MAX)
            cluster_bind(cluster, pod, site);
    }
}

// --- possible launches ---------------------------------------------------------------------------

const struct instance_type_catalog *catalog_of(const struct snapshot *snapshot,
                                               const struct node_pool *pool)
{
    const struct instance_type_catalog *shared = NULL;
    for (uint32_t i = 0; i < snapshot->objects[KIND_INSTANCE_TYPE_CATALOG].count; i++) {
        const struct instance_type_catalog *catalog =
            (const struct instance_type_catalog *)snapshot->objects[KIND_INSTANCE_TYPE_CATALOG]
                .items[i];
        if (catalog->spec.node_pools.items == NULL)
            shared = catalog;
        else if (string_list_has(&catalog->spec.node_pools, pool->meta.name))
            return catalog;
    }
    return shared;
}

bool choice_satisfies(const struct machine_choice *choice, const requirement_list *requirements)
{
    struct site site = {.name = "?"};
    label_machine(&site, choice);
    list_for_each (requirement, requirements)
        if (!expression_holds(requirement, site_label(&site, requirement->key)))
            return false;
    return true;
}

bool choice_is_launchable(const struct machine_choice *choice)
{
    const struct condition *ready =
        condition_find(&choice->pool->status.conditions, CONDITION_READY);
    if (!choice->offering->available || (ready != NULL && strcmp(ready->status, "True") != 0))
        return false;
    return choice_satisfies(choice, &choice->pool->spec.template.spec.requirements);
}

// One choice for each value of a label that only the pool's requirements name.
static void add_launchable(struct cluster *cluster, struct machine_choice choice)
{
    const struct selector_requirement *open = NULL;
    struct site site = {.name = "?"};
    label_machine(&site, &choice);
    list_for_each (requirement, &choice.pool->spec.template.spec.requirements)
        if (strcmp(requirement->operator, "In") == 0 && site_label(&site, requirement->key) == NULL)
            open = requirement;
    for (uint32_t i = 0; i < (open != NULL ? open->values.count : 1); i++) {
        if (open != NULL) {
            struct string_map *labels = arena_allocate(cluster->arena, sizeof *labels);
            labels->items = arena_allocate(cluster->arena, sizeof *labels->items);
            labels->items[0] = (struct string_pair){open->key, open->values.items[i]};
            labels->count = 1;
            choice.labels = labels;
        }
        if (choice_is_launchable(&choice))
            cluster->launchable[cluster->launchable_count++] = choice;
    }
}

static void find_launchable(struct cluster *cluster)
{
    const struct snapshot *snapshot = cluster->snapshot;
    cluster->launchable = arena_allocate_array(cluster->arena, 4096, sizeof *cluster->launchable);
    for (uint32_t i = 0; i < snapshot->objects[KIND_NODE_POOL].count; i++) {
        const struct node_pool *pool =
            (const struct node_pool *)snapshot->objects[KIND_NODE_POOL].items[i];
        const struct instance_type_catalog *catalog = catalog_of(snapshot, pool);
        if (catalog == NULL || pool->spec.replicas.present)
            continue;
        list_for_each (type, &catalog->spec.instance_types)
            list_for_each (offering, &type->offerings)
                if (cluster->launchable_count + 8 < 4096)
                    add_launchable(cluster, (struct machine_choice){pool, type, offering, NULL});
    }
}

struct cluster *cluster_create(const struct snapshot *snapshot, bool counts_launchable_domains)
{
    struct arena *arena = arena_create(1u << 16);
    struct cluster *cluster = arena_allocate(arena, sizeof *cluster);
    uint32_t pods = snapshot->objects[KIND_POD].count;
    *cluster = (struct cluster){
        .snapshot = snapshot,
        .arena = arena,
        .sites_capacity = snapshot->objects[KIND_NODE].count +
                          snapshot->objects[KIND_NODE_CLAIM].count + pods + 2,
        .pods_capacity = pods + 1,
        .counts_launchable_domains = counts_launchable_domains,
    };
    cluster->sites = arena_allocate_array(arena, cluster->sites_capacity, sizeof *cluster->sites);
    for (uint32_t i = 0; i < snapshot->objects[KIND_NODE].count; i++)
        add_node(cluster, (const struct node *)snapshot->objects[KIND_NODE].items[i]);
    for (uint32_t i = 0; i < snapshot->objects[KIND_NODE_CLAIM].count; i++)
        add_node_claim(cluster,
                       (const struct node_claim *)snapshot->objects[KIND_NODE_CLAIM].items[i]);
    cluster->site_names =
        arena_allocate_array(arena, cluster->sites_capacity, sizeof *cluster->site_names);
    for (uint32_t i = 0; i < cluster->sites_capacity; i++)
        cluster->site_names[i] = arena_format(arena, "planned-%u", (unsigned)i);
    bind_running_pods(cluster);
    find_launchable(cluster);
    cluster->launchable_sites = arena_allocate_array(arena, cluster->launchable_count + 1,
                                                     sizeof *cluster->launchable_sites);
    return cluster;
}

void cluster_destroy(struct cluster *cluster)
{
    if (cluster != NULL)
        arena_destroy(cluster->arena);
}

// --- room, ports ---------------------------------------------------------------------------------

static bool has_room(const struct pod *pod, const struct site *site)
{
    CLEANUP_ARENA struct arena *scratch = arena_create(4096);
    struct resource_map wanted = pod_requests(scratch, pod);
    list_for_each (want, &wanted) {
        if (want->value == 0)
            continue;
        int64_t used = want->value;
        for (uint32_t i = 0; i < site->pods_count; i++) {
            struct resource_map requests = pod_requests(scratch, site->pods[i]);
            used += resource_map_get(&requests, want->name);
        }
        if (used > resource_map_get(&site->allocatable, want->name))
            return false;
    }
    return true;
}

static bool is_wildcard(const char *ip)
{
    return ip == NULL || ip[0] == '\0' || strcmp(ip, "0.0.0.0") == 0 || strcmp(ip, "::") == 0;
}

static bool ports_clash(const struct pod_spec *one, const struct pod_spec *other)
{
    list_for_each (a, &one->containers)
        list_for_each (port, &a->ports)
            list_for_each (b, &other->containers)
                list_for_each (taken, &b->ports)
                    if (port->host_port != 0 && port->host_port == taken->host_port &&
                        strcmp(port->protocol != NULL ? port->protocol : "TCP",
                               taken->protocol != NULL ? taken->protocol : "TCP") == 0 &&
                        (is_wildcard(port->host_ip) || is_wildcard(taken->host_ip) ||
                         strcmp(port->host_ip, taken->host_ip) == 0))
                        return true;
    return false;
}

static bool ports_are_free(const struct pod *pod, const struct site *site)
{
    for (uint32_t i = 0; i < site->pods_count; i++)
        if (ports_clash(&pod->spec, &site->pods[i]->spec))
            return false;
    for (uint32_t i = 0; i < site->daemon_sets_count; i++)
        if (ports_clash(&pod->spec, &site->daemon_sets[i]->spec.template.spec))
            return false;
    return true;
}

// --- volumes -------------------------------------------------------------------------------------

static const struct object *find_object(const struct snapshot *snapshot, enum kind_id kind,
                                        const char *namespace, const char *name)
{
    for (uint32_t i = 0; i < snapshot->objects[kind].count; i++) {
        const struct object *object = snapshot->objects[kind].items[i];
        if (strcmp(object->meta.name, name) == 0 &&
            (namespace == NULL || text_equal(object->meta.namespace, namespace)))
            return object;
    }
    return NULL;
}

static const struct persistent_volume_claim *volume_claim_of(const struct cluster *cluster,
                                                             const struct pod *pod,
                                                             const struct volume *volume)
{
    char ephemeral[600];
    snprintf(ephemeral, sizeof ephemeral, "%s-%s", pod->meta.name, volume->name);
    return (const struct persistent_volume_claim *)find_object(
        cluster->snapshot, KIND_PERSISTENT_VOLUME_CLAIM, pod->meta.namespace,
        volume->persistent_volume_claim != NULL ? volume->persistent_volume_claim->claim_name
                                                : ephemeral);
}

static bool class_allows(const struct storage_class *class, const struct site *site)
{
    if (class->allowed_topologies.count == 0)
        return true;
    list_for_each (term, &class->allowed_topologies) {
        bool holds = true;
        list_for_each (label, &term->match_label_expressions) {
            const char *value = site_label(site, label->key);
            holds = holds && value != NULL && string_list_has(&label->values, value);
        }
        if (holds)
            return true;
    }
    return false;
}

static bool volume_is_reachable(const struct cluster *cluster,
                                const struct persistent_volume_claim *claim,
                                const struct site *site)
{
    if (claim == NULL)
        return false;
    if (claim->spec.volume_name == NULL || claim->spec.volume_name[0] == '\0') {
        const char *name = claim->spec.storage_class_name;
        const struct object *class =
            name != NULL ? find_object(cluster->snapshot, KIND_STORAGE_CLASS, NULL, name) : NULL;
        return class != NULL && class_allows((const struct storage_class *)class, site);
    }
    const struct persistent_volume *volume = (const struct persistent_volume *)find_object(
        cluster->snapshot, KIND_PERSISTENT_VOLUME, NULL, claim->spec.volume_name);
    if (volume == NULL)
        return false;
    if (volume->spec.node_affinity == NULL || volume->spec.node_affinity->required == NULL)
        return true;
    list_for_each (term, &volume->spec.node_affinity->required->node_selector_terms)
        if (term_holds(term, site))
            return true;
    return false;
}

// The generated volumes all have one driver, so distinct claims are counted.
static bool can_attach(const struct cluster *cluster, const struct pod *pod,
                       const struct site *site)
{
    if (site->csi_node == NULL || pod->spec.volumes.count == 0)
        return true;
    const struct persistent_volume_claim *claims[256];
    uint32_t count = 0;
    for (uint32_t i = 0; i <= site->pods_count; i++) {
        const struct pod *other = i < site->pods_count ? site->pods[i] : pod;
        list_for_each (volume, &other->spec.volumes) {
            const struct persistent_volume_claim *claim = volume_claim_of(cluster, other, volume);
            uint32_t at = 0;
            while (at < count && claims[at] != claim)
                at++;
            if (at == count && count < ARRAY_LENGTH(claims))
                claims[count++] = claim;
        }
    }
    list_for_each (driver, &site->csi_node->spec.drivers)
        if (driver->allocatable != NULL && driver->allocatable->count.present &&
            (int64_t)count > driver->allocatable->count.value)
            return false;
    return true;
}

static bool volumes_fit(const struct cluster *cluster, const struct pod *pod,
                        const struct site *site)
{
    list_for_each (volume, &pod->spec.volumes)
        if ((volume->persistent_volume_claim != NULL || volume->ephemeral != NULL) &&
            !volume_is_reachable(cluster, volume_claim_of(cluster, pod, volume), site))
            return false;
    return can_attach(cluster, pod, site);
}

// --- the answer ----------------------------------------------------------------------------------

const char *cluster_refusal_alone(const struct cluster *cluster, const struct pod *pod,
                                  uint32_t index)
{
    const struct site *site = &cluster->sites[index];
    return !pod_tolerates_site(pod, site)     ? "taints"
           : !pod_selects_site(pod, site)     ? "node selector or affinity"
           : !has_room(pod, site)             ? "resources"
           : !ports_are_free(pod, site)       ? "host ports"
           : !volumes_fit(cluster, pod, site) ? "volumes"
                                              : NULL;
}

const char *cluster_refusal(const struct cluster *cluster, const struct pod *pod, uint32_t index)
{
    const char *refusal = cluster_refusal_alone(cluster, pod, index);
    if (refusal == NULL)
        refusal = affinity_refusal(cluster, pod, &cluster->sites[index]);
    return refusal != NULL ? refusal : spread_refusal(cluster, pod, &cluster->sites[index]);
}

void cluster_bind(struct cluster *cluster, const struct pod *pod, uint32_t site)
{
    cluster->sites[site].pods[cluster->sites[site].pods_count++] = pod;
}

void cluster_unbind_last(struct cluster *cluster, uint32_t site)
{
    cluster->sites[site].pods_count--;
}
