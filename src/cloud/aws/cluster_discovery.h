// Learns the facts of the cluster before anything is decided (AWN-500 to 506): whether EC2 may be
// called, the cluster's endpoint, version, certificate and DNS address. A step that fails is logged
// and tried again; nothing else waits in vain, since the program does not become ready.
#pragma once

#include "cloud/aws/client/aws_client.h"
#include "cloud/aws/families/cluster_facts.h"
#include "kube/client.h"
#include "model/reading/settings.h"

struct cluster_discovery;
struct cluster_discovery_options { // borrowed
    struct loop *loop;
    struct aws_client *client;
    struct kube_client *kube;
    const struct settings *settings;
    const char *api_ca; // PEM: the API server's certificates; NULL: the system's
};
// Settings that cannot be right are an error at once: no cluster name, an endpoint that is no URL.
struct cluster_discovery *cluster_discovery_create(const struct cluster_discovery_options *options,
                                                   struct error *error);
void cluster_discovery_destroy(struct cluster_discovery *discovery); // NULL is fine
// The texts live as long as the discovery; members change with a refresh.
struct cluster_facts *cluster_discovery_facts(struct cluster_discovery *discovery);
// `done` is called once, later, when all facts are known.
void cluster_discovery_begin(struct cluster_discovery *discovery, void (*done)(void *context),
                             void *context);

// AWN-503, 504: reads the version again; a failure keeps the old one. The error of an unsupported
// version comes once for each version.
typedef void (*cluster_version_done)(void *context, const struct error *error);
void cluster_discovery_refresh_version(struct cluster_discovery *discovery,
                                       cluster_version_done done, void *context);
// AWN-501: looks up the CIDR of Services unless it is known. Fits node_class_environment.need_cidr.
void cluster_discovery_need_cidr(void *discovery,
                                 void (*done)(void *context, const struct aws_result *result),
                                 void *context);
