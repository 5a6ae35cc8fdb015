// Facts about label keys (API-47, 150, 170 to 173; SCH-31): which are well known, which domains are
// restricted, which old keys stand for new ones. And about taints: which go away by themselves.
//
// The core knows its own set; a cloud provider adds to it. Lists are NULL-terminated, in byte
// order.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

struct taint;

extern const char *const well_known_core[]; // SCH-31
extern const char *const well_known_aws[];  // rows W of API-170
extern const char *const well_known_kwok[]; // API-108

extern const char *const restricted_domains_core[]; // karpenter.sh
extern const char *const restricted_domains_aws[];  // karpenter.k8s.aws
extern const char *const restricted_domains_kwok[]; // karpenter.kwok.sh

// Keys of karpenter.k8s.aws that the CRDs' rules let through: in NodePools and NodeClaims (API-47),
// and the fewer in NodeOverlays (API-68).
extern const char *const aws_admitted_keys[];
extern const char *const aws_admitted_overlay_keys[];

extern const char *const well_known_resources_core[]; // API-155
extern const char *const well_known_resources_aws[];

bool text_list_has(const char *const *list, const char *text); // a NULL list is empty

// API-172: the key that `key` stands for; `key` itself if it is no alias.
const char *label_alias_target(const char *key);
// MIG-60: what replaced an old key, or NULL if `key` is none. "" if nothing did.
const char *label_successor(const char *key);
// API-150. The extra lists may be NULL.
bool label_is_well_known(const char *key, const char *const *well_known_extra);
bool label_is_restricted(const char *key, const char *const *well_known_extra,
                         const char *const *restricted_extra);
// Appends the explanation of API-150.
void label_restricted_text(struct text *text, const char *key, const char *const *well_known_extra,
                           const char *const *restricted_extra);
// The taint goes away by itself while a node comes up (LIF-62).
bool taint_is_ephemeral(const struct taint *taint);
// API-171: the only values that a key can have, in byte order, or NULL. `aws` adds the provider's.
const char *const *label_known_values(const char *key, bool aws);
