// The kwok provider (docs/rules/kwok.md): a machine is a Node object in the cluster itself.
//
// It reads Nodes, NodeClaims and KWOKNodeClasses from the mirror, which must be watching those
// kinds, and creates and deletes Nodes through the client.
#pragma once

#include "cloud/port/cloud.h"
#include "kube/client.h"
#include "kube/mirror.h"

struct kwok_cloud_options {
    const struct instance_type_catalog *catalog; // a reference is taken
    bool catalog_is_own; // not kwok_catalog_generic(): programs that read the cluster need it
};

// Client and mirror must outlive it. The caller sets `provider`.
struct cloud *kwok_cloud_create(struct loop *loop, struct kube_client *client,
                                struct mirror *mirror, const struct kwok_cloud_options *options);
