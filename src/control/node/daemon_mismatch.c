#include "control/node/daemon_mismatch.h"

#include "control/runtime/control.h"
#include "control/state/cluster.h"
#include "model/reading/pod.h"
#include "model/schema/resources.h"

// The template's requests as the API server defaults them: missing requests are the limits.
static struct resource_map template_requests(struct arena *arena,
                                             const struct daemon_set *daemon_set)
{
    struct pod_spec spec = daemon_set->spec.template.spec;
    struct container *containers =
        arena_allocate_array(arena, spec.containers.count + 1, sizeof *containers);
    for (uint32_t i = 0; i < spec.containers.count; i++) {
        struct resource_requirements *resources = &containers[i].resources;
        containers[i] = spec.containers.items[i];
        resources->requests =
            resource_map_override(arena, &resources->limits, &resources->requests);
    }
    spec.containers.items = containers;
    return pod_spec_requests(arena, &spec);
}

static const struct daemon_set *owner_of(const struct control *control, const struct pod *pod)
{
    const struct owner_reference *owner = object_controller_owner((const struct object *)pod);
    return owner != NULL && text_equal(owner->kind, "DaemonSet")
               ? (const struct daemon_set *)mirror_get(control->manager.mirror, KIND_DAEMON_SET,
                                                       pod->meta.namespace, owner->name)
               : NULL;
}

// The requests of the node's DaemonSet pods beyond their templates.
static int64_t excess_on(struct control *control, struct arena *arena, const char *node,
                         const char *resource)
{
    const struct pod_list *pods = cluster_pods(control->cluster, node);
    int64_t excess = 0;
    for (uint32_t i = 0; i < pods->count; i++) {
        const struct daemon_set *daemon_set = owner_of(control, pods->items[i]);
        if (daemon_set == NULL || pod_is_terminal(pods->items[i]))
            continue;
        struct resource_map asked = pod_requests(arena, pods->items[i]);
        struct resource_map said = template_requests(arena, daemon_set);
        int64_t more = resource_map_get(&asked, resource) - resource_map_get(&said, resource);
        excess += more > 0 ? more : 0;
    }
    return excess;
}

// Whether the pods planned for the node (SCH-376: with its DaemonSets) no longer fit.
static bool is_too_small(struct control *control, struct arena *arena, const struct node *node,
                         const char *resource)
{
    const struct node_claim *claim = cluster_claim_of(control->cluster, node, NULL);
    if (claim == NULL)
        return false;
    int64_t planned = resource_map_get(&claim->spec.resources.requests, resource);
    return planned + excess_on(control, arena, node->meta.name, resource) >
           resource_map_get(&node->status.allocatable, resource);
}

static bool is_news(struct arena *arena, const struct pod *before, const struct pod *pod)
{
    if (before == NULL || before->spec.node_name == NULL)
        return true;
    struct resource_map had = pod_requests(arena, before), has = pod_requests(arena, pod);
    list_for_each (entry, &has)
        if (entry->value != resource_map_get(&had, entry->name))
            return true;
    return false;
}

static void on_pod(void *context, enum mirror_change change, const struct object *old_object,
                   const struct object *new_object)
{
    struct control *control = context;
    const struct pod *pod = (const struct pod *)new_object;
    (void)change;
    if (pod == NULL || pod->spec.node_name == NULL || !pod_owned_by_daemon_set(pod))
        return;
    const struct daemon_set *daemon_set = owner_of(control, pod);
    const struct node *node = find_node(control, pod->spec.node_name);
    CLEANUP_ARENA struct arena *arena = arena_create(4096);
    if (daemon_set == NULL || node == NULL || !is_news(arena, (const struct pod *)old_object, pod))
        return;
    struct resource_map asked = pod_requests(arena, pod);
    struct resource_map said = template_requests(arena, daemon_set);
    list_for_each (entry, &asked) {
        int64_t expected = resource_map_get(&said, entry->name);
        if (entry->value <= expected || !is_too_small(control, arena, node, entry->name))
            continue;
        char more[QUANTITY_TEXT_MAX], less[QUANTITY_TEXT_MAX];
        quantity_format(entry->name, entry->value, more);
        quantity_format(entry->name, expected, less);
        publish_keyed(
            &control->manager, (const struct object *)daemon_set,
            EVENT_DAEMON_SET_REQUESTS_MISMATCH, daemon_set->meta.uid,
            "Pod %s requests %s %s where the template says %s, so that node %s has no room for "
            "all pods that were planned for it; later nodes are planned with what the newest "
            "pod requests",
            pod->meta.name, entry->name, more, less, node->meta.name);
    }
}

void daemon_mismatch_watch(struct control *control)
{
    manager_observe(&control->manager, KIND_POD, on_pod, control);
}
