#include "cli/preflight/definitions.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "model/tables/crd_fit.h"
#include "model/tables/kinds.h"
#include "model/tables/rules_json.h"

#define MINOR_MIN 29 // of Kubernetes, that upstream v1.14 supports
#define MINOR_MAX 36

static const char upgrade[] =
    "upgrade through Karpenter v1.0.6 or later of v1.0, which migrates what is stored";

static const json_t *find(const json_t *list, const char *name)
{
    size_t index;
    json_t *item;
    json_array_foreach ((json_t *)list, index, item)
        if (json_text_is(json_object_get(item, "metadata"), "name", name))
            return item;
    return NULL;
}

static const char *definition_name(const struct kind *kind, struct arena *arena)
{
    return arena_format(arena, "%s.%s", kind->plural, kind->group);
}

static bool is_needed(const struct kind *kind)
{
    return kind->id == KIND_NODE_POOL || kind->id == KIND_NODE_CLAIM ||
           kind->id == KIND_EC2_NODE_CLASS;
}

static void check_presence(const json_t *definitions, struct preflight_report *report)
{
    struct text misfits = {0}, missing = {0};
    for (int id = 0; id < KIND_COUNT; id++) {
        const struct kind *kind = kind_get((enum kind_id)id);
        if (!kind->custom || kind->id == KIND_KWOK_NODE_CLASS || kind->plural == NULL ||
            strchr(kind->group, '.') == NULL)
            continue;
        const json_t *definition = find(definitions, definition_name(kind, report->arena));
        struct text misfit = {0};
        if (definition == NULL)
            text_join(is_needed(kind) ? &misfits : &missing, ", ",
                      definition_name(kind, report->arena));
        else if (crd_misfit(kind, definition, &misfit) && is_needed(kind))
            text_join(&misfits, "; ", misfit.data);
        text_free(&misfit);
    }
    if (misfits.length > 0)
        report_add(report, "crds-present", VERDICT_FAILED,
                   "adze crds | kubectl apply --server-side --force-conflicts -f -",
                   "missing, or not as adze needs them: %s", misfits.data);
    else
        report_add(report, "crds-present", VERDICT_OK, NULL,
                   "NodePool, NodeClaim and EC2NodeClass "
                   "are served as v1%s%s",
                   missing.length > 0 ? "; without (for features behind gates only): " : "",
                   text_or_empty(missing.data));
    text_free(&misfits);
    text_free(&missing);
}

static bool is_ours(const json_t *definition)
{
    const char *group = json_text(json_object_get(definition, "spec"), "group");
    return text_equal(group, "karpenter.sh") || text_equal(group, "karpenter.k8s.aws");
}

static void check_stored(const json_t *definitions, struct preflight_report *report)
{
    struct text stored = {0}, webhooks = {0};
    size_t index;
    json_t *definition;
    json_array_foreach ((json_t *)definitions, index, definition) {
        const char *name = json_text(json_object_get(definition, "metadata"), "name");
        const json_t *versions =
            json_object_get(json_object_get(definition, "status"), "storedVersions");
        const json_t *conversion =
            json_object_get(json_object_get(definition, "spec"), "conversion");
        const char *only = json_string_value(json_array_get(versions, 0));
        if (!is_ours(definition) || name == NULL)
            continue;
        bool is_core = text_starts_with(name, "nodepools.") ||
                       text_starts_with(name, "nodeclaims.") ||
                       text_starts_with(name, "ec2nodeclasses.");
        if (is_core && versions != NULL &&
            (json_array_size(versions) != 1 || !text_equal(only, "v1")))
            text_join(&stored, ", ", name);
        if (json_text_is(conversion, "strategy", "Webhook"))
            text_join(&webhooks, ", ", name);
    }
    if (stored.length > 0)
        report_add(report, "crds-stored-v1", VERDICT_FAILED, upgrade,
                   "objects may be stored in other versions than v1: %s", stored.data);
    else
        report_add(report, "crds-stored-v1", VERDICT_OK, NULL, "v1 is the only stored version");
    if (webhooks.length > 0)
        report_add(report, "crds-conversion", VERDICT_FAILED,
                   "apply the CRDs of Karpenter v1.1 or later: adze crds | kubectl apply "
                   "--server-side --force-conflicts -f -",
                   "a conversion webhook is configured: %s", webhooks.data);
    else
        report_add(report, "crds-conversion", VERDICT_OK, NULL, "no conversion webhook");
    text_free(&stored);
    text_free(&webhooks);
}

