// A cloud provider as the rest of adze sees it: one row of the table of providers
// (cloud/providers.h). Nothing outside a provider's own folder names the provider.
//
// Some of a row serves without a cluster: `adze plan`, `explain` and `snapshot` take instance types
// by it and recognize whose NodePools they read. The rest is for the controller.
#pragma once

#include "cloud/port/cloud.h"
#include "model/tables/well_known.h"

struct kube_client;
struct manager;
struct mirror;
struct settings;

// The process that a provider runs in. All is borrowed and outlives the cloud; the mirror watches
// Nodes, NodeClaims and the provider's node class.
struct provider_environment {
    struct loop *loop;
    struct kube_client *client;
    struct mirror *mirror;
    const struct settings *settings;
};

struct cloud_provider {
    const char *name; // of --provider, of the metric label `provider`, of the published record

    // --- whose NodePools ---
    enum kind_id node_class;    // the kind that the controller watches and judges NodePools by
    const enum kind_id *serves; // LIF-2: NodePools that refer to one of these are its own; the last
                                // is KIND_COUNT
    const struct provider_labels *labels; // restricted domains, keys with fixed values

    // --- instance types without a cluster ---
    // Those that every adze has for this provider: a reference that the caller releases.
    const struct instance_type_catalog *(*catalog)(struct error *error);
    const char *catalog_text; // where they are from, to follow their number
    const char *catalog_help; // the same for --help; NULL: --provider does not offer them by name
    bool catalog_of_files;    // they are what a plan of files counts with; of one provider
    // Reads --catalog FILE in the forms that this provider knows; NULL: it knows none of its own.
    // An error names the entry. One reference, owned by the caller.
    const struct instance_type_catalog *(*read_catalog)(const char *path, struct error *error);

    // --- in a cluster ---
    const char *machines; // what its machines are, for --help of the controller
    // NULL: it does not run against a cluster. The cloud, or NULL with the error; the caller calls
    // operations->destroy.
    struct cloud *(*create)(const struct provider_environment *environment, struct error *error);
    // The reconcilers of its node class (reconcile/manager.h), made with the controller's own
    // before any of their queues starts; destroyed when no operation is under way any more. NULL:
    // none.
    void *(*reconcilers_create)(struct manager *manager, struct cloud *cloud);
    void (*reconcilers_destroy)(void *reconcilers);
    // The condition histograms of its node class have the buckets of Prometheus' client library, in
    // place of those that Karpenter's own kinds have (LIF-357).
    bool plain_condition_buckets;
};

bool provider_serves(const struct cloud_provider *provider, const char *group, const char *kind);
