// The permissions of the controller (API-220 to 226) as RBAC objects, by the chart's table
// (charts/adze/files/permissions.yaml): what the features in use need, and no more.
#pragma once

#include <jansson.h>

#include "model/reading/settings.h"

struct manifest_options {
    const char *name, *namespace;
    const char *provider; // its name
    const char *image;
    const char *role_arn; // annotation of the ServiceAccount; NULL: none
    int64_t replicas;
    const struct settings *settings;
};

// The labels that all objects share; the caller owns them.
json_t *manifest_labels(const struct manifest_options *options);
// apiVersion, kind, and metadata with the labels; `namespace` NULL: of the cluster.
json_t *manifest_object(const struct manifest_options *options, const char *api_version,
                        const char *kind, const char *name, const char *namespace);
// Appends the ClusterRoles and Roles with their bindings to the ServiceAccount.
void manifest_roles_add(const struct manifest_options *options, json_t *objects);
