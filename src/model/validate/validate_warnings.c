#include "model/validate/validate_warnings.h"

#include <string.h>

#include "base/vector.h"
#include "model/reading/pool_annotations.h"
#include "model/tables/rules_json.h"
#include "model/tables/well_known.h"
#include "model/validate/validate_warnings_budgets.h"
#include "model/validate/validate_warnings_names.h"
#include "model/validate/validate_warnings_requirements.h"
#include "model/validate/validate_warnings_values.h"

// --- texts ---------------------------------------------------------------------------------------
static bool looks_unfilled(const char *text)
{
    if (strstr(text, "ADZE-TODO") != NULL)
        return true;
    const char *open = strstr(text, "${"), *template = strstr(text, "{{");
    if ((open != NULL && strchr(open, '}') != NULL) ||
        (template != NULL && strstr(template, "}}") != NULL))
        return true;
    for (const char *at = text; (at = strpbrk(at, "$<")) != NULL; at++) {
        size_t capitals = strspn(at + 1, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_"); // $NAME
        size_t word = strspn(at + 1, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_- ");
        if (*at == '$' ? capitals > 1 : word > 1 && at[1 + word] == '>')
            return true;
    }
    size_t length = strlen(text);
    return length > 2 && text[0] == '<' && text[length - 1] == '>';
}

// Fields that may contain dollar signs or angle brackets.
static bool is_free_text(const char *key)
{
    static const char *const keys[] = {"userData",      "annotations", "kubelet", "status",
                                       "managedFields", "context",     NULL};
    return text_list_has(keys, key);
}

static bool is_in_typographic_quotes(const char *text)
{
    return text_starts_with(text, "\xE2\x80\x9C") || text_starts_with(text, "\xE2\x80\x98");
}

static void advise_text(struct validation *validation, const struct place *place,
                        const json_t *value)
{
    const char *key;
    json_t *child;
    size_t index;
    if (json_is_string(value) && looks_unfilled(json_string_value(value)))
        validation_report(validation,
                          &(struct report){.level = FINDING_REJECTED,
                                           .rule = "GUI-11",
                                           .place = place,
                                           .hint = "put the value in its place"},
                          "\"%.200s\" looks like a variable that was "
                          "not filled in",
                          json_string_value(value));
    else if (json_is_string(value) && is_in_typographic_quotes(json_string_value(value)))
        validation_report(validation,
                          &(struct report){.level = FINDING_REJECTED,
                                           .rule = "GUI-11",
                                           .place = place,
                                           .hint = "write plain quotes; `adze convert` does"},
                          "%.200s: typographic quotes are a part of the value",
                          json_string_value(value));
    json_object_foreach ((json_t *)value, key, child) {
        struct place child_place = {place, key, 0};
        if (!is_free_text(key))
            advise_text(validation, &child_place, child);
    }
    json_array_foreach (value, index, child) {
        struct place child_place = {place, NULL, index};
        advise_text(validation, &child_place, child);
    }
}

void warn_texts(struct validation *validation, const json_t *object)
{
    advise_text(validation, NULL, object);
}

// --- the kinds -----------------------------------------------------------------------------------
// GUI-12.
static void advise_startup_taints(struct validation *validation, const struct place *spec_place,
                                  const json_t *spec)
{
    static const char *const own[] = {
        "node.kubernetes.io/not-ready",       "node.kubernetes.io/unreachable",
        "node.kubernetes.io/memory-pressure", "node.kubernetes.io/disk-pressure",
        "node.kubernetes.io/pid-pressure",    "node.kubernetes.io/network-unavailable",
        "node.kubernetes.io/unschedulable",   "node.cloudprovider.kubernetes.io/uninitialized",
        "karpenter.sh/unregistered",          NULL};
    struct place list_place = {spec_place, "startupTaints", 0};
    size_t index;
    json_t *taint;
    json_array_foreach (json_object_get(spec, "startupTaints"), index, taint) {
        struct place place = {&list_place, NULL, index};
        const char *key = json_text(taint, "key");
        if (key != NULL && text_list_has(own, key))
            validation_warn(validation, &place, "W-startup-taint", "leave it out",
                            "%s is put on and taken off without being listed", key);
    }
}

static void advise_lifetimes(struct validation *validation, const struct place *spec_place,
                             const json_t *spec, bool never_disrupted)
{
    struct place grace_place = {spec_place, "terminationGracePeriod", 0};
    struct place expire_place = {spec_place, "expireAfter", 0};
    int64_t grace, expire;
    bool has_grace = warn_duration(validation, &grace_place, spec, &grace);
    bool expires = warn_duration(validation, &expire_place, spec, &expire);
    if (has_grace && expires && grace >= expire)
        validation_warn(validation, &grace_place, "W-expire-tgp",
                        "make it shorter than expireAfter",
                        "a node may take as long to drain as it may live");
    if (never_disrupted && !json_has(spec, "terminationGracePeriod"))
        validation_warn(
            validation, spec_place, "W-never-drains",
            "allow some disruption in the budgets, or set terminationGracePeriod",
            expires ? "an expired node waits for its pods without end, and nothing else replaces it"
                    : "nodes are never replaced, and one that must go waits for its pods without "
                      "end");
}

static void advise_static(struct validation *validation, const struct place *disruption_place,
                          const json_t *disruption)
{
    static const char *const names[][2] = {{"consolidateAfter", "0s"},
                                           {"consolidationPolicy", "WhenEmptyOrUnderutilized"}};
    for (size_t i = 0; i < ARRAY_LENGTH(names); i++) {
        struct place place = {disruption_place, names[i][0], 0};
        const char *text = json_text(disruption, names[i][0]);
        if (text != NULL && strcmp(text, names[i][1]) != 0)
            validation_warn(validation, &place, "W-static-ignored", "leave it out",
                            "a static NodePool is not consolidated");
    }
}

static void advise_annotations(struct validation *validation, const json_t *object)
{
    struct place metadata_place = {NULL, "metadata", 0};
    struct place list_place = {&metadata_place, "annotations", 0};
    const json_t *annotations = json_object_get(json_object_get(object, "metadata"), "annotations");
    const char *key;
    json_t *value;
    json_object_foreach ((json_t *)annotations, key, value) {
        struct place place = {&list_place, key, 0};
        const char *text = json_string_value(value);
        const char *problem = text != NULL ? pool_annotation_problem(key, text) : NULL;
        if (problem != NULL)
            validation_warn(validation, &place, "W-annotation", NULL,
                            "%s; as it is, it has no effect", problem);
    }
}

void warn_node_pool(struct validation *validation, const json_t *object)
{
    struct place spec_place = {NULL, "spec", 0};
    struct place template_place = {&spec_place, "template", 0};
    struct place metadata_place = {&template_place, "metadata", 0};
    struct place labels_place = {&metadata_place, "labels", 0};
    struct place inner_place = {&template_place, "spec", 0};
    struct place requirements_place = {&inner_place, "requirements", 0};
    struct place disruption_place = {&spec_place, "disruption", 0};
    struct place after_place = {&disruption_place, "consolidateAfter", 0};
    struct place limits_place = {&spec_place, "limits", 0};
    struct place replicas_place = {&spec_place, "replicas", 0};
    const json_t *spec = json_object_get(object, "spec");
    const json_t *template = json_object_get(spec, "template");
    const json_t *labels = json_object_get(json_object_get(template, "metadata"), "labels");
    const json_t *inner = json_object_get(template, "spec");
    const json_t *disruption = json_object_get(spec, "disruption");
    const char *key;
    json_t *value;
    json_object_foreach ((json_t *)labels, key, value) {
        struct place place = {&labels_place, key, 0};
        warn_key(validation, &place, key);
        if (json_is_string(value))
            warn_zone(validation, &place, label_alias_target(key), json_string_value(value));
    }
    warn_requirements(validation, &requirements_place, json_object_get(inner, "requirements"),
                      labels);
    advise_startup_taints(validation, &inner_place, inner);
    int64_t after;
    warn_duration(validation, &after_place, disruption, &after);
    unsigned blocked = warn_budgets(validation, &disruption_place, spec);
    advise_lifetimes(validation, &inner_place, inner, blocked == BUDGET_REASONS_ALL);
    warn_quantities(validation, &limits_place, json_object_get(spec, "limits"));
    warn_resource_names(validation, &limits_place, json_object_get(spec, "limits"));
    advise_annotations(validation, object);
    if (json_has(spec, "replicas")) {
        advise_static(validation, &disruption_place, disruption);
        validation_warn(
            validation, &replicas_place, "W-feature-gate",
            "set FEATURE_GATES=StaticCapacity=true on the controller",
            "static NodePools need the feature gate StaticCapacity, which is off by default");
    }
}

void warn_node_claim(struct validation *validation, const json_t *object)
{
    struct place spec_place = {NULL, "spec", 0};
    struct place requirements_place = {&spec_place, "requirements", 0};
    struct place resources_place = {&spec_place, "resources", 0};
    struct place requests_place = {&resources_place, "requests", 0};
    const json_t *spec = json_object_get(object, "spec");
    warn_requirements(validation, &requirements_place, json_object_get(spec, "requirements"), NULL);
    advise_lifetimes(validation, &spec_place, spec, false);
    warn_quantities(validation, &requests_place,
                    json_object_get(json_object_get(spec, "resources"), "requests"));
}

void warn_node_overlay(struct validation *validation, const json_t *object)
{
    struct place spec_place = {NULL, "spec", 0};
    struct place requirements_place = {&spec_place, "requirements", 0};
    struct place capacity_place = {&spec_place, "capacity", 0};
    const json_t *spec = json_object_get(object, "spec");
    warn_requirements(validation, &requirements_place, json_object_get(spec, "requirements"), NULL);
    warn_quantities(validation, &capacity_place, json_object_get(spec, "capacity"));
    validation_warn(validation, NULL, "W-feature-gate",
                    "set FEATURE_GATES=NodeOverlay=true on the controller",
                    "NodeOverlays need the feature gate NodeOverlay, which is off by default");
}

void warn_capacity_buffer(struct validation *validation, const json_t *object)
{
    struct place spec_place = {NULL, "spec", 0};
    struct place limits_place = {&spec_place, "limits", 0};
    struct place percentage_place = {&spec_place, "percentage", 0};
    const json_t *spec = json_object_get(object, "spec");
    warn_quantities(validation, &limits_place, json_object_get(spec, "limits"));
    if (!json_has(spec, "podTemplateRef") && !json_has(spec, "scalableRef"))
        validation_report(validation,
                          &(struct report){.level = FINDING_REJECTED,
                                           .rule = "API-78",
                                           .place = &spec_place,
                                           .hint = "name a PodTemplate or a workload"},
                          "neither podTemplateRef nor scalableRef says what to keep room for");
    if (json_has(spec, "podTemplateRef") && json_has(spec, "percentage"))
        validation_warn(validation, &percentage_place, "W-percentage-ignored", "write replicas",
                        "percentage is ignored with podTemplateRef");
    validation_warn(
        validation, NULL, "W-feature-gate",
        "set FEATURE_GATES=CapacityBuffer=true on the controller",
        "CapacityBuffers need the feature gate CapacityBuffer, which is off by default");
}
