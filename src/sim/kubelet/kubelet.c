#include "sim/kubelet/kubelet.h"

#include <stdlib.h>
#include <string.h>

#include "base/nanoseconds.h"
#include "base/text.h"
#include "sim/kubelet/kubelet_internal.h"
#include "sim/kubelet/kubelet_nodes.h"
#include "sim/kubelet/volumes.h"
#include "sim/world/world_write.h"

#define ATTACH_POLL_NS (500 * MILLISECOND)

static void sync_pod(void *context, const char *key);

struct kubelets *kubelets_create(struct world *world)
{
    struct kubelets *kubelets = memory_allocate(sizeof *kubelets);
    kubelets->world = world;
    kubelets->machines = map_create();
    kubelets->by_node = map_create();
    kubelets->pods = map_create();
    kubelets->boots = work_queue_create(world->loop, 0, kubelet_boot, kubelets);
    kubelets->again = work_queue_create(world->loop, 0, kubelet_boot_again, kubelets);
    kubelets->nodes = work_queue_create(world->loop, 0, kubelet_sync_node, kubelets);
    kubelets->heartbeats = work_queue_create(world->loop, 0, kubelet_heartbeat, kubelets);
    kubelets->pod_work = work_queue_create(world->loop, 0, sync_pod, kubelets);
    return kubelets;
}

void kubelets_destroy(struct kubelets *kubelets)
{
    work_queue_destroy(kubelets->boots);
    work_queue_destroy(kubelets->again);
    work_queue_destroy(kubelets->nodes);
    work_queue_destroy(kubelets->heartbeats);
    work_queue_destroy(kubelets->pod_work);
    map_destroy(kubelets->machines, kubelet_machine_free);
    map_destroy(kubelets->by_node, kubelet_free);
    map_destroy(kubelets->pods, free);
    free(kubelets);
}

void kubelets_leave(void *part, struct world_object *object)
{
    struct kubelets *kubelets = part;
    if (!object->gone)
        return;
    if (world_is(object, KIND_NODE)) {
        kubelet_node_leaves(kubelets, object);
    } else if (world_is(object, KIND_POD)) {
        free(map_remove(kubelets->pods, object->key));
        work_queue_forget(kubelets->pod_work, object->key);
    }
}

void kubelets_enter(void *part, struct world_object *object)
{
    struct kubelets *kubelets = part;
    if (world_is(object, KIND_NODE))
        kubelet_node_enters(kubelets, object);
    else if (world_is(object, KIND_POD) && object->on_node != NULL)
        work_queue_add(kubelets->pod_work, object->key);
}

// --- pods ----------------------------------------------------------------------------------------

static struct kubelet_pod *remember(struct kubelets *kubelets, const struct world_object *pod);
static void stop(struct kubelets *kubelets, struct world_object *pod, struct kubelet_pod *memory);
static void start(struct kubelets *kubelets, struct world_object *pod, struct kubelet_pod *memory);
static void run(struct kubelets *kubelets, struct world_object *pod, struct kubelet_pod *memory);

static void sync_pod(void *context, const char *key)
{
    struct kubelets *kubelets = context;
    struct world_object *pod = world_find_key(kubelets->world, KIND_POD, key);
    if (pod == NULL || pod->on_node == NULL)
        return;
    if (kubelet_at_work(kubelets, world_text(pod->json, "spec.nodeName")) == NULL)
        return; // synced again when it is
    struct kubelet_pod *memory = remember(kubelets, pod);
    if (world_is_deleting(pod))
        stop(kubelets, pod, memory);
    else if (world_pod_ended(pod))
        return;
    else if (memory->started == 0)
        start(kubelets, pod, memory);
    else
        run(kubelets, pod, memory);
}

static struct kubelet_pod *remember(struct kubelets *kubelets, const struct world_object *pod)
{
    struct kubelet_pod *memory = map_get(kubelets->pods, pod->key);
    if (memory != NULL && strcmp(memory->uid, pod->uid) == 0)
        return memory;
    int64_t now_ns = loop_monotonic_ns(kubelets->world->loop);
    memory = memory_allocate(sizeof *memory);
    snprintf(memory->uid, sizeof memory->uid, "%s", pod->uid);
    memory->seen = now_ns;
    // Already running: the world was recreated over an old store.
    if (text_equal(world_text(pod->json, "status.phase"), "Running")) {
        int64_t age_ns =
            ns_subtract(loop_now_ns(kubelets->world->loop), world_pod_ready_since(pod));
        memory->started = ns_subtract(now_ns, age_ns);
    }
    free(map_set(kubelets->pods, pod->key, memory));
    return memory;
}

