// Objects and faults of the tests of reconcilers over time. Texts are JSON with single quotes.
#pragma once

#include "node_class_fixture.h"
#include "node_class_world.h"
#include "sim/store/store_patch.h"

#define SPEC_AMI(ami, more)                                                        \
    "{'amiSelectorTerms': " ami ", 'subnetSelectorTerms': [{'tags': "              \
    "{'karpenter.sh/discovery': 'test-cluster'}}], 'securityGroupSelectorTerms': " \
    "[{'tags': {'karpenter.sh/discovery': 'test-cluster'}}], " more "}"
#define SPEC(more) SPEC_AMI("[{'alias': 'al2023@v20260715'}]", more)

static inline const char *text_at(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

static inline void add_object(struct run *run, const struct store_resource *resource,
                              json_t *object)
{
    struct error error = {0};
    if (store_add(run->store, resource, NULL, object, &error) == NULL)
        fail_msg("%s", error.message);
    json_decref(object);
}

static inline void add_class(struct run *run, const char *name, const char *spec)
{
    add_object(run, run->resource,
               json_pack("{s:s, s:s, s:{s:s}, s:o}", "apiVersion", "karpenter.k8s.aws/v1", "kind",
                         "EC2NodeClass", "metadata", "name", name, "spec", json_of(spec)));
}

static inline const struct store_resource *claims_of(struct run *run)
{
    return store_resource_find(run->store, "karpenter.sh", "v1", "nodeclaims");
}

static inline void patch(struct run *run, const struct store_target *target, const char *text)
{
    struct error error = {0};
    json_t *body = json_of(text);
    if (store_patch(run->store, target, "merge", body, &error) == NULL)
        fail_msg("%s", error.message);
    json_decref(body);
}

static inline void add_claim(struct run *run, const char *text)
{
    json_t *object = json_of(text);
    char *name = memory_copy_string(text_at(json_object_get(object, "metadata"), "name"));
    char *status = json_dumps(json_object_get(object, "status"), 0);
    add_object(run, claims_of(run), object);
    struct text body = {0};
    text_format(&body, "{'status': %s}", status);
    patch(run,
          &(struct store_target){.resource = claims_of(run), .name = name, .subresource = "status"},
          body.data);
    text_free(&body);
    free(status);
    free(name);
}

static inline void patch_class(struct run *run, const char *name, const char *text)
{
    patch(run, &(struct store_target){.resource = run->resource, .name = name}, text);
}

static inline void delete_object(struct run *run, const struct store_resource *resource,
                                 const char *name)
{
    struct error error = {0};
    store_remove(run->store, resource, NULL, name,
                 &(struct store_delete_options){.grace_period_seconds = -1}, &error);
    assert_int_equal(error.kind, ERROR_NONE);
}

// The condition of a type; fails without.
static inline const json_t *condition_of(const json_t *object, const char *type)
{
    size_t index;
    json_t *condition;
    json_array_foreach (json_object_get(json_object_get(object, "status"), "conditions"), index,
                        condition)
        if (text_equal(text_at(condition, "type"), type))
            return condition;
    fail_msg("no condition %s", type);
    return NULL;
}

static inline const char *first_image(struct run *run, const char *name)
{
    const json_t *status = json_object_get(node_class_now(run, name), "status");
    return text_at(json_array_get(json_object_get(status, "amis"), 0), "id");
}

// times < 0: always.
static inline void refuse(struct run *run, const char *action, int status, const char *code,
                          int64_t times)
{
    aws_account_add_fault(run->account, &(struct aws_account_fault){.action = (char *)action,
                                                                    .code = (char *)code,
                                                                    .message = (char *)"refused",
                                                                    .status = status,
                                                                    .times = times,
                                                                    .dry_run = -1});
}

static inline void put(struct run *run, const char *kind, const char *text)
{
    struct error error = {0};
    json_t *resource = json_of(text);
    if (!aws_account_put(run->account, kind, resource, &error))
        fail_msg("%s", error.message);
    json_decref(resource);
}
