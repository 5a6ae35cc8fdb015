// Objects of the tests of nodeclass/: an EC2NodeClass from its spec and status, facts of a cluster.
#pragma once

#include "cloud/aws/families/cluster_facts.h"
#include "model/schema/decode.h"
#include "model/schema/ec2_node_class.h"
#include "model/tables/kinds.h"
#include "support/cmocka_all.h"

static const struct cluster_facts test_cluster __attribute__((unused)) = {
    .name = "c1",
    .region = "us-west-2",
    .partition = "aws",
    .account = "111122223333",
    .endpoint = "https://c1.example",
    .ca_bundle = "Q0E=",
    .cidr = "10.100.0.0/16",
    .kube_dns = "10.100.0.10",
    .version = "1.35",
};

// `text`: JSON with single quotes for double ones.
static inline json_t *json_of(const char *text)
{
    char *copy = memory_copy_string(text);
    for (char *c = copy; *c != '\0'; c++)
        if (*c == '\'')
            *c = '"';
    json_error_t problem;
    json_t *json = json_loads(copy, JSON_DECODE_ANY, &problem);
    if (json == NULL)
        fail_msg("%s: %s", problem.text, copy);
    free(copy);
    return json;
}

static inline struct object *object_of(const char *api_version, const char *kind, const char *name,
                                       const char *spec, const char *status)
{
    struct error error = {0};
    json_t *document =
        json_pack("{s:s, s:s, s:{s:s, s:s, s:i, s:s, s:s}, s:o, s:o}", "apiVersion", api_version,
                  "kind", kind, "metadata", "name", name, "uid", "uid-1", "generation", 1,
                  "resourceVersion", "1", "creationTimestamp", "2026-01-01T00:00:00Z", "spec",
                  json_of(spec), "status", json_of(status));
    struct object *object = document_decode(document, DECODE_LENIENT, &error);
    json_decref(document);
    if (object == NULL)
        fail_msg("%s", error.message);
    return object;
}

static inline struct ec2_node_class *node_class_of(const char *spec, const char *status)
{
    return (struct ec2_node_class *)object_of("karpenter.k8s.aws/v1", "EC2NodeClass", "default",
                                              spec, status);
}

static inline struct node_claim *node_claim_of(const char *spec)
{
    return (struct node_claim *)object_of("karpenter.sh/v1", "NodeClaim", "claim", spec, "{}");
}
