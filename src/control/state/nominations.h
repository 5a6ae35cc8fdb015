// Pods that adze nominated to their planned nodes (SCH-516), and whether kube-scheduler follows.
// The nominator writes it; the cluster state reads it to decide how long a plan holds.
//
// Nominations work only after nominations_set_supported(). They never work under
// COMPATIBILITY=upstream, without POD_NOMINATION or with an older API server.
#pragma once

#include "base/loop.h"
#include "model/schema/core.h"

struct nominations;
struct nominations *nominations_create(struct loop *loop); // borrowed
void nominations_destroy(struct nominations *nominations); // NULL is fine

void nominations_set_supported(struct nominations *nominations, bool supported);
// Nominations are written, and kube-scheduler honors them as far as is known.
bool nominations_work(const struct nominations *nominations);

// --- of pods -------------------------------------------------------------------------------------
// A nomination, or its removal, is being written. The pause before the pod's next one doubles each
// time, except after a nomination that prepares an opening.
void nominations_note(struct nominations *nominations, const struct pod *pod, bool is_preparing);
void nominations_forget(struct nominations *nominations, const char *pod_uid);
// This process has written a nomination of the pod.
bool nominations_knows(const struct nominations *nominations, const struct pod *pod);
// The pod is nominated, and kube-scheduler should follow soon.
bool nominations_has(const struct nominations *nominations, const struct pod *pod);
// Remaining pause before the pod's next nomination; 0: none.
int64_t nominations_pause(const struct nominations *nominations, const struct pod *pod);
// A planned pod was bound. If too many nominated pods go elsewhere, nominations stop for an hour.
void nominations_note_landing(struct nominations *nominations, const struct pod *pod,
                              bool as_planned);

// --- of nodes ------------------------------------------------------------------------------------
// Closes the NodeClaim's node to pods that are not nominated (kept_replacements.h), or opens it.
void nominations_keep_closed(struct nominations *nominations, const char *claim, bool closed);
// While kept nodes open, no pod is evicted: each one that goes has kube-scheduler try those that
// wait once more, and they lose their nominations.
void nominations_set_opening(struct nominations *nominations, bool opening);
bool nominations_are_opening(const struct nominations *nominations);
// The node is closed, and nominations work.
bool nominations_keep(const struct nominations *nominations, const char *claim);
