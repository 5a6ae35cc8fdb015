// Facts about label keys (API-47, 150, 170 to 173; SCH-31): well-known keys, restricted domains,
// aliases of old keys; and ephemeral taints.
//
// The core has its own set; a cloud provider's API group adds to it (struct provider_labels). Lists
// are NULL-terminated, in byte order.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

struct taint;

extern const char *const well_known_core[];           // SCH-31
extern const char *const restricted_domains_core[];   // karpenter.sh
extern const char *const well_known_resources_core[]; // API-155

// A key with a fixed set of values (API-171).
struct known_values {
    const char *key;
    const char *const *values;
};

// The labels of a cloud provider's API group. A list may be NULL: empty.
struct provider_labels {
    const char *group;             // of its node classes; the prefix of most of its keys
    const char *const *well_known; // API-108, rows W of API-170
    const char *const *restricted; // domains (API-150)
    const char *const *resources;  // that NodeOverlays must not set, beside the core's (API-155)
    const struct known_values *known_values; // the last has no key
    bool in_core_crds;   // the CRDs of Karpenter's own kinds have rules for its keys (API-47)
    bool restricts_pods; // SCH-28: pods with a restricted key are refused
};
extern const struct known_values known_values_aws[];
extern const struct provider_labels provider_labels_aws, provider_labels_kwok;
extern const struct provider_labels *const provider_labels_all[]; // NULL-terminated

// The labels for checks of NodePools whose node class is in `group` (may be NULL): the group's own,
// else those in the CRDs. `core`: without the latter. May be NULL.
const struct provider_labels *provider_labels_of(const char *group, bool core);

// Keys of karpenter.k8s.aws that the CRDs' rules allow: in NodePools and NodeClaims (API-47), and
// fewer in NodeOverlays (API-68).
extern const char *const aws_admitted_keys[];
extern const char *const aws_admitted_overlay_keys[];

bool text_list_has(const char *const *list, const char *text); // a NULL list is empty

// API-172: the key behind an alias; `key` itself if it is no alias.
const char *label_alias_target(const char *key);
// MIG-60: the successor of an old key; NULL if `key` is not old, "" if it has no successor.
const char *label_successor(const char *key);
// API-150. The extra lists may be NULL.
bool label_is_well_known(const char *key, const char *const *well_known_extra);
bool label_is_restricted(const char *key, const char *const *well_known_extra,
                         const char *const *restricted_extra);
// Appends the explanation of API-150.
void label_restricted_text(struct text *text, const char *key, const char *const *well_known_extra,
                           const char *const *restricted_extra);
// The taint disappears by itself while a node starts (LIF-62).
bool taint_is_ephemeral(const struct taint *taint);
// API-171: the only possible values of a key, in byte order, or NULL. `labels` adds a provider's,
// or is NULL.
const char *const *label_known_values(const char *key, const struct provider_labels *labels);
