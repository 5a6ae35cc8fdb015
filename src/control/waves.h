// Which waves of pods are still coming (SCH-527): for each ReplicaSet, StatefulSet and Job how many
// pods it wants, how many there are, and of how many kube-scheduler has not said yet whether they
// find a place. A wave is finished when nobody is under way: neither a workload with pods that are
// missing or undecided, nor somebody whose pods nobody can count.
//
// Who has not moved for a whole idle window is not waited for: a workload that a quota stops, pods
// of a kind that cannot be seen. Work per change, not per pod and look.
#pragma once

#include "control/control.h"

struct waves;
// `changed` is called when something may have finished a wave. The handlers on the mirror are
// registered before those of whoever creates it.
struct waves *waves_create(struct control *control, void (*changed)(void *context), void *context);
void waves_destroy(struct waves *waves); // NULL is fine

// What waves are made of, for a mirror: ReplicaSets, StatefulSets and Jobs, as counts.
void waves_watch(struct mirror *mirror);
// Whether a workload accounts for the pod: its controller is of a kind that is counted.
bool waves_account_for(const struct pod *pod);
// Something that no workload accounts for came now: more may follow for an idle window.
void waves_note_loose(struct waves *waves);
// Nobody is under way.
bool waves_finished(struct waves *waves);
