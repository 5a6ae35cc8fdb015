#include "conformance/aws/replay_record.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nanoseconds.h"
#include "base/text.h"
#include "sim/store/resources.h"
#include "sim/store/store_json.h"
#include "sim/store/store_watch.h"

static const char *const service_names[AWS_SERVICE_COUNT] = {
    [AWS_EC2] = "ec2",
    [AWS_IAM] = "iam",
    [AWS_STS] = "sts",
    [AWS_SSM] = "ssm",
    [AWS_SQS] = "sqs",
    [AWS_EKS] = "eks",
    [AWS_PRICING] = "pricing",
    [AWS_ARC_ZONAL_SHIFT] = "arc-zonal-shift",
    [AWS_SERVICE_QUOTAS] = "service-quotas",
};

void record_begin(struct record *record, struct loop *loop)
{
    *record = (struct record){
        .loop = loop, .phase = "start", .requests = json_array(), .claims = json_object()};
}

void record_end(struct record *record)
{
    json_decref(record->requests);
    json_decref(record->claims);
}

// --- requests ------------------------------------------------------------------------------------

void record_request(void *context, const struct aws_account_request *request)
{
    struct record *record = context;
    double now = (double)(loop_monotonic_ns(record->loop) / MILLISECOND) / 1000;
    json_t *noted = json_pack("{s:s, s:f, s:s, s:s, s:o}", "phase", record->phase, "at", now,
                              "service", service_names[request->service], "action", request->action,
                              "params", json_deep_copy(request->params));
    if (noted == NULL)
        return; // not UTF-8
    if (request->error_code != NULL)
        json_object_set_new(
            noted, "error",
            json_pack("{s:s, s:s}", "code", request->error_code, "message",
                      request->error_message != NULL ? request->error_message : ""));
    if (request->reply != NULL)
        json_object_set_new(noted, "reply", json_deep_copy(request->reply));
    if (request->count != NULL)
        json_object_set_new(noted, "count", json_deep_copy(request->count));
    json_array_append_new(record->requests, noted);
}

// --- NodeClaims ----------------------------------------------------------------------------------

static const char *text_at(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text != NULL ? text : "";
}

static bool contains(const json_t *list, const json_t *value)
{
    json_t *item;
    size_t i;
    json_array_foreach (list, i, item)
        if (json_equal(item, value))
            return true;
    return false;
}

// All that are False; and Launched and Drifted.
static void note_conditions(json_t *seen, const json_t *claim)
{
    json_t *condition;
    size_t i;
    json_array_foreach (store_path(claim, "status.conditions"), i, condition) {
        const char *type = text_at(condition, "type"), *status = text_at(condition, "status");
        bool of_interest = text_equal(type, "Launched") || text_equal(type, "Drifted");
        if (!text_equal(status, "False") && !(of_interest && text_equal(status, "True")))
            continue;
        json_t *noted = json_pack("[s, s, s, s]", type, status, text_at(condition, "reason"),
                                  text_at(condition, "message"));
        if (!contains(seen, noted))
            json_array_append(seen, noted);
        json_decref(noted);
    }
}

static void claim_changed(void *context, const char *type, json_t *claim)
{
    struct record *record = context;
    json_t *known = json_object_get(record->claims, store_uid(claim));
    if (record->claims_frozen)
        return;
    if (known == NULL) {
        known = json_pack("{s:[], s:b, s:i}", "seen", "deleted", 0, "number",
                          (int)json_object_size(record->claims));
        json_object_set_new(record->claims, store_uid(claim), known);
    }
    json_object_set_new(known, "object", json_deep_copy(claim));
    if (text_equal(type, "DELETED") || store_path(claim, "metadata.deletionTimestamp") != NULL)
        json_object_set_new(known, "deleted", json_true());
    note_conditions(json_object_get(known, "seen"), claim);
}

void record_watch(struct record *record, struct simulation *simulation)
{
    struct store *store = simulation_store(simulation);
    const struct store_resource *claims =
        store_resource_of_kind(store, "karpenter.sh/v1", "NodeClaim");
    struct store_target target = {.resource = claims};
    record->watch = store_watch_create(store, &target, 0, claim_changed, record, NULL);
}

void record_unwatch(struct record *record)
{
    if (record->watch != NULL)
        store_watch_destroy(record->watch);
    record->watch = NULL;
}

static int by_number(const void *a, const void *b)
{
    const json_t *const *left = a, *const *right = b;
    json_int_t x = json_integer_value(json_object_get(*left, "number"));
    json_int_t y = json_integer_value(json_object_get(*right, "number"));
    return (x > y) - (x < y);
}

json_t *record_claims(const struct record *record)
{
    size_t count = json_object_size(record->claims), i = 0;
    json_t **claims = calloc(count + 1, sizeof *claims), *result = json_array(), *claim;
    const char *uid;
    json_object_foreach (record->claims, uid, claim)
        claims[i++] = claim;
    qsort(claims, count, sizeof *claims, by_number);
    for (i = 0; i < count; i++)
        json_array_append(result, claims[i]);
    free(claims);
    return result;
}
