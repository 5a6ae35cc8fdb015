// Search over whole plans (pack.h). A pass decides pod by pod, and the cost of some decisions shows
// only at the end: which node affinity term a pod takes (SCH-508), whether a pod joins a claim that
// must grow for it, whether it avoids other pods' spreads, and whether it goes before or after them
// (SCH-516). The search changes such choices, packs the pods again and keeps the cheaper plan.
//
// Spreads count every domain that one of their pods' terms allows (SCH-508, SCH-512). While all
// those pods take a cheap term, domains that only much more expensive terms allow may stay empty:
// kube-scheduler does not count them until a node exists there. Terms of about the same price, one
// for each zone, remain domains to spread over.
//
// The number of pods bounds the tries, never time. There are none if the bound shows little to
// gain; with many pods only apparently expensive choices are changed.
#pragma once

#include "engine/pass/pass_state.h"

// Searches from a finished pass, which it takes over. Returns that pass or a cheaper one, in which
// some pods took another node affinity term or no longer avoid other pods' spreads.
struct pass *pack_alternatives(struct pass *pass);
