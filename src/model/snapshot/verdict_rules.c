#include "model/snapshot/verdict_rules.h"

#include <string.h>

#include "base/memory.h"

struct verdict_rule_row {
    const char *rule, *words;
};
static const struct verdict_rule_row rows[] = {
    {"API-603", "its object cannot be read"},
    {"DIS-11", "other nodes come first"},
    {"DIS-32 #1", "it is in a command already"},
    {"DIS-32 #2", "it is not managed: no NodeClaim belongs to it"},
    {"DIS-32 #3", "its machine has not joined yet"},
    {"DIS-32 #4", "it is not initialized yet"},
    {"DIS-32 #5", "it is being deleted"},
    {"DIS-32 #6", "it is nominated for a pending pod"},
    {"DIS-32 #7", "the node has the annotation do-not-disrupt"},
    {"DIS-32 #8", "it belongs to no NodePool"},
    {"DIS-32 #9", "its NodePool is not there, or has no instance types"},
    {"DIS-40", "a pod has the annotation do-not-disrupt"},
    {"DIS-44", "a pod is selected by several PodDisruptionBudgets"},
    {"DIS-45", "a PodDisruptionBudget allows no eviction"},
    {"DIS-84", "its NodeClaim is not initialized"},
    {"DIS-85", "consolidateAfter has not passed"},
    {"DIS-86", "its NodeClaim is not marked Consolidatable yet"},
    {"DIS-97", "the NodePool's policy lets empty nodes go only"},
    {"DIS-98", "consolidateAfter is Never"},
    {"DIS-120", "the NodePool's budget allows no disruption now"},
    {"DIS-121", "a budget of the NodePool cannot be read"},
    {"DIS-127", "the NodePool's budget is used up"},
    {"DIS-132", "other nodes come first in the NodePool's budget"},
    {"DIS-142", "it is empty, which is left to emptiness"},
    {"DIS-144", "it is not empty"},
    {"DIS-150", "consolidation does not take it"},
    {"DIS-151", "it is empty, which is left to emptiness"},
    {"DIS-161", "its pods would have no place"},
    {"DIS-163", "its pods would need more than one new node"},
    {"DIS-168", "minValues leave no cheaper node"},
    {"DIS-169", "no cheaper node takes its pods"},
    {"DIS-172", "a spot node is not replaced by a spot node"},
    {"DIS-175", "too few cheaper spot types"},
    {"DIS-192", "it saves too little for the disruption"},
    {"DIS-196", "it saves too little for the disruption"},
    {"DIS-201", "no set of nodes with it costs less"},
    {"DIS-203", "no cheaper node takes its pods"},
    {"DIS-220", "static and dynamic NodePools go by methods of their own"},
    {"DIS-222", "it has not drifted"},
    {"DIS-223", "its pods would have no place"},
    {"DIS-227", "there is no NodePool for its pods"},
    {"DIS-234", "there is no NodePool for its pods"},
    {"DIS-238", "its pods would keep other nodes from resting"},
    {"DIS-708", "the selector of a PodDisruptionBudget is invalid"},
    {"DIS-714", "it is backing off"},
    {"DIS-716", "drift pauses"},
    {"DIS-728", "the NodePool's limit leaves no room for a replacement"},
    {"DIS-742", "no cheaper node takes its pods"},
    {"DIS-743", "its own price is not known"},
    {"DIS-745", "its pods would need more than a few new nodes"},
    {"DIS-746", "other moves save more"},
    {"DIS-747", "the move would not earn back its cost"},
    {"DIS-751", "too few cheaper spot types, or too little saved"},
    {"DIS-760", "a PodDisruptionBudget is used up by other nodes that go"},
    {"DIS-761", "a workload would have no ready pod"},
    {"DIS-762", "it does not expire soon"},
    {"DIS-765", "pending pods are planned on it"},
    {"DIS-794", "consolidation has changed it within the last day"},
    {"LIF-245", "it is kept for CapacityBuffers"},
};

const char *verdict_rule_words(const char *rule)
{
    for (size_t i = 0; i < ARRAY_LENGTH(rows); i++)
        if (strcmp(rows[i].rule, rule) == 0)
            return rows[i].words;
    return rule;
}
