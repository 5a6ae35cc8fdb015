#include "cli/input/unknown_kind.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/memory.h"
#include "base/text.h"
#include "model/tables/kinds.h"

static const char *const groups[] = {"karpenter.sh", "karpenter.k8s.aws", "karpenter.kwok.sh"};

bool kind_is_own(const char *api_version, const char *kind)
{
    if (strchr(api_version, '/') == NULL)
        return kind_is_custom(kind);
    for (size_t i = 0; i < ARRAY_LENGTH(groups); i++) {
        size_t length = strlen(groups[i]);
        if (strncmp(api_version, groups[i], length) == 0 && api_version[length] == '/')
            return true;
    }
    return false;
}

static bool is_old_kind(const char *api_version, const char *kind)
{
    const char *slash = strchr(api_version, '/'), *version = slash != NULL ? slash + 1 : "";
    static const char *const kinds[] = {"Provisioner", "AWSNodeTemplate", "Machine"};
    for (size_t i = 0; i < ARRAY_LENGTH(kinds); i++)
        if (strcmp(kinds[i], kind) == 0)
            return true;
    bool overlay = strcmp(kind, "NodeOverlay") == 0 || strcmp(kind, "KWOKNodeClass") == 0;
    return strcmp(version, "v1beta1") == 0 || strcmp(version, "v1alpha5") == 0 ||
           (!overlay && strncmp(version, "v1alpha", 7) == 0);
}

// API-301: an unknown kind of Karpenter's groups.
void refuse_kind(const char *api_version, const char *name, struct findings *findings)
{
    struct text hint = {0};
    const char *names[KIND_COUNT], *near[1], *path = "kind";
    size_t count = 0;
    for (int id = 0; id < KIND_COUNT; id++) {
        const struct kind *kind = kind_get((enum kind_id)id);
        if (!kind->custom)
            continue;
        names[count++] = kind->name;
        if (strcmp(kind->name, name) != 0)
            continue;
        path = "apiVersion";
        text_format(&hint, "write apiVersion: %s", kind->api_version);
    }
    if (is_old_kind(api_version, name)) {
        text_clear(&hint);
        text_add(&hint, "`adze convert` makes a v1 manifest of it");
    } else if (hint.length == 0 && text_nearest(name, names, count, near, 1) == 1) {
        text_format(&hint, "did you mean %s?", near[0]);
    }
    findings_add(findings,
                 &(struct finding){
                     .level = FINDING_REFUSED, .rule = "API-301", .path = path, .hint = hint.data},
                 "%s %s is not a kind that can be used", api_version, name);
    text_free(&hint);
}

// Keys of charts' values: of Karpenter's chart and of adze's.
static bool is_helm_values(const json_t *value)
{
    static const char *const keys[] = {
        "settings", "serviceAccount", "controller",         "replicaCount",
        "image",    "autoDiscovery",  "extraArgs",          "nameOverride",
        "webhook",  "logLevel",       "podDisruptionBudget"};
    size_t found = 0;
    for (size_t i = 0; i < ARRAY_LENGTH(keys); i++)
        found += json_object_get(value, keys[i]) != NULL;
    return found > 0 && json_object_get(value, "spec") == NULL;
}

// "Kind" for "kind": a key that differs in capitals.
static const char *other_spelling(const json_t *value, const char *key)
{
    const char *other;
    json_t *member;
    json_object_foreach ((json_t *)value, other, member)
        if (strcasecmp(other, key) == 0)
            return other;
    return NULL;
}

static const char *hint_no_object(const json_t *value, bool is_first, struct text *text)
{
    static const char *const keys[] = {"apiVersion", "kind"};
    for (size_t i = 0; i < ARRAY_LENGTH(keys); i++) {
        const char *other = other_spelling(value, keys[i]);
        if (other == NULL || strcmp(other, keys[i]) == 0)
            continue;
        text_format(text, "write %s, not %.50s", keys[i], other);
        return text->data;
    }
    return is_first ? NULL : "the line --- before it may stand in the middle of an object";
}

void refuse_no_object(const json_t *value, bool is_first, struct findings *findings)
{
    bool values = is_helm_values(value);
    bool has_kind = json_object_get(value, "kind") != NULL;
    bool has_version = json_object_get(value, "apiVersion") != NULL;
    struct text hint = {0};
    findings_add(findings,
                 &(struct finding){
                     .level = FINDING_REFUSED,
                     .rule = "API-301",
                     .path = "",
                     .hint = values ? "render the chart with them: helm template CHART -f FILE | "
                                      "adze validate -"
                                    : hint_no_object(value, is_first, &hint)},
                 "%s",
                 values     ? "these look like the values of a Helm chart, not a Kubernetes object"
                 : has_kind ? "apiVersion is missing: this is no Kubernetes object"
                 : has_version ? "kind is missing: this is no Kubernetes object"
                               : "apiVersion and kind are missing: this is no Kubernetes object");
    text_free(&hint);
}
