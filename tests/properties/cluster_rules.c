// PodTopologySpread and InterPodAffinity.
#include "properties/cluster.h"

#include <string.h>

#include "base/text.h"
#include "model/reading/catalog.h"
#include "model/reading/selector.h"

// --- spread --------------------------------------------------------------------------------------

struct domain {
    const char *value;
    int64_t pods;
};
struct domains {
    struct domain items[512];
    uint32_t count;
};

static struct domain *domain_get(struct domains *domains, const char *value)
{
    for (uint32_t i = 0; i < domains->count; i++)
        if (strcmp(domains->items[i].value, value) == 0)
            return &domains->items[i];
    if (domains->count == ARRAY_LENGTH(domains->items))
        return &domains->items[0];
    domains->items[domains->count] = (struct domain){value, 0};
    return &domains->items[domains->count++];
}

static bool spread_selects(const struct topology_spread_constraint *constraint,
                           const struct pod *owner, const struct pod *pod)
{
    if (!text_equal(owner->meta.namespace, pod->meta.namespace) ||
        !label_selector_matches(constraint->label_selector, &pod->meta.labels))
        return false;
    list_for_each (key, &constraint->match_label_keys) {
        const char *mine = string_map_get(&owner->meta.labels, *key),
                   *its = string_map_get(&pod->meta.labels, *key);
        if (mine != NULL && (its == NULL || strcmp(mine, its) != 0))
            return false;
    }
    return true;
}

static bool is_hard(const struct topology_spread_constraint *constraint)
{
    return strcmp(constraint->when_unsatisfiable, "DoNotSchedule") == 0;
}

static bool policy_is(const char *policy, const char *value, bool by_default)
{
    return policy == NULL || policy[0] == '\0' ? by_default : strcmp(policy, value) == 0;
}

// Whether the constraint counts this node: it has the keys of all hard constraints, and passes the
// inclusion policies.
static bool site_counts(const struct topology_spread_constraint *constraint, const struct pod *pod,
                        const struct site *site)
{
    list_for_each (other, &pod->spec.topology_spread_constraints)
        if (is_hard(other) && site_label(site, other->topology_key) == NULL)
            return false;
    if (policy_is(constraint->node_affinity_policy, "Honor", true) && !pod_selects_site(pod, site))
        return false;
    return !policy_is(constraint->node_taints_policy, "Honor", false) ||
           pod_tolerates_site(pod, site);
}

// Whether the pod's own selector and required affinity allow the value of the key.
static bool pod_allows_value(const struct pod *pod, const char *key, const char *value)
{
    const char *selected = string_map_get(&pod->spec.node_selector, key);
    if (selected != NULL && strcmp(selected, value) != 0)
        return false;
    const struct affinity *affinity = pod->spec.affinity;
    if (affinity == NULL || affinity->node_affinity == NULL ||
        affinity->node_affinity->required == NULL)
        return true;
    list_for_each (term, &affinity->node_affinity->required->node_selector_terms) {
        bool holds = true;
        list_for_each (expression, &term->match_expressions)
            holds =
                holds && (strcmp(expression->key, key) != 0 || expression_holds(expression, value));
        if (holds)
            return true;
    }
    return false;
}

// Domains that a NodePool could open count as empty ones (cluster.h).
static void add_launchable_domains(const struct cluster *cluster, const struct pod *pod,
                                   const struct topology_spread_constraint *constraint,
                                   struct domains *domains)
{
    for (uint32_t i = 0; i < cluster->launchable_count; i++) {
        const struct machine_choice *choice = &cluster->launchable[i];
        const requirement_list *lists[] = {&choice->offering->requirements,
                                           &choice->type->requirements,
                                           &choice->pool->spec.template.spec.requirements};
        const char *value = choice->labels != NULL
                                ? string_map_get(choice->labels, constraint->topology_key)
                                : NULL;
        if (value == NULL)
            value = string_map_get(&choice->pool->spec.template.metadata.labels,
                                   constraint->topology_key);
        for (size_t list = 0; list < ARRAY_LENGTH(lists) && value == NULL; list++)
            value = requirement_single_value(lists[list], constraint->topology_key);
        if (value == NULL || (policy_is(constraint->node_affinity_policy, "Honor", true) &&
                              !pod_allows_value(pod, constraint->topology_key, value)))
            continue;
        struct site site = {.name = "?", .taints_count = 0};
        const struct taint *taints[16];
        list_for_each (taint, &choice->pool->spec.template.spec.taints)
            if (site.taints_count < ARRAY_LENGTH(taints))
                taints[site.taints_count++] = taint;
        site.taints = taints;
        if (!policy_is(constraint->node_taints_policy, "Honor", false) ||
            pod_tolerates_site(pod, &site))
            domain_get(domains, value);
    }
}

static int64_t smallest(const struct cluster *cluster,
                        const struct topology_spread_constraint *constraint,
                        const struct domains *domains)
{
    bool hostname = strcmp(constraint->topology_key, LABEL_HOSTNAME) == 0;
    if (cluster->counts_launchable_domains && hostname)
        return 0;
    if (constraint->min_domains.present && domains->count < constraint->min_domains.value)
        return 0;
    int64_t least = domains->count > 0 ? INT64_MAX : 0;
    for (uint32_t i = 0; i < domains->count; i++)
        if (domains->items[i].pods < least)
            least = domains->items[i].pods;
    return least;
}

