#include "simulation/load_trace.h"

#include <stdlib.h>

#include "base/duration.h"
#include "base/memory.h"
#include "base/text.h"
#include "sim/store/store_json.h"
#include "sim/store/store_resources.h"
#include "sim/store/store_watch.h"
#include "simulation/cluster_view.h"

struct load_trace {
    struct scenario *scenario;
    FILE *out;
    struct store_watch *pods, *nodes;
};

static const char *text_of(const json_t *object, const char *path)
{
    const char *text = json_string_value(store_path(object, path));
    return text != NULL && text[0] != '\0' ? text : NULL;
}

static const char *word(const char *text)
{
    return text != NULL ? text : "None";
}

static void begin_line(struct load_trace *trace, const char *what, const json_t *object)
{
    double seconds = (double)loop_now_ns(trace->scenario->loop) / (double)SECOND;
    fprintf(trace->out, "%.4f %s %s", seconds, what, store_name(object));
}

static bool is_closed(const json_t *node)
{
    return node != NULL && (view_has_taint(node, "karpenter.sh/unregistered", "NoExecute") ||
                            view_has_taint(node, "adze.dev/awaiting-pods", "NoSchedule"));
}

static void note_node(void *context, const struct store_change *change)
{
    struct load_trace *trace = context;
    bool closed = is_closed(change->object);
    if (change->previous != NULL && closed == is_closed(change->previous))
        return;
    begin_line(trace, closed ? "closed" : "open", change->object);
    const json_t *labels = store_path(change->object, "metadata.labels");
    fprintf(trace->out, " %s %s %s\n",
            word(json_string_value(json_object_get(labels, "topology.kubernetes.io/zone"))),
            word(text_of(change->object, "status.allocatable.cpu")),
            word(text_of(change->object, "status.allocatable.memory")));
}

static const json_t *refusal(const json_t *pod)
{
    size_t i;
    const json_t *condition;
    json_array_foreach (store_path(pod, "status.conditions"), i, condition)
        if (text_equal(json_string_value(json_object_get(condition, "type")), "PodScheduled") &&
            text_equal(json_string_value(json_object_get(condition, "status")), "False"))
            return condition;
    return NULL;
}

static void note_refusal(struct load_trace *trace, const struct store_change *change)
{
    const json_t *now = refusal(change->object), *before = refusal(change->previous);
    if (now == NULL || (before != NULL && json_equal(now, before)))
        return;
    begin_line(trace, "refused", change->object);
    fprintf(trace->out, " %s\n", word(json_string_value(json_object_get(now, "message"))));
}

static void note_pod(void *context, const struct store_change *change)
{
    struct load_trace *trace = context;
    const json_t *pod = change->object, *previous = change->previous;
    const char *nominated = text_of(pod, "status.nominatedNodeName");
    const char *before = text_of(previous, "status.nominatedNodeName");
    const char *node = text_of(pod, "spec.nodeName");
    note_refusal(trace, change);
    if (node == NULL && !text_equal(nominated, before)) {
        begin_line(trace, nominated != NULL ? "nominated" : "cleared", pod);
        fprintf(trace->out, " %s\n", word(nominated != NULL ? nominated : before));
    }
    if (node != NULL && text_of(pod, "metadata.deletionTimestamp") != NULL &&
        text_of(previous, "metadata.deletionTimestamp") == NULL) {
        begin_line(trace, "leaves", pod);
        fprintf(trace->out, " %s\n", node);
    }
    if (node != NULL && text_of(previous, "spec.nodeName") == NULL) {
        begin_line(trace, "bound", pod);
        fprintf(trace->out, " %s %s\n", word(before), node);
    }
}

static struct store_watch *watch(struct load_trace *trace, const char *kind,
                                 store_change_event event)
{
    struct store *store = simulation_store(trace->scenario->simulation);
    const struct store_target all = {.resource = store_resource_of_kind(store, "v1", kind)};
    return store_watch_changes(store, &all, 0, event, trace, NULL);
}

struct load_trace *load_trace_create(struct scenario *scenario, FILE *out)
{
    struct load_trace *trace = memory_allocate(sizeof *trace);
    *trace = (struct load_trace){.scenario = scenario, .out = out};
    trace->nodes = watch(trace, "Node", note_node);
    trace->pods = watch(trace, "Pod", note_pod);
    return trace;
}

void load_trace_destroy(struct load_trace *trace)
{
    store_watch_destroy(trace->pods);
    store_watch_destroy(trace->nodes);
    free(trace);
}
