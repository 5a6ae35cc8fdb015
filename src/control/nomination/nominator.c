#include "control/nomination/nominator.h"

#include <stdlib.h>
#include <string.h>

#include "base/nanoseconds.h"
#include "control/nomination/kept_replacements.h"
#include "control/nomination/open_nodes.h"
#include "control/nomination/openings.h"
#include "control/nomination/pending_write.h"
#include "control/nomination/scheduler_quiet.h"
#include "control/nomination/spread_order.h"
#include "control/state/cluster.h"
#include "control/state/cluster_plans.h"
#include "control/state/nominations.h"
#include "model/reading/pod.h"
#include "reconcile/operations.h"

#define REVIEW           "review" // no pod's key: those have a slash
#define REVIEW_WAIT_NS   (50 * MILLISECOND)
#define CONCURRENCY      32
#define MINOR_LEAST      35 // of Kubernetes 1
#define VERSION_RETRY_NS MINUTE
#define KEPT_REVIEW_NS   (100 * MILLISECOND)
#define OPEN_REVIEW_NS   SECOND // while pods wait for open nodes

enum support { SUPPORT_UNKNOWN, SUPPORT_ASKED, SUPPORTED, UNSUPPORTED };

struct nominator {
    struct control *control;
    struct reconcile_queue *queue;
    struct nominations *nominations; // the cluster state's
    enum support support;
    int64_t version_asked_ns; // monotonic
    struct openings *openings;
    struct kept_replacements *kept;
    bool are_alike;   // all planned pods belong to one workload
    char *overlooked; // UID of the pod that has kube-scheduler try again; NULL: none is overlooked
};

static struct reconcile_result reconcile(void *context, struct work_item *item,
                                         struct error *error);
static struct unnominated unnominated_on(void *context, const char *name, int64_t since_ns);

static void wake_review(struct nominator *nominator)
{
    reconcile_queue_add_after(nominator->queue, REVIEW, REVIEW_WAIT_NS);
}

// A pod's nomination is reviewed with its plan.
static void on_pod(void *context, enum mirror_change change, const struct object *old_object,
                   const struct object *new_object)
{
    const struct pod *pod = (const struct pod *)new_object;
    struct nominator *nominator = context;
    (void)change;
    bool unbound = pod != NULL && !pod_is_bound(pod);
    const struct pod *before = (const struct pod *)old_object;
    if (unbound && (pod_is_nominated(pod) || (before != NULL && pod_is_nominated(before))))
        wake_review(nominator);
    else if (!unbound && old_object != NULL && old_object->meta.uid != NULL) {
        nominations_forget(nominator->nominations, old_object->meta.uid);
        if (before->spec.node_name == NULL || *before->spec.node_name == '\0')
            wake_review(nominator); // its siblings may be nominated (waits_for_sibling())
    }
}

static void on_node(void *context, enum mirror_change change, const struct object *old_object,
                    const struct object *new_object)
{
    (void)change;
    if (node_is_ready((const struct node *)new_object) !=
        node_is_ready((const struct node *)old_object))
        wake_review(context);
}

static void on_slice(void *context, enum mirror_change change, const struct object *old_object,
                     const struct object *new_object)
{
    (void)change;
    (void)old_object;
    (void)new_object;
    wake_review(context); // its node may have waited for it
}

static void on_claim(void *context, enum mirror_change change, const struct object *old_object,
                     const struct object *new_object)
{
    const struct node_claim *before = (const struct node_claim *)old_object;
    const struct node_claim *claim = (const struct node_claim *)new_object;
    (void)change;
    if (claim == NULL || before == NULL || object_is_deleting(new_object) ||
        node_claim_is_launched(before) != node_claim_is_launched(claim))
        wake_review(context);
}

struct nominator *nominator_create(struct control *control, const struct commands *commands,
                                   const struct eviction_queue *evictions)
{
    struct nominator *nominator = memory_allocate(sizeof *nominator);
    nominator->control = control;
    nominator->nominations = cluster_nominations(control->cluster);
    nominator->openings = openings_create(control, unnominated_on, nominator);
    nominator->kept =
        kept_replacements_create(control, commands, evictions, unnominated_on, nominator);
    return nominator;
}

