#include "cli/preflight_rights.h"

#include <assert.h>
#include <string.h>

#include "base/loop.h"
#include "base/text.h"
#include "cli/manifest_roles.h"
#include "model/tables/rules_json.h"

#define SELF        "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"
#define OTHER       "/apis/authorization.k8s.io/v1/subjectaccessreviews"
#define NAMES_SHOWN 8

struct right {
    struct asking *asking;
    const char *text; // "delete nodeclaims.karpenter.sh"
    json_t *attributes;
};
struct asking {
    struct loop *loop;
    struct preflight_report *report;
    VECTOR(struct right) rights;
    struct text denied;
    uint32_t left, denied_count, unanswered;
    const char *problem;
};

static void add_right(struct asking *asking, const char *group, const char *resource,
                      const char *verb, const char *namespace, const char *name)
{
    struct arena *arena = asking->report->arena;
    const char *slash = strchr(resource, '/');
    size_t length = slash != NULL ? (size_t)(slash - resource) : strlen(resource);
    json_t *attributes =
        json_pack("{s:s, s:s%, s:s}", "group", group, "resource", resource, length, "verb", verb);
    if (slash != NULL)
        json_object_set_new(attributes, "subresource", json_string(slash + 1));
    if (namespace != NULL)
        json_object_set_new(attributes, "namespace", json_string(namespace));
    if (name != NULL)
        json_object_set_new(attributes, "name", json_string(name));
    const char *text =
        arena_format(arena, "%s %s%s%s%s%s", verb, resource, group[0] != '\0' ? "." : "", group,
                     namespace != NULL ? " in " : "", text_or_empty(namespace));
    vector_push(&asking->rights, (struct right){asking, text, attributes});
}

static void add_rule(struct asking *asking, const json_t *rule, const char *namespace)
{
    size_t g, r, v;
    json_t *group, *resource, *verb;
    const char *name = json_string_value(json_array_get(json_object_get(rule, "resourceNames"), 0));
    json_array_foreach (json_object_get(rule, "apiGroups"), g, group)
        json_array_foreach (json_object_get(rule, "resources"), r, resource)
            json_array_foreach (json_object_get(rule, "verbs"), v, verb)
                add_right(asking, json_string_value(group), json_string_value(resource),
                          json_string_value(verb), namespace, name);
}

// The controller's own roles; those for people are not asked for.
static void add_roles(struct asking *asking, const json_t *objects)
{
    size_t index, at;
    json_t *object, *rule;
    json_array_foreach ((json_t *)objects, index, object) {
        const json_t *metadata = json_object_get(object, "metadata");
        const char *kind = json_text(object, "kind");
        const char *name = text_or_empty(json_text(metadata, "name"));
        if (!text_equal(kind, "ClusterRole") && !text_equal(kind, "Role"))
            continue;
        if (text_ends_with(name, "-admin") || text_ends_with(name, "-view"))
            continue;
        json_array_foreach (json_object_get(object, "rules"), at, rule)
            add_rule(asking, rule, json_text(metadata, "namespace"));
    }
}

static void answered(void *context, const struct kube_result *result)
{
    struct right *right = context;
    struct asking *asking = right->asking;
    const json_t *status = json_object_get(result->body, "status");
    if (result->error.kind != ERROR_NONE || !json_is_boolean(json_object_get(status, "allowed"))) {
        asking->unanswered++;
        asking->problem = arena_copy_string(asking->report->arena, result->error.message);
    } else if (!json_is_true(json_object_get(status, "allowed"))) {
        if (asking->denied_count < NAMES_SHOWN)
            text_join(&asking->denied, ", ", right->text);
        asking->denied_count++;
    }
    if (--asking->left == 0)
        loop_stop(asking->loop);
}

static void ask_all(struct asking *asking, struct kube_client *client, const char *account)
{
    asking->left = asking->rights.count;
    vector_for_each (right, &asking->rights) {
        json_t *spec = json_pack("{s:O}", "resourceAttributes", right->attributes);
        if (account != NULL)
            json_object_set_new(spec, "user",
                                json_string(arena_format(asking->report->arena,
                                                         "system:serviceaccount:%s", account)));
        if (account != NULL)
            json_object_set_new(
                spec, "groups",
                json_pack("[s, s]", "system:serviceaccounts", "system:authenticated"));
        json_t *review = json_pack(
            "{s:s, s:s, s:o}", "apiVersion", "authorization.k8s.io/v1", "kind",
            account != NULL ? "SubjectAccessReview" : "SelfSubjectAccessReview", "spec", spec);
        kube_create_path(client, account != NULL ? OTHER : SELF, review, answered, right);
        json_decref(review);
    }
    loop_run(asking->loop);
}

static void report_rights(const struct asking *asking, const char *account)
{
    const char *whose = account != NULL ? account
                                        : "your own (--service-account asks for the "
                                          "controller's)";
    struct preflight_report *report = asking->report;
    if (asking->unanswered > 0)
        report_add(report, "rbac", VERDICT_SKIPPED, NULL, "%u of %u rights were not answered: %s",
                   asking->unanswered, asking->rights.count, text_or_empty(asking->problem));
    else if (asking->denied_count > 0)
        report_add(
            report, "rbac", VERDICT_FAILED, "the chart's roles have them, as has: adze manifests",
            "%u of %u rights are missing (%s): %s%s", asking->denied_count, asking->rights.count,
            whose, asking->denied.data, asking->denied_count > NAMES_SHOWN ? ", ..." : "");
    else
        report_add(report, "rbac", VERDICT_OK, NULL, "all %u rights are there: %s",
                   asking->rights.count, whose);
}

void check_rights(struct kube_client *client, struct loop *loop, const struct settings *settings,
                  const char *namespace, const char *account, struct preflight_report *report)
{
    struct asking asking = {.loop = loop, .report = report};
    const struct manifest_options options = {.name = "adze",
                                             .namespace = namespace,
                                             .provider = "aws",
                                             .replicas = 2,
                                             .settings = settings};
    json_t *objects = json_array();
    manifest_roles_add(&options, objects);
    add_roles(&asking, objects);
    json_decref(objects);
    assert(asking.rights.count > 0);
    ask_all(&asking, client, account);
    report_rights(&asking, account);
    vector_for_each (right, &asking.rights)
        json_decref(right->attributes);
    vector_free(&asking.rights);
    text_free(&asking.denied);
}
