// The table of providers, in order of precedence: where several serve a node class, the first
// counts. A provider is a line in src/cloud/meson.build and a folder; the README says what is in
// it.
#pragma once

#include "cloud/port/provider.h"

#define PROVIDERS_MAX 16

extern const struct cloud_provider *const providers[]; // NULL-terminated

const struct cloud_provider *provider_find(const char *name); // NULL: there is none of that name
// The provider of a controller that was told none: the first that runs against a cluster.
const struct cloud_provider *provider_of_clusters(void);
// The one whose instance types a plan of files counts with.
const struct cloud_provider *provider_of_files(void);

// Names of the providers whose instance types --provider offers, NULL-terminated.
void providers_offered(const char *names[PROVIDERS_MAX + 1]);
// Names of those that run against a cluster, NULL-terminated.
void providers_running(const char *names[PROVIDERS_MAX + 1]);

// The instance types of --catalog FILE, in a form that a provider can read. One reference, owned by
// the caller.
const struct instance_type_catalog *providers_read_catalog(const char *path,
                                                           struct error *error) MUST_USE;
// The instance types that every adze has for the provider of that name. One reference. The error of
// an unknown name lists those that are offered.
const struct instance_type_catalog *providers_catalog(const char *name,
                                                      struct error *error) MUST_USE;
