#include "control/nomination/spread_places.h"

#include <stdlib.h>

#include "control/state/cluster.h"
#include "control/state/cluster_plans.h"
#include "control/state/nominations.h"
#include "control/state/pod_siblings.h"
#include "model/reading/pod.h"

void spread_places_destroy(void *value)
{
    struct spread_places *places = value;
    vector_free(&places->pods);
    vector_free(&places->places);
    vector_free(&places->domains);
    vector_free(&places->hosts);
    free(places);
}

// Added if it is new.
static uint32_t domain_of(struct spread_places *places, const char *name)
{
    for (uint32_t i = 0; i < places->domains.count; i++)
        if (text_equal(places->domains.items[i].name, name))
            return i;
    struct place_domain domain = {.name = name};
    vector_push(&places->domains, domain);
    return places->domains.count - 1;
}

// Pods of a NodeClaim mostly come one after the other.
static uint32_t host_of(struct spread_places *places, const struct node_claim *claim)
{
    for (uint32_t i = places->hosts.count; i-- > 0;)
        if (places->hosts.items[i].claim == claim)
            return i;
    struct place_host host = {.claim = claim};
    vector_push(&places->hosts, host);
    return places->hosts.count - 1;
}

static const char *domain_name(const struct spread_places *places, const struct control *control,
                               const struct node_claim *claim)
{
    if (places->key == NULL)
        return "";
    const struct node *node = cluster_main_node(control->cluster, claim);
    return node != NULL ? label_of_node(node, claim, places->key) : NULL;
}

static void add_place(struct spread_places *places, const struct place *place)
{
    struct place_host *host = &places->hosts.items[place->host];
    host->left++;
    host->nominated += !place->is_put_off;
    vector_push(&places->places, *place);
}

static void add_pod(struct spread_places *places, const struct control *control,
                    const struct pod *pod, const struct node_claim *claim, bool is_later)
{
    const struct topology_spread_constraint *spread = pod_wide_spread(pod);
    places->key = spread != NULL ? spread->topology_key : NULL;
    places->max_skew = spread != NULL ? spread->max_skew : 0;
    const char *domain = domain_name(places, control, claim);
    if (domain == NULL && !is_later) // not known yet
        return;
    struct mover mover = {pod, cluster_pod_turn(control->cluster, pod), places->places.count};
    vector_push(&places->pods, mover);
    add_place(places, &(struct place){.claim = claim,
                                      .host = host_of(places, claim),
                                      .domain = domain_of(places, domain != NULL ? domain : ""),
                                      .is_later = is_later,
                                      .is_put_off = cluster_is_put_off(control->cluster, pod)});
}

// The pods of its workload with which the pod can exchange places, or NULL.
static struct spread_places *siblings_of(const struct control *control, struct map *workloads,
                                         const struct pod *pod)
{
    const char *workload = pod_controller_uid(pod);
    if (workload == NULL || pod_is_tied(control, pod))
        return NULL;
    struct spread_places *places = map_ensure(workloads, workload, sizeof *places);
    bool is_first = places->pods.count == 0;
    return is_first || pods_are_siblings(places->pods.items[0].pod, pod) ? places : NULL;
}

void spread_places_add(const struct control *control, struct map *workloads,
                       const struct node_claim *claim, bool spread_only)
{
    const struct pod *pod;
    for (uint32_t i = 0; (pod = cluster_planned_on(control->cluster, claim, i)) != NULL; i++) {
        bool takes_part = !pod_is_bound(pod) && // else it is yet to be evicted
                          cluster_planned_claim(control->cluster, pod) == claim &&
                          !(spread_only && pod_spread_key(pod) == NULL);
        struct spread_places *places = takes_part ? siblings_of(control, workloads, pod) : NULL;
        if (places != NULL)
            add_pod(places, control, pod, claim, false);
    }
}

void spread_places_add_unnominated(const struct control *control, struct map *workloads,
                                   const struct node_claim *claim, bool is_later)
{
    const struct pod *pod;
    for (uint32_t i = 0; (pod = cluster_planned_on(control->cluster, claim, i)) != NULL; i++) {
        struct spread_places *places =
            cluster_planned_claim(control->cluster, pod) == claim && !pod_is_bound(pod)
                ? siblings_of(control, workloads, pod)
                : NULL;
        if (places == NULL)
            continue;
        bool is_settled = pod_is_nominated(pod) ||
                          nominations_pause(cluster_nominations(control->cluster), pod) > 0;
        uint32_t host = host_of(places, claim);
        if (is_settled)
            places->hosts.items[host].settled++;
        else
            add_pod(places, control, pod, claim, is_later);
    }
}

static int by_turn(const void *a, const void *b)
{
    const struct mover *x = a, *y = b;
    return x->turn < y->turn ? -1 : x->turn > y->turn;
}

void spread_places_sort(struct spread_places *places)
{
    if (places->pods.count > 1)
        qsort(places->pods.items, places->pods.count, sizeof(struct mover), by_turn);
}

void spread_places_count(const struct control *control, const struct map *workloads)
{
    struct map_entry *position = NULL;
    const struct state_node *state;
    while (map_count(workloads) > 0 &&
           (state = cluster_next(control->cluster, &position)) != NULL) {
        const struct node *node = state_main_node(state);
        const struct pod_list *pods =
            cluster_pods(control->cluster, node != NULL ? node->meta.name : NULL);
        for (uint32_t i = 0; i < pods->count; i++) {
            const char *workload = pod_controller_uid(pods->items[i]);
            struct spread_places *places = workload != NULL ? map_get(workloads, workload) : NULL;
            const char *name = places != NULL && places->key != NULL
                                   ? string_map_get(&node->meta.labels, places->key)
                                   : NULL;
            if (name != NULL && !pod_is_terminal(pods->items[i]) &&
                !object_is_deleting((const struct object *)pods->items[i]))
                places->domains.items[domain_of(places, name)].pods++;
        }
    }
}

void spread_places_plan(const struct control *control, const struct pod *pod,
                        const struct place *place)
{
    cluster_put_off(control->cluster, pod, place->is_put_off);
    cluster_move_plan(control->cluster, pod, place->claim->meta.name);
}
