#include "cloud/aws/nodeclass/partition_choice.h"

#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "model/reading/requirement_match.h"

#define LABEL_PARTITION "karpenter.k8s.aws/placement-group-partition"

// EC2's groups have seven at most.
static const char *const numbers[] = {"1", "2",  "3",  "4",  "5",  "6",  "7",  "8",
                                      "9", "10", "11", "12", "13", "14", "15", "16"};

static const char *lowest_text(const struct node_claim *claim)
{
    const char *lowest = NULL;
    list_for_each (requirement, &claim->spec.requirements)
        if (strcmp(requirement->key, LABEL_PARTITION) == 0 &&
            text_equal(requirement->operator, "In"))
            list_for_each (value, &requirement->values)
                if (lowest == NULL || strcmp(*value, lowest) < 0)
                    lowest = *value;
    return lowest;
}

static bool is_asked_for(const struct node_claim *claim)
{
    list_for_each (requirement, &claim->spec.requirements)
        if (strcmp(requirement->key, LABEL_PARTITION) == 0)
            return true;
    return false;
}

const char *partition_choice(const struct node_claim *claim, const struct placement_group *group,
                             bool upstream)
{
    if (upstream)
        return lowest_text(claim);
    if (group == NULL || !text_equal(group->strategy, "partition") || !is_asked_for(claim))
        return NULL;
    for (size_t i = 0; i < ARRAY_LENGTH(numbers) && (int64_t)i < group->partitions; i++)
        if (requirements_allow(&claim->spec.requirements, LABEL_PARTITION, numbers[i]))
            return numbers[i];
    return NULL;
}
