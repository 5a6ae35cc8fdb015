// What `adze preflight` looks at: a cluster's objects, read live or from files of `kubectl get -o
// yaml`.
#pragma once

#include <jansson.h>
#include <stdbool.h>

#include "base/error.h"
#include "kube/client.h"
#include "model/manifest/input.h"

enum fact {
    FACT_CRDS,
    FACT_MUTATING_WEBHOOKS,
    FACT_VALIDATING_WEBHOOKS,
    FACT_NODE_POOLS,
    FACT_NODE_CLAIMS,
    FACT_NODE_CLASSES,
    FACT_PROVISIONERS,
    FACT_MACHINES,
    FACT_NODE_TEMPLATES,
    FACT_DEPLOYMENTS,
    FACT_LEASES,
    FACT_COUNT,
};
struct facts {
    json_t *items[FACT_COUNT];        // arrays, owned; NULL: unknown
    const char *problems[FACT_COUNT]; // why it is unknown; NULL: not asked
    json_t *version;                  // of the API server; owned; NULL: unknown
    bool is_live;
    struct arena *arena;
};

// Asks the API server for every list; the loop runs until all have been answered.
void facts_read_live(struct facts *facts, struct loop *loop, struct kube_client *client);
// Sorts the documents by kind; kinds that are not there stay unknown.
void facts_read_documents(struct facts *facts, const struct documents *documents);
const char *fact_name(enum fact fact); // "customresourcedefinitions"
void facts_free(struct facts *facts);