void nominator_observe(struct nominator *nominator)
{
    if (nominator == NULL)
        return;
    struct control *control = nominator->control;
    nominator->queue = manager_queue(&control->manager,
                                     &(struct reconcile_queue_options){.name = "pod.nomination",
                                                                       .kind = "Pod",
                                                                       .concurrency = CONCURRENCY,
                                                                       .reconcile = reconcile,
                                                                       .context = nominator});
    mirror_on_change(control->manager.mirror, KIND_POD, on_pod, nominator);
    mirror_on_change(control->manager.mirror, KIND_NODE, on_node, nominator);
    mirror_on_change(control->manager.mirror, KIND_NODE_CLAIM, on_claim, nominator);
    mirror_on_change(control->manager.mirror, KIND_RESOURCE_SLICE, on_slice, nominator);
}

void nominator_destroy(struct nominator *nominator)
{
    if (nominator == NULL)
        return;
    kube_cancel(nominator->control->manager.client, nominator);
    openings_destroy(nominator->openings);
    kept_replacements_destroy(nominator->kept);
    free(nominator->overlooked);
    free(nominator);
}

// --- support by the API server -------------------------------------------------------------------
// "36", or "36+" of a provider's build.
static int64_t version_number(const json_t *body, const char *field)
{
    const char *text = json_string_value(json_object_get(body, field));
    return text != NULL ? strtol(text, NULL, 10) : 0;
}

static void note_version(void *context, const struct kube_result *result)
{
    struct nominator *nominator = context;
    if (result->error.kind != ERROR_NONE || result->body == NULL) {
        nominator->support = SUPPORT_UNKNOWN;
        return;
    }
    bool recent = version_number(result->body, "major") > 1 ||
                  version_number(result->body, "minor") >= MINOR_LEAST;
    nominator->support = recent ? SUPPORTED : UNSUPPORTED;
    nominations_set_supported(nominator->nominations, recent);
    if (!recent)
        log_info("pods are not nominated: the API server is older than Kubernetes 1.35",
                 "s:controller", "pod.nomination");
    wake_review(nominator);
}

static void ask_version(struct nominator *nominator)
{
    int64_t now_ns = loop_monotonic_ns(nominator->control->manager.loop);
    if (nominator->support != SUPPORT_UNKNOWN ||
        (nominator->version_asked_ns != 0 &&
         ns_subtract(now_ns, nominator->version_asked_ns) < VERSION_RETRY_NS))
        return;
    nominator->version_asked_ns = now_ns;
    nominator->support = SUPPORT_ASKED;
    kube_get_path(nominator->control->manager.client, "/version", note_version, nominator);
}

// --- the desired nominations ---------------------------------------------------------------------
static const char *workload_of(const struct pod *pod)
{
    const char *controller = pod_controller_uid(pod);
    return controller != NULL ? controller : pod->meta.uid;
}

// The node opens next: the pods for it are in their final order, and are to be nominated.
static bool is_preparing(const struct nominator *nominator, const struct node_claim *claim)
{
    return openings_prepare(nominator->openings, claim->meta.name) ||
           kept_replacements_prepare(nominator->kept, claim->meta.name);
}

// kube-scheduler counts a nominated pod on its node. Two nominated pods of a spread workload are
// bound if their time is right (spread_order.h); more of them block each other.
static bool waits_for_sibling(const struct nominator *nominator, const struct pod *pod,
                              const struct node_claim *claim)
{
    struct cluster *cluster = nominator->control->cluster;
    if (!cluster_is_put_off(cluster, pod))
        return false;
    int64_t turn = cluster_pod_turn(cluster, pod);
    const struct pod *other;
    for (uint32_t i = 0; (other = cluster_planned_on(cluster, claim, i)) != NULL; i++)
        if (other != pod && text_equal(workload_of(other), workload_of(pod)) &&
            (!cluster_is_put_off(cluster, other) || cluster_pod_turn(cluster, other) < turn))
            return true;
    return false;
}

