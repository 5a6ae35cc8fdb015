#include "control/nomination/anti_affinities.h"

#include <stdlib.h>

#include "base/text.h"
#include "control/state/cluster.h"
#include "control/state/cluster_plans.h"
#include "control/state/state_node.h"
#include "model/reading/pod.h"
#include "model/reading/selector.h"

#define TERMS_MAX 63
#define FURTHER \
    (1ULL << TERMS_MAX) // the terms beyond share this bit: of every pod, around every node
#define SELECTOR_MAX 64 // a longer selector selects every pod

struct anti_term { // of one workload
    const struct pod_affinity_term *term;
    const char *namespace; // of its pods
    struct map *domains;   // that such a pod is in
};

struct anti_affinities {
    struct control *control;
    struct map *numbers; // of terms, by workload and index
    VECTOR(struct anti_term) terms;
    bool has_further;
};

struct place {                      // an existing or planned node
    const struct node *node;        // NULL: not there yet
    const struct node_claim *claim; // NULL: the Node has none
};

// A node has a hostname of its own; a planned node has none yet.
static const char *domain_in(const struct place *place, const char *key)
{
    if (text_equal(key, LABEL_HOSTNAME))
        return place->claim != NULL ? place->claim->meta.name : place->node->meta.name;
    return label_of_node(place->node, place->claim, key);
}

static struct anti_term *term_of(struct anti_affinities *anti, const struct pod *pod,
                                 uint32_t index, const struct pod_affinity_term *term)
{
    const char *workload = pod_controller_uid(pod);
    struct text key = {0};
    text_format(&key, "%s/%u", workload != NULL ? workload : pod->meta.uid, index);
    uint32_t *number = map_get(anti->numbers, key.data);
    if (number == NULL && anti->terms.count < TERMS_MAX) {
        number = map_ensure(anti->numbers, key.data, sizeof *number);
        *number = anti->terms.count;
        vector_push(&anti->terms, (struct anti_term){term, pod->meta.namespace, map_create()});
    }
    anti->has_further |= number == NULL;
    text_free(&key);
    return number != NULL ? &anti->terms.items[*number] : NULL;
}

static void read_pod(struct anti_affinities *anti, const struct pod *pod, const struct place *place)
{
    const struct affinity *affinity = pod->spec.affinity;
    if (affinity == NULL || affinity->pod_anti_affinity == NULL || pod_is_terminal(pod))
        return;
    const struct pod_affinity *own = affinity->pod_anti_affinity;
    for (uint32_t i = 0; i < own->required.count && !anti->has_further; i++) {
        const struct pod_affinity_term *term = &own->required.items[i];
        const char *domain = domain_in(place, term->topology_key);
        struct anti_term *entry = domain != NULL ? term_of(anti, pod, i, term) : NULL;
        if (entry != NULL)
            map_set(entry->domains, domain, anti);
    }
}

static void read_bound(struct anti_affinities *anti)
{
    struct cluster *cluster = anti->control->cluster;
    struct map_entry *position = NULL;
    const struct state_node *state;
    while ((state = cluster_next(cluster, &position)) != NULL) {
        const struct node *node = state_main_node(state);
        if (node == NULL)
            continue;
        const struct place place = {node, cluster_claim_of(cluster, node, NULL)};
        const struct pod_list *pods = cluster_pods(cluster, node->meta.name);
        for (uint32_t i = 0; i < pods->count; i++)
            read_pod(anti, pods->items[i], &place);
    }
}

static void read_planned(struct anti_affinities *anti)
{
    struct cluster *cluster = anti->control->cluster;
    struct map_entry *position = NULL;
    const struct node_claim *claim;
    const struct pod *pod;
    while ((claim = cluster_next_planned(cluster, &position)) != NULL) {
        const struct place place = {cluster_main_node(cluster, claim), claim};
        for (uint32_t i = 0; (pod = cluster_planned_on(cluster, claim, i)) != NULL; i++)
            read_pod(anti, pod, &place);
    }
}

struct anti_affinities *anti_affinities_read(struct control *control)
{
    struct anti_affinities *anti = memory_allocate(sizeof *anti);
    anti->control = control;
    anti->numbers = map_create();
    read_bound(anti);
    read_planned(anti);
    if (anti->terms.count > 0)
        return anti;
    anti_affinities_destroy(anti);
    return NULL;
}

void anti_affinities_destroy(struct anti_affinities *anti)
{
    if (anti == NULL)
        return;
    vector_for_each (term, &anti->terms)
        map_destroy(term->domains, NULL);
    vector_free(&anti->terms);
    map_destroy(anti->numbers, free);
    free(anti);
}

// SCH-273. A namespace that is not known may have any labels.
static bool is_in_namespace(const struct anti_affinities *anti, const struct anti_term *entry,
                            const char *namespace)
{
    const struct pod_affinity_term *term = entry->term;
    if (string_list_has(&term->namespaces, namespace))
        return true;
    if (term->namespace_selector == NULL)
        return term->namespaces.count == 0 && text_equal(entry->namespace, namespace);
    const struct object *object =
        mirror_get(anti->control->manager.mirror, KIND_NAMESPACE, NULL, namespace);
    return object == NULL || label_selector_matches(term->namespace_selector, &object->meta.labels);
}

static bool selects(const struct label_selector *selector, const struct pod *pod)
{
    if (selector != NULL &&
        selector->match_labels.count + selector->match_expressions.count > SELECTOR_MAX)
        return true;
    return label_selector_matches(selector, &pod->meta.labels);
}

uint64_t anti_affinities_against(const struct anti_affinities *anti, const struct pod *pod)
{
    if (anti == NULL)
        return 0;
    uint64_t set = anti->has_further ? FURTHER : 0;
    for (uint32_t i = 0; i < anti->terms.count; i++)
        if (selects(anti->terms.items[i].term->label_selector, pod) &&
            is_in_namespace(anti, &anti->terms.items[i], pod->meta.namespace))
            set |= 1ULL << i;
    return set;
}

uint64_t anti_affinities_around(const struct anti_affinities *anti, const struct node_claim *claim)
{
    if (anti == NULL)
        return 0;
    const struct place place = {cluster_main_node(anti->control->cluster, claim), claim};
    uint64_t set = anti->has_further ? FURTHER : 0;
    for (uint32_t i = 0; i < anti->terms.count; i++) {
        const struct anti_term *entry = &anti->terms.items[i];
        const char *domain = domain_in(&place, entry->term->topology_key);
        if (domain != NULL && map_get(entry->domains, domain) != NULL)
            set |= 1ULL << i;
    }
    return set;
}
