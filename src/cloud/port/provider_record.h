// Which provider works in a cluster, told by the cluster itself: the controller publishes a record,
// and programs that only read the cluster (`adze plan`, `explain`, `snapshot`) learn from it whose
// NodePools are meant (LIF-2), and which instance types there are and what they cost.
//
// The record is a ConfigMap in the namespace of the lease:
//
//     metadata: {name: adze-provider, labels: {adze.dev/provider: kwok}}
//     data:
//       nodeClasses: KWOKNodeClass.karpenter.kwok.sh   # several: with blanks between
//       instanceTypes: built-in | published | too-large
//       catalog: an InstanceTypeCatalog as JSON        # only if instanceTypes is published
//
// Whoever may create ConfigMaps in any namespace can write one like it: of several the oldest
// counts.
#pragma once

#include "cloud/port/provider.h"
#include "kube/client.h"

#define PROVIDER_RECORD_NAME  "adze-provider"
#define PROVIDER_RECORD_LABEL "adze.dev/provider"
#define CONFIG_MAPS_PATH      "/api/v1/configmaps"

enum instance_type_source {
    TYPES_BUILT_IN,  // of the provider's name: every adze has them
    TYPES_PUBLISHED, // the controller's own
    TYPES_TOO_LARGE, // its own, but more than a ConfigMap holds
};

struct provider_record {
    char *provider;     // "kwok", "sim"
    char *node_classes; // "KIND.GROUP", with blanks between
    char *namespace;
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

// The record of a ConfigMap. An error names what cannot be read; nothing is to be freed then.
bool provider_record_decode(const json_t *config_map, struct provider_record *record,
                            struct error *error) MUST_USE;

// Writes the record of `cloud`, again and again until it is written or forbidden. Everything is
// read at once; loop and client must outlive the publisher.
struct provider_publisher;
struct provider_publisher *provider_publisher_create(struct loop *loop, struct kube_client *client,
                                                     const char *namespace, struct cloud *cloud);
void provider_publisher_destroy(struct provider_publisher *publisher); // NULL is fine
