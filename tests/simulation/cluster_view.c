#include "simulation/cluster_view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/metrics_text.h"
#include "model/manifest/input.h"
#include "sim/store/store_patch.h"

static const struct store_resource *resource(struct scenario *scenario, const char *api_version,
                                             const char *kind)
{
    const struct store_resource *found =
        store_resource_of_kind(simulation_store(scenario->simulation), api_version, kind);
    assert_non_null(found);
    return found;
}

// --- objects -------------------------------------------------------------------------------------
json_t *view_object(struct scenario *scenario, const char *api_version, const char *kind,
                    const char *namespace, const char *name)
{
    return store_get(simulation_store(scenario->simulation), resource(scenario, api_version, kind),
                     namespace, name);
}

static bool take_first(void *context, json_t *object)
{
    *(json_t **)context = object;
    return false;
}

json_t *view_first(struct scenario *scenario, const char *api_version, const char *kind)
{
    json_t *first = NULL;
    store_each(simulation_store(scenario->simulation), resource(scenario, api_version, kind), NULL,
               take_first, &first);
    if (first == NULL)
        fail_msg("there is no %s", kind);
    return first;
}

json_t *view_claim(struct scenario *scenario)
{
    return view_first(scenario, KARPENTER, "NodeClaim");
}

json_t *view_node(struct scenario *scenario)
{
    return view_first(scenario, "v1", "Node");
}

uint32_t view_count(struct scenario *scenario, const char *api_version, const char *kind)
{
    return simulation_count(scenario->simulation, api_version, kind);
}

bool view_any_claim(struct scenario *scenario)
{
    return view_count(scenario, KARPENTER, "NodeClaim") > 0;
}

// --- readings ------------------------------------------------------------------------------------
const char *view_text(const json_t *object, const char *path)
{
    return json_string_value(store_path(object, path));
}

static const char *entry(const json_t *object, const char *map, const char *key)
{
    return json_string_value(json_object_get(store_path(object, map), key));
}

const char *view_label(const json_t *object, const char *key)
{
    return entry(object, "metadata.labels", key);
}

const char *view_annotation(const json_t *object, const char *key)
{
    return entry(object, "metadata.annotations", key);
}

bool view_has_finalizer(const json_t *object, const char *finalizer)
{
    size_t index;
    json_t *value;
    json_array_foreach (store_path(object, "metadata.finalizers"), index, value)
        if (text_equal(json_string_value(value), finalizer))
            return true;
    return false;
}

bool view_has_taint(const json_t *node, const char *key, const char *effect)
{
    size_t index;
    json_t *taint;
    json_array_foreach (store_path(node, "spec.taints"), index, taint)
        if (text_equal(json_string_value(json_object_get(taint, "key")), key) &&
            text_equal(json_string_value(json_object_get(taint, "effect")), effect))
            return true;
    return false;
}

static const json_t *condition(const json_t *object, const char *type)
{
    size_t index;
    json_t *value;
    json_array_foreach (store_path(object, "status.conditions"), index, value)
        if (text_equal(json_string_value(json_object_get(value, "type")), type))
            return value;
    return NULL;
}

const char *view_condition(const json_t *object, const char *type)
{
    static char texts[4][300];
    static unsigned next;
    const json_t *found = condition(object, type);
    if (found == NULL)
        return "none";
    char *text = texts[next++ % 4];
    snprintf(text, sizeof texts[0], "%s/%s", json_string_value(json_object_get(found, "status")),
             json_string_value(json_object_get(found, "reason")));
    return text;
}

const char *view_condition_message(const json_t *object, const char *type)
{
    const json_t *found = condition(object, type);
    return found != NULL ? json_string_value(json_object_get(found, "message")) : NULL;
}

static int64_t seconds_of(const char *text)
{
    int64_t instant;
    return text != NULL && instant_parse(text, &instant, NULL) ? instant / SECOND : 0;
}

int64_t view_transition(const json_t *object, const char *type)
{
    return seconds_of(
        json_string_value(json_object_get(condition(object, type), "lastTransitionTime")));
}

int64_t view_instant(const json_t *object, const char *path)
{
    return seconds_of(view_text(object, path));
}

int64_t view_now(struct scenario *scenario)
{
    return loop_now_ns(scenario->loop) / SECOND;
}

// --- events and metrics --------------------------------------------------------------------------
struct sought_event {
    const char *kind, *reason, *part;
    uint32_t count;
};

static bool count_event(void *context, json_t *event)
{
    struct sought_event *sought = context;
    const char *message = view_text(event, "message");
    json_int_t times = json_integer_value(json_object_get(event, "count"));
    if (text_equal(view_text(event, "involvedObject.kind"), sought->kind) &&
        text_equal(view_text(event, "reason"), sought->reason) &&
        (sought->part == NULL || (message != NULL && strstr(message, sought->part) != NULL)))
        sought->count += times > 0 ? (uint32_t)times : 1;
    return true;
}

