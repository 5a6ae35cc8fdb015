// The provider of a live cluster, its NodePools and instance types: from the controller's published
// record (cloud/port/provider_record.h), else guessed from the node classes.
#pragma once

#include "cli/input/region.h"
#include "cloud/port/provider_record.h"
#include "model/snapshot/snapshot.h"

struct live_provider {
    struct provider_record record; // node_classes NULL: every NodePool counts
    char *rivals;                  // namespaces of all records, if there are several; else NULL
    char *left_out;                // objects removed from the snapshot, for messages; NULL: none
    struct region region;          // of built-in types, after live_provider_find_region()
};
void live_provider_free(struct live_provider *provider); // zeroed is fine

// `config_maps`: those with PROVIDER_RECORD_LABEL. `name`: of the provider, or NULL. Of several
// records one that serves a NodePool of the snapshot wins, then the oldest; without records, the
// node classes decide.
void live_provider_find(struct live_provider *provider, const json_t *config_maps,
                        const struct snapshot *snapshot, const char *name);

// LIF-2: removes NodePools and NodeClaims of other providers from the snapshot.
void live_provider_leave_out_others(struct live_provider *provider, struct snapshot *snapshot);

// The region of the built-in types; `asked` is --region's. False: it is unknown, or the types of
// the path (NULL or empty: none) or the provider know none.
bool live_provider_find_region(struct live_provider *provider, const char *path, const char *asked,
                               const struct snapshot *snapshot, struct error *error) MUST_USE;
// The instance types of `path` (NULL or empty: none), else the provider's: one reference, owned by
// the caller.
const struct instance_type_catalog *live_provider_catalog(const struct live_provider *provider,
                                                          const char *path,
                                                          const struct snapshot *snapshot,
                                                          struct error *error) MUST_USE;
// The provider whose built-in instance types these are; NULL: they are others.
const struct cloud_provider *live_provider_built_in(const struct live_provider *provider,
                                                    const char *path);
// With the built-in instance types: those of the node classes in the snapshot (class_catalogs.h).
void live_provider_add_class_catalogs(const struct live_provider *provider, const char *path,
                                      const struct instance_type_catalog *common,
                                      struct snapshot *snapshot, struct text *text);
// Their source, to follow their number in messages; `path` as above. The caller frees it.
char *live_provider_catalog_text(const struct live_provider *provider, const char *path,
                                 const struct snapshot *snapshot);
