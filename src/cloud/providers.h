// The table of providers, in order of precedence: if several serve a node class, the first wins. A
// provider is a line in src/cloud/meson.build and a folder; the README describes the folder.
#pragma once

#include <jansson.h>

#include "cloud/port/provider.h"

#define PROVIDERS_MAX 16

extern const struct cloud_provider *const providers[]; // NULL-terminated

const struct cloud_provider *provider_find(const char *name); // NULL: unknown name
// The default provider of a controller: the first that runs against a cluster.
const struct cloud_provider *provider_of_clusters(void);
// The provider of the instance types in a plan of files.
const struct cloud_provider *provider_of_files(void);

// Names of the providers with instance types for --provider, NULL-terminated.
void providers_offered(const char *names[PROVIDERS_MAX + 1]);
// Names of the providers that run against a cluster, NULL-terminated.
void providers_running(const char *names[PROVIDERS_MAX + 1]);

// Adds what the providers find in an admitted object: that of a node class's kind in the node
// class, those that a NodePool's node class belongs to in the NodePool. Other kinds are fine.
void providers_check_object(const struct kind *kind, const json_t *object,
                            struct findings *findings);

// The instance types of --catalog FILE, in a form of some provider. One reference, owned by the
// caller.
const struct instance_type_catalog *providers_read_catalog(const char *path,
                                                           struct error *error) MUST_USE;
// The built-in instance types of the named provider. One reference. The error for an unknown name
// lists the valid ones.
const struct instance_type_catalog *providers_catalog(const char *name,
                                                      struct error *error) MUST_USE;