static json_t *container_states(const struct world_object *pod, const char *list, uint32_t restarts,
                                const char *state_name, json_t *state, bool ready)
{
    json_t *statuses = json_array(), *container;
    size_t index;
    json_array_foreach (store_path(pod->json, list), index, container) {
        const char *image = world_text(container, "image");
        json_array_append_new(
            statuses, json_pack("{s:s, s:s, s:s, s:b, s:b, s:i, s:{s:O}}", "name",
                                world_text(container, "name"), "image", image == NULL ? "" : image,
                                "imageID", image == NULL ? "" : image, "ready", ready, "started",
                                ready, "restartCount", (int)restarts, "state", state_name, state));
    }
    json_decref(state);
    return statuses;
}

static json_t *status_with_conditions(struct world *world, const struct world_object *pod,
                                      bool ready, const char *reason)
{
    json_t *status = world_copy_status(pod);
    const char *value = ready ? "True" : "False";
    if (ready)
        world_condition(world, status, "PodReadyToStartContainers", "True", NULL, NULL);
    world_condition(world, status, "Initialized", "True", ready ? NULL : reason, NULL);
    world_condition(world, status, "ContainersReady", value, ready ? NULL : reason, NULL);
    world_condition(world, status, "Ready", value, ready ? NULL : reason, NULL);
    return status;
}

static void set_running(struct kubelets *kubelets, struct world_object *pod, uint32_t restarts)
{
    char now[INSTANT_TEXT_MAX], address[32];
    world_now(kubelets->world, now);
    json_t *status = status_with_conditions(kubelets->world, pod, true, NULL);
    json_object_set_new(status, "phase", json_string("Running"));
    if (json_object_get(status, "startTime") == NULL)
        json_object_set_new(status, "startTime", json_string(now));
    if (json_object_get(status, "podIP") == NULL) {
        uint32_t number = ++kubelets->next_address;
        snprintf(address, sizeof address, "10.%u.%u.%u", 128 + (number >> 16 & 127),
                 number >> 8 & 255, number & 255);
        json_object_set_new(status, "podIP", json_string(address));
        json_object_set_new(status, "podIPs", json_pack("[{s:s}]", "ip", address));
    }
    json_object_set_new(status, "containerStatuses",
                        container_states(pod, "spec.containers", restarts, "running",
                                         json_pack("{s:s}", "startedAt", now), true));
    world_set_status(kubelets->world, pod, status);
}

static void set_ended(struct kubelets *kubelets, struct world_object *pod, int exit_code,
                      uint32_t restarts)
{
    char now[INSTANT_TEXT_MAX];
    world_now(kubelets->world, now);
    const char *phase = exit_code == 0 ? "Succeeded" : "Failed";
    const char *reason = exit_code == 0 ? "Completed" : "Error";
    json_t *status = status_with_conditions(kubelets->world, pod, false,
                                            exit_code == 0 ? "PodCompleted" : "PodFailed");
    json_object_set_new(status, "phase", json_string(phase));
    if (json_object_get(status, "startTime") == NULL)
        json_object_set_new(status, "startTime", json_string(now));
    json_t *state =
        json_pack("{s:i, s:s, s:s}", "exitCode", exit_code, "reason", reason, "finishedAt", now);
    json_object_set_new(
        status, "containerStatuses",
        container_states(pod, "spec.containers", restarts, "terminated", state, false));
    world_set_status(kubelets->world, pod, status);
}

// In a kubelet's words, an event for each container: `before`, its name or image, `after`.
static void tell(struct kubelets *kubelets, const struct world_object *pod, const char *reason,
                 const char *before, const char *field, const char *after)
{
    size_t index;
    json_t *container;
    if (!kubelets->world->options.comforts)
        return;
    json_array_foreach (store_path(pod->json, "spec.containers"), index, container) {
        struct text message = {0};
        text_format(&message, "%s%s%s", before, text_or_empty(world_text(container, field)), after);
        world_event(kubelets->world, pod, "Normal", reason, "kubelet", message.data);
        text_free(&message);
    }
}

static void start(struct kubelets *kubelets, struct world_object *pod, struct kubelet_pod *memory)
{
    struct world *world = kubelets->world;
    int64_t delay_ns = world_annotation_seconds(pod, ANNOTATION_SIM_START_SECONDS, -1);
    if (delay_ns < 0)
        delay_ns = world_jitter(world, pod->uid, world->options.pod_start_ns);
    int64_t now_ns = loop_monotonic_ns(world->loop);
    int64_t wait_ns = ns_subtract(ns_add(memory->seen, delay_ns), now_ns);
    if (wait_ns <= 0 && world->volumes != NULL && !volumes_attached(world->volumes, pod))
        wait_ns = ATTACH_POLL_NS;
    if (wait_ns > 0) {
        work_queue_add_after(kubelets->pod_work, pod->key, wait_ns);
        return;
    }
    memory->started = now_ns;
    tell(kubelets, pod, "Pulled", "Container image \"", "image", "\" already present on machine");
    tell(kubelets, pod, "Created", "Created container: ", "name", "");
    tell(kubelets, pod, "Started", "Started container ", "name", "");
    set_running(kubelets, pod, 0); // the change brings it back here, to run()
}

