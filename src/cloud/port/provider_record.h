// The provider of a cluster, recorded in the cluster: the controller publishes a record. Programs
// that only read the cluster (`adze plan`, `explain`, `snapshot`) learn from it which NodePools the
// controller owns (LIF-2), and the instance types with their prices.
//
// The record is a ConfigMap in the namespace of the lease:
//
//     metadata: {name: adze-provider, labels: {adze.dev/provider: kwok}}
//     data:
//       nodeClasses: KWOKNodeClass.karpenter.kwok.sh   # several: separated by blanks
//       instanceTypes: built-in | published | too-large
//       catalog: an InstanceTypeCatalog as JSON        # only if instanceTypes is published
//       settings: '{"NODE_COST": "0.05"}'              # explicit ones that plans depend on
//       learned: '{"EXPECTED_CPU_USE": {"value": "0.35", …}}'   # record_settings.h
//
// Any user who may create ConfigMaps in some namespace can forge one: the oldest wins.
#pragma once

#include "cloud/port/provider.h"
#include "kube/client.h"

#define PROVIDER_RECORD_NAME  "adze-provider"
#define PROVIDER_RECORD_LABEL "adze.dev/provider"
#define CONFIG_MAPS_PATH      "/api/v1/configmaps"

enum instance_type_source {
    TYPES_BUILT_IN,  // the provider's built-in types
    TYPES_PUBLISHED, // the controller's own
    TYPES_TOO_LARGE, // its own, but larger than a ConfigMap allows
};

struct provider_record {
    char *provider;     // "kwok", "sim"
    char *node_classes; // "KIND.GROUP", separated by blanks
    char *namespace;
    char *settings;  // JSON (record_settings.h); NULL: of an older release
    char *learned;   // JSON (record_settings.h); NULL: nothing
    int64_t created; // instant, by the API server's clock
    enum instance_type_source source;
    const struct instance_type_catalog *catalog; // TYPES_PUBLISHED: a reference; else NULL
};
void provider_record_free(struct provider_record *record); // its contents; zeroed is fine

// Appends "KIND.GROUP" to the list.
void provider_record_add_class(struct text *node_classes, enum kind_id node_class);

// Whether the provider serves node classes of this (group, kind).
bool provider_record_serves(const struct provider_record *record, const char *group,
                            const char *kind);

// Decodes the record of a ConfigMap. An error names the unreadable field; nothing needs freeing
// then.
bool provider_record_decode(const json_t *config_map, struct provider_record *record,
                            struct error *error) MUST_USE;

// Writes the record of `cloud` and retries until it is written or forbidden.
struct provider_publisher;
struct provider_publisher_options { // borrowed until the publisher is created
    struct loop *loop;              // loop and client must outlive the publisher
    struct kube_client *client;
    const char *namespace;
    struct cloud *cloud;
    const struct settings *settings;
    // Called once, with what an earlier controller has published as `learned`: the answer to a
    // patch has all of the record. NULL: this controller learns nothing, and takes that back.
    void (*restored)(void *context, const char *learned);
    void *context;
};
struct provider_publisher *provider_publisher_create(
    const struct provider_publisher_options *options);
void provider_publisher_destroy(struct provider_publisher *publisher); // NULL is fine
// Publishes this as `learned` from now on.
void provider_publisher_learn(struct provider_publisher *publisher, const char *learned);