// MIG-58
static void check_webhooks(const struct facts *facts, struct preflight_report *report)
{
    static const char *const names[] = {
        "defaulting.webhook.karpenter.k8s.aws", "validation.webhook.karpenter.sh",
        "validation.webhook.config.karpenter.sh", "validation.webhook.karpenter.k8s.aws"};
    struct text found = {0};
    if (facts->items[FACT_MUTATING_WEBHOOKS] == NULL &&
        facts->items[FACT_VALIDATING_WEBHOOKS] == NULL) {
        report_add(report, "webhooks-gone", VERDICT_SKIPPED, NULL, "webhook configurations are %s",
                   facts->is_live ? "not readable" : "not in the input");
        return;
    }
    for (size_t i = 0; i < ARRAY_LENGTH(names); i++)
        if (find(facts->items[FACT_MUTATING_WEBHOOKS], names[i]) != NULL ||
            find(facts->items[FACT_VALIDATING_WEBHOOKS], names[i]) != NULL)
            text_join(&found, " ", names[i]);
    if (found.length > 0)
        report_add(report, "webhooks-gone", VERDICT_FAILED,
                   "kubectl delete mutatingwebhookconfigurations,validatingwebhookconfigurations "
                   "--ignore-not-found NAME",
                   "webhooks of older versions are left: %s", found.data);
    else
        report_add(report, "webhooks-gone", VERDICT_OK, NULL, "no webhooks of older versions");
    text_free(&found);
}

static void check_old_kinds(const struct facts *facts, struct preflight_report *report)
{
    static const enum fact kinds[] = {FACT_PROVISIONERS, FACT_MACHINES, FACT_NODE_TEMPLATES};
    struct text found = {0};
    bool unknown = false;
    for (size_t i = 0; i < ARRAY_LENGTH(kinds); i++) {
        size_t count = json_array_size(facts->items[kinds[i]]);
        unknown = unknown || facts->items[kinds[i]] == NULL;
        if (count > 0)
            text_join(&found, ", ",
                      arena_format(report->arena, "%zu %s", count, fact_name(kinds[i])));
    }
    if (found.length > 0)
        report_add(
            report, "old-kinds", VERDICT_FAILED,
            "kubectl get provisioners,awsnodetemplates -o yaml | adze convert - prints their "
            "v1; roll their nodes, then delete them",
            "objects of v1alpha5 exist: %s", found.data);
    else
        report_add(report, "old-kinds", unknown ? VERDICT_SKIPPED : VERDICT_OK, NULL,
                   unknown ? "not readable" : "no objects of v1alpha5");
    text_free(&found);
}

static void check_version(const struct facts *facts, struct preflight_report *report)
{
    const char *minor = json_text(facts->version, "minor");
    const char *text = json_text(facts->version, "gitVersion");
    long number = minor != NULL ? strtol(minor, NULL, 10) : 0;
    if (number == 0)
        report_add(report, "versions", VERDICT_SKIPPED, NULL,
                   "the version of Kubernetes is not known");
    else if (number < MINOR_MIN || number > MINOR_MAX)
        report_add(report, "versions", VERDICT_FAILED, "use a supported version",
                   "Kubernetes %s: adze is for 1.%d to 1.%d", text_or_empty(text), MINOR_MIN,
                   MINOR_MAX);
    else
        report_add(report, "versions", VERDICT_OK, NULL, "Kubernetes %s", text_or_empty(text));
}

void check_definitions(const struct facts *facts, struct preflight_report *report)
{
    const json_t *definitions = facts->items[FACT_CRDS];
    if (definitions == NULL) {
        report_add(report, "crds-present", VERDICT_SKIPPED, NULL, "CRDs are %s",
                   facts->problems[FACT_CRDS] != NULL ? facts->problems[FACT_CRDS]
                                                      : "not in the input");
    } else {
        check_presence(definitions, report);
        check_stored(definitions, report);
    }
    check_webhooks(facts, report);
    check_old_kinds(facts, report);
    check_version(facts, report);
}
