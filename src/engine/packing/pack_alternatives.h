// Whole plans compared (pack.h). A pass decides pod by pod, and some of what it decides cannot be
// seen to be dear before everything is placed: which of a pod's node affinity terms it takes
// (SCH-508), whether it joins a claim that must grow for it, whether it goes where spreads of
// others want it, and before them or after (SCH-516). Here such choices are made otherwise, the
// pods are packed anew, and what is cheaper in the end is kept.
//
// Spreads reckon with every domain that one of their pods' terms opens (SCH-508, SCH-512). While
// all those pods take a cheap term, domains that only far dearer terms open need not be filled:
// kube-scheduler does not count them before such a node is there. Terms of about the same price,
// one for each zone, stay domains to spread over.
//
// The number of tries is bounded by the pods, never by time. None is made where the bound says that
// there is little to gain; of many pods only choices are made otherwise that look dear.
#pragma once

#include "engine/pass/pass_state.h"

// The same after it: takes the pass over, and returns it or one that is cheaper because some pods
// took another of their node affinity terms, or no longer avoid spreads of others.
struct pass *pack_alternatives(struct pass *pass);