uint32_t view_events(struct scenario *scenario, const char *kind, const char *reason,
                     const char *part)
{
    struct sought_event sought = {kind, reason, part, 0};
    store_each(simulation_store(scenario->simulation), resource(scenario, "v1", "Event"), NULL,
               count_event, &sought);
    return sought.count;
}

// The family that has the series: `_count`, `_sum` and `_bucket` belong to one without them.
static void write_family_of(struct scenario *scenario, const char *series, struct text *out)
{
    const struct metrics *metrics = simulation_metrics(scenario->simulation);
    size_t before = out->length;
    metrics_write_family(metrics, series, out);
    const char *last = strrchr(series, '_');
    if (out->length > before || last == NULL)
        return;
    struct text name = {0};
    text_add_bytes(&name, series, (size_t)(last - series));
    metrics_write_family(metrics, name.data, out);
    text_free(&name);
}

double view_metric(struct scenario *scenario, const char *family, const char *labels)
{
    struct text text = {0}, line = {0};
    text_format(&line, "\n%s%s%s%s ", family, *labels != '\0' ? "{" : "", labels,
                *labels != '\0' ? "}" : "");
    text_add(&text, "\n");
    write_family_of(scenario, family, &text);
    const char *at = strstr(text.data, line.data);
    double value = at != NULL ? strtod(at + strlen(line.data), NULL) : -1;
    text_free(&text);
    text_free(&line);
    return value;
}

double view_metric_sum(struct scenario *scenario, const char *family, const char *part)
{
    struct text text = {0};
    double sum = 0;
    write_family_of(scenario, family, &text);
    char *rest = text.data;
    for (char *line; (line = strsep(&rest, "\n")) != NULL;) {
        size_t length = strcspn(line, "{ ");
        const char *value = strrchr(line, ' ');
        if (length == strlen(family) && strncmp(line, family, length) == 0 && value != NULL &&
            strstr(line, part) != NULL)
            sum += strtod(value, NULL);
    }
    text_free(&text);
    return sum;
}

double view_landed(struct scenario *scenario, const char *where)
{
    char label[40];
    snprintf(label, sizeof label, "landed=\"%s\"", where);
    return view_metric_sum(scenario, "adze_plan_divergence_pods_total", label);
}

// --- by hand -------------------------------------------------------------------------------------
void hand_patch(struct scenario *scenario, const char *api_version, const char *kind,
                const char *namespace, const char *name, const char *subresource, const char *patch)
{
    struct documents documents = {0};
    struct error error = {0};
    if (!documents_read_text(&documents, patch, strlen(patch), "patch", false, &error))
        fail_msg("%s", error.message);
    assert_int_equal(documents.count, 1);
    if (store_patch(simulation_store(scenario->simulation),
                    &(struct store_target){resource(scenario, api_version, kind), namespace, name,
                                           subresource},
                    "merge", documents.items[0].value, &error) == NULL)
        fail_msg("%s", error.message);
    documents_free(&documents);
}

void hand_delete(struct scenario *scenario, const char *api_version, const char *kind,
                 const char *namespace, const char *name)
{
    struct error error = {0};
    if (!simulation_delete(scenario->simulation, api_version, kind, namespace, name, &error))
        fail_msg("%s", error.message);
}

void hand_pod(struct scenario *scenario, const char *name, const char *cpu, const char *metadata,
              const char *spec)
{
    struct text text = {0};
    text_format(&text,
                "apiVersion: v1\nkind: Pod\nmetadata: {%sname: %s, namespace: default}\n"
                "spec: {%scontainers: [{name: c, image: i, resources: {requests: {cpu: '%s'}}}]}\n",
                metadata, name, spec, cpu);
    scenario_apply(scenario, text.data);
    text_free(&text);
}

void hand_bound_volume(struct scenario *scenario)
{
    scenario_apply(scenario,
                   "apiVersion: v1\nkind: PersistentVolume\nmetadata: {name: pv-1}\n"
                   "spec: {capacity: {storage: 1Gi}, csi: {driver: d, volumeHandle: v}}\n---\n"
                   "apiVersion: v1\nkind: PersistentVolumeClaim\n"
                   "metadata: {name: data, namespace: default, "
                   "annotations: {pv.kubernetes.io/bind-completed: 'yes'}}\n"
                   "spec: {volumeName: pv-1}\n");
    hand_patch(scenario, "v1", "PersistentVolumeClaim", "default", "data", "status",
               "status: {phase: Bound}");
}

void hand_pool(struct scenario *scenario, const char *template_spec, const char *spec)
{
    struct text text = {0};
    text_format(&text,
                "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: default}\n"
                "spec: {%stemplate: {spec: {%s"
                "nodeClassRef: {group: karpenter.kwok.sh, kind: KWOKNodeClass, name: default}}}}\n",
                spec, template_spec);
    scenario_apply(scenario, text.data);
    text_free(&text);
}