// Adds the NodeClaims with planned pods whose nodes are open, or the others. The order of those
// that open next is settled.
static bool add_to_order(const struct nominator *nominator, struct spread_order *order, bool open)
{
    struct cluster *cluster = nominator->control->cluster;
    struct map_entry *position = NULL;
    const struct node_claim *claim;
    bool any = false;
    while ((claim = cluster_next_planned(cluster, &position)) != NULL) {
        if (open_nodes_has(nominator->control, claim, cluster_main_node(cluster, claim)) != open ||
            is_preparing(nominator, claim))
            continue;
        spread_order_add_unnominated(order, claim, open);
        any = true;
    }
    return any;
}

void nominator_note_plans(struct nominator *nominator)
{
    if (nominator == NULL)
        return;
    wake_review(nominator);
    if (!nominations_work(nominator->nominations))
        return;
    struct spread_order *order = spread_order_create(nominator->control);
    if (add_to_order(nominator, order, true)) {
        add_to_order(nominator, order, false);
        spread_order_apply(order);
    }
    spread_order_destroy(order);
}

struct wanted {
    const char *node; // NULL: the pod is not planned, its node is not to open yet, or it waits
    bool waits;       // for a sibling, or to be tried again: no nomination until then
};

// The end of its nomination has kube-scheduler try all pods again.
static bool is_overlooked(const struct nominator *nominator, const struct pod *pod)
{
    return nominator->overlooked != NULL && text_equal(nominator->overlooked, pod->meta.uid);
}

static struct wanted wanted_node(const struct nominator *nominator, const struct pod *pod)
{
    struct cluster *cluster = nominator->control->cluster;
    const struct node_claim *claim = cluster_planned_claim(cluster, pod);
    const struct node *node = claim != NULL ? cluster_main_node(cluster, claim) : NULL;
    if (node == NULL)
        return (struct wanted){0};
    if (!open_nodes_has(nominator->control, claim, node) &&
        !(node_is_closed(node) && is_preparing(nominator, claim)))
        return (struct wanted){0};
    if (!node_is_closed(node) && cluster_lost_nomination(cluster, pod, 0) &&
        openings_rest(nominator->openings))
        return (struct wanted){0};
    bool waits = waits_for_sibling(nominator, pod, claim) ||
                 (is_overlooked(nominator, pod) &&
                  text_equal(pod->status.nominated_node_name, node->meta.name));
    return (struct wanted){waits ? NULL : node->meta.name, waits};
}

// A lower pod on the node may be preempted: then kube-scheduler nominated the pod.
static bool may_preempt(const struct nominator *nominator, const struct pod *pod)
{
    const struct pod_list *pods =
        cluster_pods(nominator->control->cluster, pod->status.nominated_node_name);
    for (uint32_t i = 0; i < pods->count; i++)
        if (pods->items[i]->spec.priority.value < pod->spec.priority.value)
            return true;
    return false;
}

// The nomination is not of the present plan: adze wrote it before the plan changed, or a
// predecessor did. It would hold room that is another pod's. One of a pod that kube-scheduler does
// not try, and that has never been planned, is somebody else's.
static bool is_stale(const struct nominator *nominator, const struct pod *pod)
{
    if (!pod_is_nominated(pod))
        return false;
    struct cluster *cluster = nominator->control->cluster;
    const struct node_claim *claim = cluster_planned_claim(cluster, pod);
    bool is_tried = pod_is_of_kube_scheduler(pod) && pod->spec.scheduling_gates.count == 0;
    if (claim == NULL && !is_tried && !nominations_knows(nominator->nominations, pod))
        return false;
    const struct node *node = claim != NULL ? cluster_main_node(cluster, claim) : NULL;
    bool is_planned = node != NULL && text_equal(node->meta.name, pod->status.nominated_node_name);
    return !is_planned && !may_preempt(nominator, pod);
}

static bool differs(const struct nominator *nominator, const struct pod *pod)
{
    struct wanted wanted = wanted_node(nominator, pod);
    if (wanted.node != NULL)
        return !text_equal(wanted.node, pod->status.nominated_node_name);
    // A nomination that an exchange has left behind would hold room that is another pod's.
    return wanted.waits ? pod_is_nominated(pod) && !may_preempt(nominator, pod)
                        : is_stale(nominator, pod);
}

