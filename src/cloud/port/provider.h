// A cloud provider for the rest of adze: one row of the table of providers (cloud/providers.h).
// Nothing outside a provider's own folder names the provider.
//
// Part of a row works without a cluster: `adze plan`, `explain` and `snapshot` read instance types
// from it and match NodePools to the provider. The rest is for the controller.
#pragma once

#include "cloud/port/cloud.h"
#include "model/tables/well_known.h"

struct findings;
struct kube_client;
struct manager;
struct metrics;
struct mirror;
struct settings;
struct text;

// The environment of a provider's cloud. Everything is borrowed and outlives the cloud; the mirror
// watches Nodes, NodeClaims and the provider's node class.
struct provider_environment {
    struct loop *loop;
    struct kube_client *client;
    struct mirror *mirror;
    const struct settings *settings;
    struct metrics *metrics; // NULL: none
    const char *api_ca;      // PEM: the API server's certificates; NULL: the system's
    const char *namespace;   // the controller's own, for what it keeps; NULL: kube-system
    uint64_t seed;
};

// A node class whose instance types are wanted without a cluster; borrowed.
struct class_catalog_request {
    const struct object *node_class;
    const struct node_pool *const *pools; // those that refer to it
    uint32_t pools_count;
    const struct settings *settings;
    const char *region; // that of the plan; NULL: its zones tell
};

#define PROVIDER_REGION_MAX 64

// The regions of a provider's cloud, for plans without a cluster. Lists are NULL-terminated.
struct provider_regions {
    const char *fallback;           // where nothing names another
    const char *const *environment; // variables that name one, in order
    // The region of a zone. False: no region that is known has a zone of such a name.
    bool (*of_zone)(const char *zone, char region[PROVIDER_REGION_MAX]);
    bool (*is_known)(const char *region);
    void (*add_near)(const char *region,
                     struct text *text); // "did you mean eu-west-1?", or nothing
    const char *const *(*zones)(struct arena *arena, const char *region);
    // Those that the status of a node class names.
    const char *const *(*zones_of_class)(struct arena *arena, const struct object *node_class);
    // The types that the region offers, in these zones (NULL: all built-in types, in usual ones),
    // by these settings (NULL: the defaults); a reference that the caller releases.
    const struct instance_type_catalog *(*catalog)(const char *region, const char *const *zones,
                                                   const struct settings *settings,
                                                   struct error *error);
    // The types whose on-demand prices, or those of spot, are estimates; in byte order, offered or
    // not.
    const char *const *(*estimated)(struct arena *arena, const char *region, bool spot);
    // The source of the types, as catalog_text; `estimates`: how many on offer are estimated.
    void (*describe)(const char *region, uint32_t estimates, struct text *text);
};

struct cloud_provider {
    const char *name; // for --provider, the metric label `provider` and the published record

    // --- its NodePools ---
    enum kind_id node_class;    // the node class kind that the controller watches
    const enum kind_id *serves; // LIF-2: kinds that its NodePools refer to; ends with KIND_COUNT
    const struct provider_labels *labels; // restricted domains, keys with fixed values
    // Adds what is wrong with an admitted node class of the kind `node_class` and what of it has no
    // effect, as far as that shows without a cluster (for `adze validate`). NULL: nothing to find.
    void (*check_class)(const struct object *node_class, struct findings *findings);
    // Adds the values of an admitted NodePool's requirements and labels that exist nowhere in the
    // provider's cloud (GUI-13): zones, regions, instance types, families. NULL: nothing is known.
    void (*check_pool)(const struct node_pool *pool, struct findings *findings);

    // --- instance types without a cluster ---
    // The built-in instance types: a reference that the caller releases.
    const struct instance_type_catalog *(*catalog)(struct error *error);
    const char *catalog_text; // their source; follows their number in messages
    const char *catalog_help; // the same for --help; NULL: --provider does not accept the name
    bool catalog_of_files;    // a plan of files uses these types; true of one provider
    const struct provider_regions *regions; // NULL: the built-in types know none
    bool regions_of_files_only; // its controllers serve `catalog`, wherever their Nodes are
    // Reads --catalog FILE in the provider's own formats; NULL: it has none. An error names the
    // entry. One reference, owned by the caller.
    const struct instance_type_catalog *(*read_catalog)(const char *path, struct error *error);

    // The built-in instance types as a node class has them: its images, kubelet, disks. A reference
    // that the caller releases; NULL with the error: none can be told; NULL without one: as
    // `catalog`. `unknown`: facts that only a cluster has, phrases joined by ", " (NULL: not
    // wanted). A NULL function:
    // node classes change nothing.
    const struct instance_type_catalog *(*class_catalog)(
        const struct class_catalog_request *request, struct text *unknown, struct error *error);
    // The node class that a NodePool is taken to have if its own is not in the input: the family of
    // its images, for messages; *node_class is a reference that the caller releases, or NULL:
    // `catalog` is right for it. A NULL function: nothing is known of them.
    const char *(*class_taken)(const struct node_pool *pool, const struct object **node_class);

    // A built-in catalogue with the user's own prices, of the file that the setting PRICES names: a
    // reference that the caller releases; NULL with the error. A NULL function: it has none.
    const struct instance_type_catalog *(*reprice)(const struct instance_type_catalog *catalog,
                                                   const char *path, struct error *error);

    // --- in a cluster ---
    const char *machines; // a description of its machines, for --help of the controller
    // Returns the cloud, or NULL with the error; the caller calls operations->destroy. A NULL
    // function: the provider does not run against a cluster.
    struct cloud *(*create)(const struct provider_environment *environment, struct error *error);
    // Creates the reconcilers of its node class (reconcile/manager.h), together with the
    // controller's own, before any of their queues starts; destroyed when no operation is under way
    // any more. NULL: none.
    void *(*reconcilers_create)(struct manager *manager, struct cloud *cloud);
    void (*reconcilers_destroy)(void *reconcilers);
    // The condition histograms of its node class use the default buckets of Prometheus' client
    // library instead of those of Karpenter's own kinds (LIF-357).
    bool plain_condition_buckets;
};

bool provider_serves(const struct cloud_provider *provider, const char *group, const char *kind);
