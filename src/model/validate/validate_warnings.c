#include "model/validate/validate_warnings.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/pattern.h"
#include "base/quantity.h"
#include "base/vector.h"
#include "model/reading/pool_annotations.h"
#include "model/schema/karpenter.h"
#include "model/schema/schema.h"
#include "model/tables/rules_json.h"
#include "model/tables/well_known.h"
#include "model/validate/budget_lint.h"
#include "model/validate/validate_hints.h"
#include "model/validate/validate_requirements.h"
#include "model/validate/validation.h"

static void warn(struct validation *validation, const struct place *place, const char *code,
                 const char *hint, const char *format, ...) PRINTF_LIKE(5, 6);
static void warn(struct validation *validation, const struct place *place, const char *code,
                 const char *hint, const char *format, ...)
{
    char message[2000];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    validation_report(validation, FINDING_WARNING, code, "API-313", place, hint, "%s", message);
}

// --- texts ---------------------------------------------------------------------------------------
static bool looks_unfilled(const char *text)
{
    if (strstr(text, "ADZE-TODO") != NULL)
        return true;
    const char *open = strstr(text, "${");
    if (open != NULL && strchr(open, '}') != NULL)
        return true;
    size_t length = strlen(text);
    return (length > 2 && text[0] == '<' && text[length - 1] == '>') ||
           (text[0] == '$' && length > 1 &&
            strspn(text + 1, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_") == length - 1);
}

// Where a dollar sign or angle brackets are the user's own business.
static bool is_free_text(const char *key)
{
    static const char *const keys[] = {"userData",      "annotations", "kubelet", "status",
                                       "managedFields", "context",     NULL};
    return text_list_has(keys, key);
}

static void advise_text(struct validation *validation, const struct place *place,
                        const json_t *value)
{
    const char *key;
    json_t *child;
    size_t index;
    if (json_is_string(value) && looks_unfilled(json_string_value(value)))
        validation_report(validation, FINDING_REJECTED, NULL, "GUI-11", place,
                          "put the value in its place",
                          "\"%.200s\" looks like a variable that was "
                          "not filled in",
                          json_string_value(value));
    json_object_foreach ((json_t *)value, key, child) {
        struct place child_place = {place, key, 0, true};
        if (!is_free_text(key))
            advise_text(validation, &child_place, child);
    }
    json_array_foreach (value, index, child) {
        struct place child_place = {place, NULL, index, false};
        advise_text(validation, &child_place, child);
    }
}

void warn_texts(struct validation *validation, const json_t *object)
{
    advise_text(validation, NULL, object);
}

// --- keys and requirements -----------------------------------------------------------------------
static bool is_product_domain(const char *domain)
{
    static const char *const ends[] = {"kubernetes.io",     "k8s.io",  "karpenter.sh",
                                       "karpenter.k8s.aws", "k8s.aws", NULL};
    for (size_t i = 0; ends[i] != NULL; i++)
        if (text_ends_with(domain, ends[i]))
            return true;
    return false;
}

static bool is_near(const char *a, const char *b)
{
    size_t length = strlen(b);
    return text_distance(a, b) <= (length / 4 > 1 ? length / 4 : 1);
}

// The known key that is probably meant, or NULL: a near name in a near domain, or a telling name
// under another of the product's domains.
static const char *meant_key(const char *key, const char *const *known)
{
    char domain[400], known_domain[400];
    const char *slash = strchr(key, '/');
    if (slash == NULL || strlen(key) >= sizeof domain)
        return NULL;
    snprintf(domain, sizeof domain, "%.*s", (int)(slash - key), key);
    for (; known != NULL && *known != NULL; known++) {
        const char *name = strchr(*known, '/') + 1;
        snprintf(known_domain, sizeof known_domain, "%.*s", (int)(name - 1 - *known), *known);
        bool same_name = strcmp(slash + 1, name) == 0,
             same_domain = strcmp(domain, known_domain) == 0;
        if (same_domain && is_near(slash + 1, name) && strlen(name) > 3)
            return *known;
        if (same_name && is_near(domain, known_domain))
            return *known;
        if (same_name && strchr(name, '-') != NULL && is_product_domain(domain))
            return *known;
    }
    return NULL;
}

static bool is_any_well_known(const char *key)
{
    bool known = label_is_well_known(key, NULL);
    for (const struct provider_labels *const *at = provider_labels_all; *at != NULL; at++)
        known = known || text_list_has((*at)->well_known, key);
    return known;
}

static void advise_key(struct validation *validation, const struct place *place, const char *key)
{
    const char *successor = label_successor(key);
    char hint[500];
    if (successor != NULL) {
        snprintf(hint, sizeof hint, "write %s", successor);
        warn(validation, place, "W-old-name", successor[0] != '\0' ? hint : "leave it out",
             "%s is an old name", key);
        return;
    }
    const struct provider_labels *labels = provider_labels_of(NULL, validation->options->core);
    if (is_any_well_known(key) || strcmp(key, "karpenter.k8s.aws/ec2nodeclass") == 0 ||
        strcmp(key, LABEL_HOSTNAME) == 0)
        return;
    const char *meant = meant_key(key, well_known_core);
    if (meant == NULL && labels != NULL)
        meant = meant_key(key, labels->well_known);
    if (meant == NULL)
        return;
    snprintf(hint, sizeof hint, "did you mean %s?", meant);
    warn(validation, place, "W-label-typo", hint, "%s is not a known label", key);
}

// GUI-8.
static bool is_resource_name(const char *key)
{
    static const char *const names[] = {"nvidia.com/gpu",        "amd.com/gpu",
                                        "aws.amazon.com/neuron", "aws.amazon.com/neuroncore",
                                        "habana.ai/gaudi",       NULL};
    return text_list_has(names, key);
}

static const char *const *allowed_values(const struct validation *validation, const char *key)
{
    static const char *const architectures[] = {"amd64", "arm64", NULL};
    static const char *const systems[] = {"linux", "windows", NULL};
    if (strcmp(key, LABEL_ARCH) == 0)
        return architectures;
    if (strcmp(key, LABEL_OS) == 0)
        return systems;
    return label_known_values(key, provider_labels_of(NULL, validation->options->core));
}

static void advise_values(struct validation *validation, const struct place *place, const char *key,
                          const json_t *requirement)
{
    const char *const *allowed = allowed_values(validation, key);
    bool is_list = json_text_is(requirement, "operator", "In") ||
                   json_text_is(requirement, "operator", "NotIn");
    if (allowed == NULL || !is_list)
        return;
    struct place values_place = {place, "values", 0, false};
    size_t index;
    json_t *value;
    json_array_foreach (json_object_get(requirement, "values"), index, value) {
        struct place child = {&values_place, NULL, index, false};
        const char *word = json_string_value(value);
        struct text hint = {0};
        if (word != NULL && !text_list_has(allowed, word))
            warn(validation, &child, "W-unknown-value",
                 hint_enum(word, allowed, &hint) ? hint.data : NULL, "%s has no value %s", key,
                 word);
        text_free(&hint);
    }
}

// How many values the key can ever have; SIZE_MAX if that is not known.
static size_t possible_values(const struct validation *validation, const char *key,
                              const json_t *requirement)
{
    const char *const *allowed = allowed_values(validation, key);
    size_t known = 0, distinct = 0;
    while (allowed != NULL && allowed[known] != NULL)
        known++;
    if (!json_text_is(requirement, "operator", "In"))
        return allowed != NULL ? known : SIZE_MAX;
    const json_t *values = json_object_get(requirement, "values");
    for (size_t i = 0; i < json_array_size(values); i++) {
        const json_t *value = json_array_get(values, i);
        bool counts = allowed == NULL ||
                      (json_is_string(value) && text_list_has(allowed, json_string_value(value)));
        for (size_t k = 0; k < i && counts; k++)
            counts = !json_equal(json_array_get(values, k), value);
        distinct += counts;
    }
    return distinct;
}

static void advise_requirement(struct validation *validation, const struct place *place,
                               const json_t *requirement)
{
    const char *given = json_text(requirement, "key"),
               *operator= json_text(requirement, "operator");
    if (given == NULL || operator== NULL)
        return;
    struct place key_place = {place, "key", 0, false}, values_place = {place, "values", 0, false};
    struct place min_place = {place, "minValues", 0, false};
    const char *key = label_alias_target(given);
    size_t count = json_size(requirement, "values");
    bool takes_none = strcmp(operator, "Exists") == 0 || strcmp(operator, "DoesNotExist") == 0;
    if (takes_none && count > 0)
        warn(validation, &values_place, "W-empty-values-ignored",
             "leave values out, or use operator In or NotIn",
             "values are ignored with operator %s", operator);
    if (strcmp(operator, "NotIn") == 0 && count == 0)
        warn(validation, place, "W-notin-empty", "add values, or leave the requirement out",
             "NotIn without values restricts nothing");
    if (is_resource_name(given))
        warn(validation, &key_place, "W-resource-key",
             "use karpenter.k8s.aws/instance-gpu-count Gt \"0\" or "
             "karpenter.k8s.aws/instance-gpu-manufacturer",
             "%s is a resource, not a label", given);
    else
        advise_key(validation, &key_place, given);
    advise_values(validation, place, key, requirement);
    const json_t *min_values = json_object_get(requirement, "minValues");
    size_t possible = possible_values(validation, key, requirement);
    if (json_is_integer(min_values) && json_integer_value(min_values) > 0 &&
        (size_t)json_integer_value(min_values) > possible &&
        (strcmp(operator, "In") != 0 || possible < count))
        warn(validation, &min_place, "W-min-values", "lower minValues",
             "only %zu different values of %s can ever match", possible, key);
}

static void advise_requirements(struct validation *validation, const struct place *place,
                                const json_t *requirements, const json_t *labels)
{
    size_t index;
    json_t *requirement;
    json_array_foreach (requirements, index, requirement) {
        struct place child = {place, NULL, index, false};
        advise_requirement(validation, &child, requirement);
    }
    struct requirement_source source = {requirements, labels};
    int last = -1;
    const char *key = requirements_contradiction(&source, 1, &last);
    if (key == NULL)
        return;
    struct place child = {place, NULL, last >= 0 ? (size_t)last : 0, false};
    warn(validation, last >= 0 ? &child : place, "W-requirement-contradiction",
         "no machine can meet them together",
         "the requirements and labels on %s leave no value over", key);
}

// --- quantities and durations --------------------------------------------------------------------
static bool is_counted(const char *resource)
{
    return strcmp(resource, "pods") == 0 || strcmp(resource, "nodes") == 0 ||
           strchr(resource, '/') != NULL;
}

// API-603: what passes the schema's pattern and does not decode takes the whole object out.
static void advise_quantities(struct validation *validation, const struct place *place,
                              const json_t *map)
{
    const char *key;
    json_t *value;
    json_object_foreach ((json_t *)map, key, value) {
        struct place child = {place, key, 0, true};
        const char *text = json_string_value(value);
        int64_t number, thousandths;
        struct error error;
        if (text == NULL || !pattern_matches(PATTERN_QUANTITY, text)) {
            if (json_is_integer(value) && json_integer_value(value) < 0)
                warn(validation, &child, "W-quantity", NULL, "the quantity is negative");
            continue;
        }
        if (!quantity_parse(key, text, &number, &error))
            validation_report(validation, FINDING_REJECTED, "W-quantity", "API-603", &child, NULL,
                              "\"%s\" passes the schema but is no quantity: %s", text,
                              error.message);
        else if (number < 0)
            warn(validation, &child, "W-quantity", NULL, "the quantity is negative");
        else if (is_counted(key) && quantity_parse_scaled(text, 3, &thousandths, &error) &&
                 thousandths % 1000 != 0)
            warn(validation, &child, "W-quantity", NULL,
                 "\"%s\" is a fraction where whole units are counted", text);
    }
}

#define HOUR_TEXT_MAX "2562047h"

// The schemas' patterns take any number of digits (API-19).
static bool duration_of(struct validation *validation, const struct place *place,
                        const json_t *object, int64_t *nanoseconds)
{
    const char *text = json_text(object, place->key);
    struct error error;
    *nanoseconds = DURATION_NEVER;
    if (text == NULL || strcmp(text, "Never") == 0)
        return false;
    if (!pattern_matches(PATTERN_DURATION, text))
        return false;
    if (duration_parse(text, nanoseconds, &error))
        return true;
    *nanoseconds = DURATION_NEVER;
    validation_report(validation, FINDING_REJECTED, NULL, "API-603", place,
                      "the most is " HOUR_TEXT_MAX "; write Never where the field takes it",
                      "\"%s\" passes the schema but is too long to be read", text);
    return false;
}

// --- budgets -------------------------------------------------------------------------------------
enum { REASON_UNDERUTILIZED = 1, REASON_EMPTY = 2, REASON_DRIFTED = 4, REASONS_ALL = 7 };

static unsigned reasons_of(const json_t *budget)
{
    const json_t *list = json_object_get(budget, "reasons");
    if (list == NULL)
        return REASONS_ALL;
    unsigned reasons = 0;
    size_t index;
    json_t *reason;
    json_array_foreach (list, index, reason) {
        const char *word = json_is_string(reason) ? json_string_value(reason) : "";
        reasons |= strcmp(word, "Underutilized") == 0 ? REASON_UNDERUTILIZED
                   : strcmp(word, "Empty") == 0       ? REASON_EMPTY
                   : strcmp(word, "Drifted") == 0     ? REASON_DRIFTED
                                                      : 0;
    }
    return reasons;
}

// As far as oddities go; the reasons' texts are not looked at.
static struct node_pool_budget budget_of(const json_t *budget, int64_t duration)
{
    static const char *const listed[] = {""};
    const json_t *list = json_object_get(budget, "reasons");
    struct node_pool_budget result = {.nodes = json_text(budget, "nodes"),
                                      .schedule = json_text(budget, "schedule"),
                                      .duration = {json_text(budget, "duration"), duration}};
    if (list != NULL)
        result.reasons = (struct string_list){.items = (const char **)(uintptr_t)listed,
                                              .count = json_array_size(list) > 0};
    return result;
}

struct budget_place {
    struct validation *validation;
    const struct place *place;
};

static void report_oddity(void *context, const struct budget_finding *oddity)
{
    const struct budget_place *budget = context;
    struct place field = {budget->place, oddity->field, 0, false};
    warn(budget->validation, &field, oddity->code, oddity->hint, "%s", oddity->message);
}

// How many nodes a pool can have that says so.
static int64_t most_nodes_of(const json_t *spec)
{
    const json_t *replicas = json_object_get(spec, "replicas");
    const json_t *limit = json_object_get(json_object_get(spec, "limits"), "nodes");
    int64_t most = INT64_MAX, nodes = INT64_MAX;
    struct error error;
    if (json_is_integer(replicas))
        most = json_integer_value(replicas);
    if (json_is_integer(limit))
        nodes = json_integer_value(limit);
    else if (json_is_string(limit) &&
             !quantity_parse("nodes", json_string_value(limit), &nodes, &error))
        nodes = INT64_MAX;
    return nodes < most ? nodes : most;
}

static const char *reasons_text(unsigned reasons)
{
    static const char *const texts[] = {"",
                                        "Underutilized",
                                        "Empty",
                                        "Underutilized and Empty",
                                        "Drifted",
                                        "Underutilized and Drifted",
                                        "Empty and Drifted",
                                        "any reason"};
    return texts[reasons];
}

// Reasons for which nothing may ever be disrupted.
static unsigned advise_budgets(struct validation *validation, const struct place *disruption_place,
                               const json_t *spec)
{
    const json_t *disruption = json_object_get(spec, "disruption");
    struct place list_place = {disruption_place, "budgets", 0, false};
    unsigned blocked = 0;
    size_t index;
    json_t *budget;
    json_array_foreach (json_object_get(disruption, "budgets"), index, budget) {
        struct place place = {&list_place, NULL, index, false};
        struct place duration_place = {&place, "duration", 0, false};
        struct budget_place about = {validation, &place};
        int64_t duration;
        duration_of(validation, &duration_place, budget, &duration);
        struct node_pool_budget typed = budget_of(budget, duration);
        budget_lint(&typed, most_nodes_of(spec), validation->options->now, report_oddity, &about);
        unsigned reasons = reasons_of(budget);
        if (reasons == 0 || !budget_always_blocks(&typed))
            continue;
        warn(validation, &place, "W-budget-blocks",
             "add a schedule and a duration, or allow a number of nodes",
             "no node is ever disrupted for %s", reasons_text(reasons));
        blocked |= reasons;
    }
    return blocked;
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
    struct place list_place = {spec_place, "startupTaints", 0, false};
    size_t index;
    json_t *taint;
    json_array_foreach (json_object_get(spec, "startupTaints"), index, taint) {
        struct place place = {&list_place, NULL, index, false};
        const char *key = json_text(taint, "key");
        if (key != NULL && text_list_has(own, key))
            warn(validation, &place, "W-startup-taint", "leave it out",
                 "%s is put on and taken off without being listed", key);
    }
}

static void advise_lifetimes(struct validation *validation, const struct place *spec_place,
                             const json_t *spec, bool never_disrupted)
{
    struct place grace_place = {spec_place, "terminationGracePeriod", 0, false};
    struct place expire_place = {spec_place, "expireAfter", 0, false};
    int64_t grace, expire;
    bool has_grace = duration_of(validation, &grace_place, spec, &grace);
    bool expires = duration_of(validation, &expire_place, spec, &expire);
    if (has_grace && expires && grace >= expire)
        warn(validation, &grace_place, "W-expire-tgp", "make it shorter than expireAfter",
             "a node may take as long to drain as it may live");
    if (never_disrupted && !json_has(spec, "terminationGracePeriod"))
        warn(validation, spec_place, "W-never-drains",
             "allow some disruption in the budgets, or set terminationGracePeriod",
             "nodes are never replaced, and one that must go waits for its pods without end");
}

static void advise_static(struct validation *validation, const struct place *disruption_place,
                          const json_t *disruption)
{
    static const char *const names[][2] = {{"consolidateAfter", "0s"},
                                           {"consolidationPolicy", "WhenEmptyOrUnderutilized"}};
    for (size_t i = 0; i < ARRAY_LENGTH(names); i++) {
        struct place place = {disruption_place, names[i][0], 0, false};
        const char *text = json_text(disruption, names[i][0]);
        if (text != NULL && strcmp(text, names[i][1]) != 0)
            warn(validation, &place, "W-static-ignored", "leave it out",
                 "a static NodePool is not consolidated");
    }
}

static void advise_annotations(struct validation *validation, const json_t *object)
{
    struct place metadata_place = {NULL, "metadata", 0, false};
    struct place list_place = {&metadata_place, "annotations", 0, false};
    const json_t *annotations = json_object_get(json_object_get(object, "metadata"), "annotations");
    const char *key;
    json_t *value;
    json_object_foreach ((json_t *)annotations, key, value) {
        struct place place = {&list_place, key, 0, true};
        const char *text = json_string_value(value);
        const char *problem = text != NULL ? pool_annotation_problem(key, text) : NULL;
        if (problem != NULL)
            warn(validation, &place, "W-annotation", NULL, "%s; as it is, it has no effect",
                 problem);
    }
}

void warn_node_pool(struct validation *validation, const json_t *object)
{
    struct place spec_place = {NULL, "spec", 0, false};
    struct place template_place = {&spec_place, "template", 0, false};
    struct place metadata_place = {&template_place, "metadata", 0, false};
    struct place labels_place = {&metadata_place, "labels", 0, false};
    struct place inner_place = {&template_place, "spec", 0, false};
    struct place requirements_place = {&inner_place, "requirements", 0, false};
    struct place disruption_place = {&spec_place, "disruption", 0, false};
    struct place after_place = {&disruption_place, "consolidateAfter", 0, false};
    struct place limits_place = {&spec_place, "limits", 0, false};
    struct place replicas_place = {&spec_place, "replicas", 0, false};
    const json_t *spec = json_object_get(object, "spec");
    const json_t *template = json_object_get(spec, "template");
    const json_t *labels = json_object_get(json_object_get(template, "metadata"), "labels");
    const json_t *inner = json_object_get(template, "spec");
    const json_t *disruption = json_object_get(spec, "disruption");
    const char *key;
    json_t *value;
    json_object_foreach ((json_t *)labels, key, value) {
        struct place place = {&labels_place, key, 0, true};
        advise_key(validation, &place, key);
    }
    advise_requirements(validation, &requirements_place, json_object_get(inner, "requirements"),
                        labels);
    advise_startup_taints(validation, &inner_place, inner);
    int64_t after;
    duration_of(validation, &after_place, disruption, &after);
    unsigned blocked = advise_budgets(validation, &disruption_place, spec);
    advise_lifetimes(validation, &inner_place, inner, blocked == REASONS_ALL);
    advise_quantities(validation, &limits_place, json_object_get(spec, "limits"));
    advise_annotations(validation, object);
    if (json_has(spec, "replicas")) {
        advise_static(validation, &disruption_place, disruption);
        warn(validation, &replicas_place, "W-feature-gate",
             "set FEATURE_GATES=StaticCapacity=true on the controller",
             "static NodePools need the feature gate StaticCapacity, which is off by default");
    }
}

void warn_node_claim(struct validation *validation, const json_t *object)
{
    struct place spec_place = {NULL, "spec", 0, false};
    struct place requirements_place = {&spec_place, "requirements", 0, false};
    struct place resources_place = {&spec_place, "resources", 0, false};
    struct place requests_place = {&resources_place, "requests", 0, false};
    const json_t *spec = json_object_get(object, "spec");
    advise_requirements(validation, &requirements_place, json_object_get(spec, "requirements"),
                        NULL);
    advise_lifetimes(validation, &spec_place, spec, false);
    advise_quantities(validation, &requests_place,
                      json_object_get(json_object_get(spec, "resources"), "requests"));
}

void warn_node_overlay(struct validation *validation, const json_t *object)
{
    struct place spec_place = {NULL, "spec", 0, false};
    struct place requirements_place = {&spec_place, "requirements", 0, false};
    struct place capacity_place = {&spec_place, "capacity", 0, false};
    const json_t *spec = json_object_get(object, "spec");
    advise_requirements(validation, &requirements_place, json_object_get(spec, "requirements"),
                        NULL);
    advise_quantities(validation, &capacity_place, json_object_get(spec, "capacity"));
    warn(validation, NULL, "W-feature-gate", "set FEATURE_GATES=NodeOverlay=true on the controller",
         "NodeOverlays need the feature gate NodeOverlay, which is off by default");
}

void warn_capacity_buffer(struct validation *validation, const json_t *object)
{
    struct place spec_place = {NULL, "spec", 0, false};
    struct place limits_place = {&spec_place, "limits", 0, false};
    struct place percentage_place = {&spec_place, "percentage", 0, false};
    const json_t *spec = json_object_get(object, "spec");
    advise_quantities(validation, &limits_place, json_object_get(spec, "limits"));
    if (!json_has(spec, "podTemplateRef") && !json_has(spec, "scalableRef"))
        validation_report(validation, FINDING_REJECTED, NULL, "API-78", &spec_place,
                          "name a PodTemplate or a workload",
                          "neither podTemplateRef nor scalableRef says what to keep room for");
    if (json_has(spec, "podTemplateRef") && json_has(spec, "percentage"))
        warn(validation, &percentage_place, "W-percentage-ignored", "write replicas",
             "percentage is ignored with podTemplateRef");
    warn(validation, NULL, "W-feature-gate",
         "set FEATURE_GATES=CapacityBuffer=true on the controller",
         "CapacityBuffers need the feature gate CapacityBuffer, which is off by default");
}