// Pods of one workload may take each other's places.
static void check_alike(struct nominator *nominator)
{
    struct cluster *cluster = nominator->control->cluster;
    const struct pod_list *pods = cluster_provisionable(cluster);
    const char *first = NULL;
    nominator->are_alike = !kept_replacements_any(nominator->kept);
    for (uint32_t i = 0; i < pods->count && nominator->are_alike; i++) {
        const char *workload = workload_of(pods->items[i]);
        bool is_another = first == NULL || !text_equal(first, workload); // the cheaper check first
        if (!is_another || cluster_planned_claim(cluster, pods->items[i]) == NULL)
            continue;
        first = first != NULL ? first : workload;
        nominator->are_alike = text_equal(first, workload);
    }
}

static struct unnominated unnominated_on(void *context, const char *name, int64_t since_ns)
{
    const struct nominator *nominator = context;
    struct cluster *cluster = nominator->control->cluster;
    const struct node_claim *claim = find_claim(nominator->control, name);
    const struct node *node = claim != NULL ? cluster_main_node(cluster, claim) : NULL;
    struct unnominated found = {0};
    const struct pod *pod;
    for (uint32_t i = 0; node != NULL && (pod = cluster_planned_on(cluster, claim, i)) != NULL;
         i++) {
        if (pod_is_bound(pod)) // yet to be evicted
            continue;
        bool is_set = waits_for_sibling(nominator, pod, claim)
                          ? !pod_is_nominated(pod)
                          : text_equal(pod->status.nominated_node_name, node->meta.name);
        if (is_set)
            continue;
        found.count++;
        found.lost += cluster_lost_nomination(cluster, pod, since_ns);
    }
    return found;
}

bool nominator_keep(struct nominator *nominator, const struct node_claim *claim)
{
    if (nominator == NULL || !nominations_work(nominator->nominations) ||
        !kept_replacements_begin(nominator->kept, claim))
        return false;
    wake_review(nominator);
    return true;
}

bool nominator_delays_opening(struct nominator *nominator, const struct node_claim *claim,
                              const struct node *node)
{
    if (nominator == NULL || !nominations_work(nominator->nominations) || nominator->are_alike ||
        kept_replacements_applies(nominator->kept, claim))
        return false;
    reconcile_queue_add_after(nominator->queue, REVIEW, REVIEW_WAIT_NS);
    return openings_delay(nominator->openings, claim, node);
}

bool nominator_is_opening(const struct nominator *nominator)
{
    return nominator != NULL && openings_under_way(nominator->openings);
}

// 0: the pod's node does not open next.
static int64_t opening_turn(const struct nominator *nominator, const struct pod *pod)
{
    struct cluster *cluster = nominator->control->cluster;
    const struct node_claim *claim = cluster_planned_claim(cluster, pod);
    return claim != NULL && is_preparing(nominator, claim) ? cluster_pod_turn(cluster, pod) : 0;
}

// True: some pod waits for an open node, and nominations work.
static bool note_overlooked(struct nominator *nominator)
{
    bool work = nominations_work(nominator->nominations);
    const struct pod *pod = work ? open_nodes_awaited_by(nominator->control) : NULL;
    bool is_still = pod != NULL && scheduler_stands_still(nominator->control);
    free(nominator->overlooked);
    nominator->overlooked = is_still ? memory_copy_string(pod->meta.uid) : NULL;
    return pod != NULL;
}

