#include "sim/apiserver/api_reviews.h"

#include <string.h>

#include "base/memory.h"
#include "base/nanoseconds.h"
#include "sim/apiserver/api_internal.h"
#include "sim/store/store_internal.h"

static json_t *user_info(void)
{
    return json_pack("{s:s, s:[s, s]}", "username", "system:admin", "groups", "system:masters",
                     "system:authenticated");
}

static json_t *status_of_review(const char *plural)
{
    if (strcmp(plural, "selfsubjectrulesreviews") == 0)
        return json_pack("{s:[{s:[s], s:[s], s:[s]}], s:[{s:[s], s:[s]}], s:b}", "resourceRules",
                         "verbs", "*", "apiGroups", "*", "resources", "*", "nonResourceRules",
                         "verbs", "*", "nonResourceURLs", "*", "incomplete", 0);
    if (strcmp(plural, "tokenreviews") == 0)
        return json_pack("{s:b, s:o}", "authenticated", 1, "user", user_info());
    if (strcmp(plural, "selfsubjectreviews") == 0)
        return json_pack("{s:o}", "userInfo", user_info());
    return json_pack("{s:b, s:s}", "allowed", 1, "reason",
                     "the embedded cluster allows everything");
}

bool call_review(struct api_call *call, bool *handled)
{
    static const struct {
        const char *group, *plural;
    } reviews[] = {
        {"authorization.k8s.io", "selfsubjectaccessreviews"},
        {"authorization.k8s.io", "selfsubjectrulesreviews"},
        {"authorization.k8s.io", "subjectaccessreviews"},
        {"authorization.k8s.io", "localsubjectaccessreviews"},
        {"authentication.k8s.io", "tokenreviews"},
        {"authentication.k8s.io", "selfsubjectreviews"},
    };
    *handled = false;
    for (size_t i = 0; i < ARRAY_LENGTH(reviews); i++)
        if (strcmp(call->path.group, reviews[i].group) == 0 &&
            strcmp(call->path.plural, reviews[i].plural) == 0 && call->path.name == NULL)
            *handled = true;
    if (!*handled)
        return true;
    if (strcmp(call->request->method, "POST") != 0 || !json_is_object(call->request->body))
        return failure_set(&call->failure, 405, "MethodNotAllowed",
                           "the server does not allow this method on the requested resource");
    json_t *answer = json_copy(call->request->body);
    child_object(answer, "metadata");
    json_object_set_new(answer, "status", status_of_review(call->path.plural));
    return answer_value(call, 201, answer);
}

// serviceaccounts/token: a token that names its account; no code verifies it.
bool call_token(struct api_call *call)
{
    if (strcmp(call->request->method, "POST") != 0)
        return failure_set(&call->failure, 405, "MethodNotAllowed",
                           "the server does not allow this method on the requested resource");
    int64_t seconds = json_integer_value(store_path(call->request->body, "spec.expirationSeconds"));
    char expiration[INSTANT_TEXT_MAX];
    instant_format(ns_add(loop_now_ns(call->server->loop),
                          ns_multiply(seconds > 0 && seconds < 1000000 ? seconds : 3600, SECOND)),
                   expiration);
    json_t *token = json_sprintf("sim-%s-%s", call->path.namespace, call->path.name);
    json_t *answer = json_pack("{s:s, s:s, s:{s:s, s:s}, s:{s:o, s:s}}", "kind", "TokenRequest",
                               "apiVersion", "authentication.k8s.io/v1", "metadata", "name",
                               call->path.name, "namespace", call->path.namespace, "status",
                               "token", token, "expirationTimestamp", expiration);
    return answer_value(call, 201, answer);
}