// Node lifecycle marks the pods of a silent node not ready. A kubelet that is back in touch, or
// reports its own node not ready, reports its containers as they are: running.
static void tell_ready_again(struct kubelets *kubelets, struct world_object *pod)
{
    world_set_status(kubelets->world, pod,
                     status_with_conditions(kubelets->world, pod, true, NULL));
}

// The containers end after their time, if they have one; then the restart policy applies.
static void run(struct kubelets *kubelets, struct world_object *pod, struct kubelet_pod *memory)
{
    if (!world_pod_ready(pod)) {
        tell_ready_again(kubelets, pod); // the change brings it back here
        return;
    }
    const char *policy = world_text(pod->json, "spec.restartPolicy");
    int64_t own_ns = kubelets->world->options.pod_run_ns;
    bool ends_by_itself = own_ns > 0 && !text_equal(policy, "Always");
    int64_t run_ns =
        world_annotation_seconds(pod, ANNOTATION_SIM_RUN_SECONDS, ends_by_itself ? own_ns : -1);
    if (run_ns < 0)
        return;
    int64_t now_ns = loop_monotonic_ns(kubelets->world->loop);
    int64_t wait_ns = ns_subtract(ns_add(memory->started, run_ns), now_ns);
    if (wait_ns > 0) {
        work_queue_add_after(kubelets->pod_work, pod->key, wait_ns);
        return;
    }
    const char *code_text = world_annotation(pod, ANNOTATION_SIM_EXIT_CODE);
    int64_t code = 0;
    if (code_text != NULL && !text_parse_int64(code_text, &code))
        code = 1;
    bool ends = text_equal(policy, "Never") || (text_equal(policy, "OnFailure") && code == 0);
    if (ends) {
        set_ended(kubelets, pod, (int)code, memory->restarts);
        return;
    }
    // A restart is reported at once; containers that end at once restart every ten seconds at most.
    memory->started = ns_add(now_ns, run_ns < 10 * SECOND ? 10 * SECOND : 0);
    memory->restarts++;
    set_running(kubelets, pod, memory->restarts);
}

// From the deletion on the containers have their stop time, at most the grace period.
static void stop(struct kubelets *kubelets, struct world_object *pod, struct kubelet_pod *memory)
{
    struct world *world = kubelets->world;
    int64_t grace_ns =
        ns_multiply(world_int(pod->json, "metadata.deletionGracePeriodSeconds", 0), SECOND);
    int64_t asked_ns =
        ns_subtract(world_instant(pod->json, "metadata.deletionTimestamp"), grace_ns);
    int64_t stop_ns = world_annotation_seconds(pod, ANNOTATION_SIM_STOP_SECONDS, -1);
    if (stop_ns < 0)
        stop_ns = world_jitter(world, pod->uid, world->options.pod_stop_ns);
    if (stop_ns > grace_ns)
        stop_ns = grace_ns;
    bool running = memory->started != 0 && !world_pod_ended(pod);
    int64_t wait_ns =
        running ? ns_subtract(ns_add(asked_ns, stop_ns), loop_now_ns(world->loop)) : 0;
    if (wait_ns > 0) {
        work_queue_add_after(kubelets->pod_work, pod->key, wait_ns);
        if (!memory->told_end)
            tell(kubelets, pod, "Killing", "Stopping container ", "name", "");
        memory->told_end = true;
        return;
    }
    char key[WORLD_KEY_MAX];
    snprintf(key, sizeof key, "%s", pod->key);
    // A pod that is not restarted for ever ends with a phase, which Jobs count.
    if (!world_pod_ended(pod) &&
        !text_equal(world_text(pod->json, "spec.restartPolicy"), "Always")) {
        set_ended(kubelets, pod, 143, memory->restarts);
        pod = world_find_key(world, KIND_POD, key);
    }
    // Grace 0 already: only other finalizers hold the object.
    if (pod != NULL &&
        !(grace_ns == 0 && json_array_size(store_path(pod->json, "metadata.finalizers")) > 0))
        world_remove(world, pod, 0, NULL);
}
