// Whose NodePools a live cluster's are, and which instance types stand behind them: as the
// controller in it has published (cloud/port/provider_record.h), else as its node classes suggest.
#pragma once

#include "cloud/port/provider_record.h"
#include "model/snapshot/snapshot.h"

struct live_provider {
    struct provider_record record; // node_classes NULL: every NodePool counts
    char *rivals;                  // namespaces of all records, if there are several; else NULL
    char *left_out;                // what the snapshot has been rid of, for people; NULL: nothing
};
void live_provider_free(struct live_provider *provider); // zeroed is fine

// `config_maps`: those with PROVIDER_RECORD_LABEL. `name`: of the provider, or NULL. Of several
// records one that serves a NodePool of the snapshot counts, then the oldest; without any, the node
// classes.
void live_provider_find(struct live_provider *provider, const json_t *config_maps,
                        const struct snapshot *snapshot, const char *name);

// LIF-2: takes NodePools and NodeClaims of other providers out of the snapshot.
void live_provider_leave_out_others(struct live_provider *provider, struct snapshot *snapshot);

// The instance types of `path` (NULL or empty: none), else the provider's: one reference, owned by
// the caller.
const struct instance_type_catalog *live_provider_catalog(const struct live_provider *provider,
                                                          const char *path,
                                                          struct error *error) MUST_USE;
// Where they come from, to follow their number; `path` as above. The caller frees it.
char *live_provider_catalog_text(const struct live_provider *provider, const char *path);
