#include "model/validate/validate_warnings_requirements.h"

#include <stdio.h>
#include <string.h>

#include "base/vector.h"
#include "model/schema/karpenter.h"
#include "model/schema/schema.h"
#include "model/tables/rules_json.h"
#include "model/tables/well_known.h"
#include "model/validate/validate_hints.h"
#include "model/validate/validate_requirements.h"
#include "model/validate/validate_warnings_names.h"

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

// The known key that is probably meant, or NULL: a near name in a near domain, or a distinctive
// name in another of the product's domains.
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

void warn_key(struct validation *validation, const struct place *place, const char *key)
{
    const char *successor = label_successor(key);
    char hint[500];
    if (successor != NULL) {
        snprintf(hint, sizeof hint, "write %s", successor);
        validation_warn(validation, place, "W-old-name",
                        successor[0] != '\0' ? hint : "leave it out", "%s is an old name", key);
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
    validation_warn(validation, place, "W-label-typo", hint, "%s is not a known label", key);
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
    if (!is_list)
        return;
    struct place values_place = {place, "values", 0};
    size_t index;
    json_t *value;
    json_array_foreach (json_object_get(requirement, "values"), index, value) {
        struct place child = {&values_place, NULL, index};
        const char *word = json_string_value(value);
        struct text hint = {0};
        if (word != NULL)
            warn_zone(validation, &child, key, word);
        if (word != NULL && allowed != NULL && !text_list_has(allowed, word))
            validation_warn(validation, &child, "W-unknown-value",
                            hint_enum(word, allowed, &hint) ? hint.data : NULL,
                            "%s has no value %s", key, word);
        text_free(&hint);
    }
}

// The number of possible values of the key; SIZE_MAX: unknown.
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
    struct place key_place = {place, "key", 0}, values_place = {place, "values", 0};
    struct place min_place = {place, "minValues", 0};
    const char *key = label_alias_target(given);
    size_t count = json_size(requirement, "values");
    bool takes_none = strcmp(operator, "Exists") == 0 || strcmp(operator, "DoesNotExist") == 0;
    if (takes_none && count > 0)
        validation_warn(validation, &values_place, "W-empty-values-ignored",
                        "leave values out, or use operator In or NotIn",
                        "values are ignored with operator %s", operator);
    if (strcmp(operator, "NotIn") == 0 && count == 0)
        validation_warn(validation, place, "W-notin-empty",
                        "add values, or leave the requirement out",
                        "NotIn without values restricts nothing");
    if (is_resource_name(given))
        validation_warn(validation, &key_place, "W-resource-key",
                        "use karpenter.k8s.aws/instance-gpu-count Gt \"0\" or "
                        "karpenter.k8s.aws/instance-gpu-manufacturer",
                        "%s is a resource, not a label", given);
    else
        warn_key(validation, &key_place, given);
    advise_values(validation, place, key, requirement);
    const json_t *min_values = json_object_get(requirement, "minValues");
    size_t possible = possible_values(validation, key, requirement);
    if (json_is_integer(min_values) && json_integer_value(min_values) > 0 &&
        (size_t)json_integer_value(min_values) > possible &&
        (strcmp(operator, "In") != 0 || possible < count))
        validation_warn(validation, &min_place, "W-min-values", "lower minValues",
                        "only %zu different values of %s can ever match", possible, key);
}

void warn_requirements(struct validation *validation, const struct place *place,
                       const json_t *requirements, const json_t *labels)
{
    size_t index;
    json_t *requirement;
    json_array_foreach (requirements, index, requirement) {
        struct place child = {place, NULL, index};
        advise_requirement(validation, &child, requirement);
    }
    struct requirement_source source = {requirements, labels};
    int last = -1;
    const char *key = requirements_contradiction(&source, 1, &last);
    if (key == NULL)
        return;
    struct place child = {place, NULL, last >= 0 ? (size_t)last : 0};
    validation_warn(validation, last >= 0 ? &child : place, "W-requirement-contradiction",
                    "no machine can meet them together",
                    "the requirements and labels on %s leave no value over", key);
}