// The delay until the next review; 0: none is needed.
static int64_t review(struct nominator *nominator)
{
    struct control *control = nominator->control;
    check_alike(nominator);
    int64_t next_ns =
        openings_review(nominator->openings, !kept_replacements_have_the_turn(nominator->kept));
    if (kept_replacements_review(nominator->kept, nominations_work(nominator->nominations),
                                 !openings_have_the_turn(nominator->openings)))
        next_ns = KEPT_REVIEW_NS;
    if (note_overlooked(nominator) && next_ns == 0)
        next_ns = OPEN_REVIEW_NS;
    bool sets = nominations_work(nominator->nominations) && !nominator->are_alike;
    const struct pod_list *pods = cluster_unbound(control->cluster);
    CLEANUP_ARENA struct arena *arena = arena_create(16 * 1024);
    struct pending_write *pending_write =
        arena_allocate_array(arena, pods->count + 1, sizeof *pending_write);
    uint32_t count = 0;
    for (uint32_t i = 0; i < pods->count; i++) {
        const struct pod *pod = pods->items[i];
        if (differs(nominator, pod) &&
            (sets || pod_is_nominated(pod) || is_overlooked(nominator, pod)))
            pending_write[count++] = pending_write_create(arena, pod, opening_turn(nominator, pod));
    }
    pending_write_sort(pending_write, count);
    for (uint32_t i = 0; i < count; i++)
        reconcile_queue_add(nominator->queue,
                            arena_format(arena, "%s/%s", pending_write[i].pod->meta.namespace,
                                         pending_write[i].pod->meta.name));
    return next_ns;
}

// --- one pod -------------------------------------------------------------------------------------
static const struct pod *pod_of_key(const struct nominator *nominator, const char *key)
{
    const char *slash = strchr(key, '/');
    char namespace[256];
    if (slash == NULL || (size_t)(slash - key) >= sizeof namespace)
        return NULL;
    memcpy(namespace, key, (size_t)(slash - key));
    namespace[slash - key] = '\0';
    return (const struct pod *)mirror_get(nominator->control->manager.mirror, KIND_POD, namespace,
                                          slash + 1);
}

static enum operation_outcome note_written(void *context, const char *key,
                                           const struct kube_result *result)
{
    struct nominator *nominator = context;
    (void)key;
    if (result->error.kind == ERROR_FORBIDDEN) {
        nominator->support = UNSUPPORTED;
        nominations_set_supported(nominator->nominations, false);
        log_error("pods are not nominated: the permission is missing", "s:controller",
                  "pod.nomination", "s:permissions", "patch pods/status");
        return OPERATION_NOTED;
    }
    // Bound meanwhile: the mirror will say so.
    if (result->error.kind == ERROR_INVALID &&
        strstr(result->error.message, "already bound to a node") != NULL)
        return OPERATION_RETRY;
    bool over = result->error.kind == ERROR_NOT_FOUND || result->error.kind == ERROR_CONFLICT;
    return over ? OPERATION_NOTED : OPERATION_PASS;
}

static struct reconcile_result reconcile(void *context, struct work_item *item, struct error *error)
{
    struct nominator *nominator = context;
    (void)error;
    if (strcmp(work_item_key(item), REVIEW) == 0) {
        ask_version(nominator);
        int64_t next_ns = review(nominator);
        if (next_ns > 0)
            return reconcile_after(next_ns);
        return nominator->support == SUPPORT_UNKNOWN ? reconcile_after(VERSION_RETRY_NS)
                                                     : reconcile_done();
    }
    const struct pod *pod = pod_of_key(nominator, work_item_key(item));
    if (pod == NULL || (pod->spec.node_name != NULL && *pod->spec.node_name != '\0') ||
        nominator->support == UNSUPPORTED || !differs(nominator, pod))
        return reconcile_done();
    const struct node_claim *claim = cluster_planned_claim(nominator->control->cluster, pod);
    bool prepares = claim != NULL && is_preparing(nominator, claim);
    if (!prepares && nominations_pause(nominator->nominations, pod) > 0)
        return reconcile_after(nominations_pause(nominator->nominations, pod));
    const char *wanted = wanted_node(nominator, pod).node;
    nominations_note(nominator->nominations, pod, prepares);
    json_t *body = json_pack("{s:{s:s}, s:{s:s?}}", "metadata", "uid", pod->meta.uid, "status",
                             "nominatedNodeName", wanted);
    log_debug(wanted != NULL ? "nominating node for pod" : "clearing nomination of pod",
              "s:controller", "pod.nomination", "n:Pod", pod->meta.namespace, pod->meta.name,
              "o:Node", wanted != NULL ? wanted : pod->status.nominated_node_name);
    return start_patch_status(&(struct operation_about){.manager = &nominator->control->manager,
                                                        .item = item,
                                                        .doing = "nominating node for pod",
                                                        .record = note_written,
                                                        .context = nominator},
                              (const struct object *)pod, body);
}
