// Readings of a simulated cluster and manual changes to it, for tests of the controllers. Results
// are borrowed from the store until the loop runs on.
#pragma once

#include "simulation/scenario.h"

#define KARPENTER "karpenter.sh/v1"

// An object of the store, NULL if there is none; `namespace` NULL for cluster-scoped kinds.
json_t *view_object(struct scenario *scenario, const char *api_version, const char *kind,
                    const char *namespace, const char *name);
// The first object of its kind by name, which must exist; and the first other than `name`.
json_t *view_first(struct scenario *scenario, const char *api_version, const char *kind);
json_t *view_claim(struct scenario *scenario); // the first NodeClaim
json_t *view_node(struct scenario *scenario);  // the first Node
uint32_t view_count(struct scenario *scenario, const char *api_version, const char *kind);
bool view_any_claim(struct scenario *scenario); // a NodeClaim

// The text at a dotted path, or NULL.
const char *view_text(const json_t *object, const char *path);
const char *view_label(const json_t *object, const char *key);
const char *view_annotation(const json_t *object, const char *key);
bool view_has_finalizer(const json_t *object, const char *finalizer);
bool view_has_taint(const json_t *node, const char *key, const char *effect);
// "STATUS/REASON" of a condition, or "none"; a static buffer of four.
const char *view_condition(const json_t *object, const char *type);
const char *view_condition_message(const json_t *object, const char *type);
// In whole seconds since 1970; 0: no transition, or no such condition.
int64_t view_transition(const json_t *object, const char *type);
int64_t view_instant(const json_t *object, const char *path);
int64_t view_now(struct scenario *scenario); // whole seconds

// Number of Events of the reason about that kind, with `part` in the message (NULL: any),
// repetitions counted.
uint32_t view_events(struct scenario *scenario, const char *kind, const char *reason,
                     const char *part);

// The value of a series in /metrics; `labels` as "name=\"value\",...", in the family's order. -1:
// no such series.
double view_metric(struct scenario *scenario, const char *family, const char *labels);
// The sum of the family's series whose labels contain `part`.
double view_metric_sum(struct scenario *scenario, const char *family, const char *part);
// Planned pods that were bound: "planned", or "elsewhere".
double view_landed(struct scenario *scenario, const char *where);

// Manual changes: a merge patch (YAML's flow style or JSON) of an object or its status; a deletion.
void hand_patch(struct scenario *scenario, const char *api_version, const char *kind,
                const char *namespace, const char *name, const char *subresource,
                const char *patch);
void hand_delete(struct scenario *scenario, const char *api_version, const char *kind,
                 const char *namespace, const char *name);
// A bare pod of `cpu`, with `metadata` and `spec` as further members in YAML's flow style ("" for
// none), e.g. "annotations: {...}, " and "terminationGracePeriodSeconds: 5, ".
void hand_pod(struct scenario *scenario, const char *name, const char *cpu, const char *metadata,
              const char *spec);
// A PersistentVolume "pv-1" and a claim "data" that is bound to it.
void hand_bound_volume(struct scenario *scenario);
// The NodePool "default" with these further members of its template's spec and of its own spec.
void hand_pool(struct scenario *scenario, const char *template_spec, const char *spec);