static bool constraint_holds(const struct cluster *cluster, const struct pod *pod,
                             const struct topology_spread_constraint *constraint,
                             const struct site *site)
{
    const char *own = site_label(site, constraint->topology_key);
    if (own == NULL)
        return false;
    struct domains domains = {.count = 0};
    for (uint32_t i = 0; i < cluster->sites_count; i++) {
        const struct site *other = &cluster->sites[i];
        if (!site_counts(constraint, pod, other))
            continue;
        struct domain *domain = domain_get(&domains, site_label(other, constraint->topology_key));
        for (uint32_t p = 0; p < other->pods_count; p++)
            domain->pods += spread_selects(constraint, pod, other->pods[p]);
    }
    if (cluster->counts_launchable_domains && strcmp(constraint->topology_key, LABEL_HOSTNAME) != 0)
        add_launchable_domains(cluster, pod, constraint, &domains);
    int64_t least = smallest(cluster, constraint, &domains), have = 0;
    for (uint32_t i = 0; i < domains.count; i++)
        if (strcmp(domains.items[i].value, own) == 0)
            have = domains.items[i].pods;
    return have + spread_selects(constraint, pod, pod) - least <= constraint->max_skew;
}

const char *spread_refusal(const struct cluster *cluster, const struct pod *pod,
                           const struct site *site)
{
    list_for_each (constraint, &pod->spec.topology_spread_constraints)
        if (is_hard(constraint) && !constraint_holds(cluster, pod, constraint, site))
            return "topology spread";
    return NULL;
}

// --- affinity ------------------------------------------------------------------------------------

static bool namespace_matches(const struct cluster *cluster, const struct pod_affinity_term *term,
                              const char *owner, const char *namespace)
{
    if (term->namespaces.count == 0 && term->namespace_selector == NULL)
        return strcmp(owner, namespace) == 0;
    if (string_list_has(&term->namespaces, namespace))
        return true;
    if (term->namespace_selector == NULL)
        return false;
    if (term->namespace_selector->match_labels.count == 0 &&
        term->namespace_selector->match_expressions.count == 0)
        return true;
    for (uint32_t i = 0; i < cluster->snapshot->objects[KIND_NAMESPACE].count; i++) {
        const struct object *object = cluster->snapshot->objects[KIND_NAMESPACE].items[i];
        if (strcmp(object->meta.name, namespace) == 0)
            return label_selector_matches(term->namespace_selector, &object->meta.labels);
    }
    return false;
}

static bool term_selects(const struct cluster *cluster, const struct pod_affinity_term *term,
                         const struct pod *owner, const struct pod *pod)
{
    return namespace_matches(cluster, term, owner->meta.namespace, pod->meta.namespace) &&
           label_selector_matches(term->label_selector, &pod->meta.labels);
}

static bool same_domain(const struct site *a, const struct site *b, const char *key)
{
    const char *one = site_label(a, key), *other = site_label(b, key);
    return one != NULL && other != NULL && strcmp(one, other) == 0;
}

static const struct pod_affinity *anti_affinity_of(const struct pod *pod)
{
    return pod->spec.affinity != NULL ? pod->spec.affinity->pod_anti_affinity : NULL;
}

// Whether a required anti-affinity term of `owner` on `here` is violated by `pod` on `there`.
static bool is_repelled(const struct cluster *cluster, const struct pod *owner,
                        const struct site *here, const struct pod *pod, const struct site *there)
{
    const struct pod_affinity *terms = anti_affinity_of(owner);
    if (terms == NULL)
        return false;
    list_for_each (term, &terms->required)
        if (same_domain(here, there, term->topology_key) && term_selects(cluster, term, owner, pod))
            return true;
    return false;
}

static bool matches_all(const struct cluster *cluster, const struct pod_affinity *terms,
                        const struct pod *owner, const struct pod *pod)
{
    list_for_each (term, &terms->required)
        if (!term_selects(cluster, term, owner, pod))
            return false;
    return true;
}

static bool affinity_holds(const struct cluster *cluster, const struct pod *pod,
                           const struct site *site)
{
    const struct pod_affinity *terms =
        pod->spec.affinity != NULL ? pod->spec.affinity->pod_affinity : NULL;
    if (terms == NULL || terms->required.count == 0)
        return true;
    bool found = true, any = false;
    list_for_each (term, &terms->required) {
        bool near = false;
        if (site_label(site, term->topology_key) == NULL)
            return false;
        for (uint32_t i = 0; i < cluster->sites_count; i++)
            for (uint32_t p = 0; p < cluster->sites[i].pods_count; p++) {
                if (!matches_all(cluster, terms, pod, cluster->sites[i].pods[p]) ||
                    site_label(&cluster->sites[i], term->topology_key) == NULL)
                    continue;
                any = true;
                near = near || same_domain(&cluster->sites[i], site, term->topology_key);
            }
        found = found && near;
    }
    return found || (!any && matches_all(cluster, terms, pod, pod));
}

const char *affinity_refusal(const struct cluster *cluster, const struct pod *pod,
                             const struct site *site)
{
    for (uint32_t i = 0; i < cluster->sites_count; i++) {
        const struct site *other = &cluster->sites[i];
        for (uint32_t p = 0; p < other->pods_count; p++) {
            if (is_repelled(cluster, pod, site, other->pods[p], other))
                return "pod anti-affinity";
            if (is_repelled(cluster, other->pods[p], other, pod, site))
                return "anti-affinity of another pod";
        }
    }
    return affinity_holds(cluster, pod, site) ? NULL : "pod affinity";
}
