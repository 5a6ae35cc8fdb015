// Pods that were nominated to the node that they are planned for (SCH-516), and whether
// kube-scheduler follows. The nominator writes it; the cluster state reads it to know how long a
// plan still holds.
//
// Nothing works before nominations_set_supported(); under COMPATIBILITY=upstream, without
// POD_NOMINATION or with an older API server nothing ever does.
#pragma once

#include "base/loop.h"
#include "model/schema/core.h"

struct nominations;
struct nominations *nominations_create(struct loop *loop); // borrowed
void nominations_destroy(struct nominations *nominations); // NULL is fine

void nominations_set_supported(struct nominations *nominations, bool supported);
// Nominations are set and honored, as far as that is known.
bool nominations_work(const struct nominations *nominations);

// --- of pods -------------------------------------------------------------------------------------
// A nomination, or its end, is being written. After one that prepares an opening the next may
// follow soon; otherwise the pause doubles each time.
void nominations_note(struct nominations *nominations, const struct pod *pod, bool is_preparing);
void nominations_forget(struct nominations *nominations, const char *pod_uid);
// The pod was nominated, and kube-scheduler should follow soon.
bool nominations_has(const struct nominations *nominations, const struct pod *pod);
// How long the pod's last nomination keeps the next one off; 0: not at all.
int64_t nominations_pause(const struct nominations *nominations, const struct pod *pod);
// A planned pod was bound. When too many nominated ones go elsewhere, nothing works for an hour.
void nominations_note_landing(struct nominations *nominations, const struct pod *pod,
                              bool as_planned);

// --- of nodes ------------------------------------------------------------------------------------
// The NodeClaim's node stays closed to pods that are not nominated (kept_replacements.h), or is
// opened.
void nominations_keep_closed(struct nominations *nominations, const char *claim, bool closed);
// It is closed, and nominations work.
bool nominations_keep(const struct nominations *nominations, const char *claim);
