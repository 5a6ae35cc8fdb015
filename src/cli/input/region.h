// The region of a plan: --region, else what the input names, else the environment.
//
// Of several regions that NodePools name the one most often named counts; others are told. After
// NodePools come subnets in the status of node classes, Nodes, and the provider's variables.
#pragma once

#include "base/text.h"
#include "cloud/port/provider.h"
#include "model/snapshot/plan.h"
#include "model/snapshot/snapshot.h"

struct region {
    const struct provider_regions *table; // NULL: the provider knows none
    char name[PROVIDER_REGION_MAX];       // empty: nothing names one
    struct text remarks;                  // lines that begin with a line feed
};
void region_free(struct region *region); // its contents; zeroed is fine

// `asked`: of --region, or NULL. False: it is not known.
bool region_find(struct region *region, const struct cloud_provider *provider, const char *asked,
                 const struct snapshot *snapshot, struct error *error) MUST_USE;
// The built-in types of the provider in this region. One reference.
const struct instance_type_catalog *region_catalog(const struct region *region,
                                                   const struct cloud_provider *provider,
                                                   const struct snapshot *snapshot,
                                                   struct error *error) MUST_USE;
// Marks the claims whose price is an estimate.
void region_mark_estimates(const struct region *region, struct plan *plan);
// Their source, to follow their number in messages; the caller frees it.
char *region_catalog_text(const struct region *region, const struct cloud_provider *provider,
                          const struct snapshot *snapshot);
