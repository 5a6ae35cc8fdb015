#include "cloud/aws/types/placement_group.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/map.h"
#include "base/text.h"

#define PARTITIONS_MAX 64 // EC2 allows 7

struct answer {
    bool exists;
    struct placement_group group; // owned texts
};
struct placement_groups {
    struct map *answers; // by key
    uint64_t generation;
};

struct placement_groups *placement_groups_create(void)
{
    struct placement_groups *groups = memory_allocate(sizeof *groups);
    groups->answers = map_create();
    groups->generation = 1;
    return groups;
}

static void answer_destroy(void *value)
{
    struct answer *answer = value;
    if (answer == NULL)
        return;
    free((char *)answer->group.id);
    free((char *)answer->group.name);
    free((char *)answer->group.strategy);
    free((char *)answer->group.spread_level);
    free(answer);
}

void placement_groups_destroy(struct placement_groups *groups)
{
    if (groups == NULL)
        return;
    map_destroy(groups->answers, answer_destroy);
    free(groups);
}

const char *placement_group_key(const struct ec2_node_class *node_class, char out[300])
{
    const struct ec2_placement_group_selector *selector = node_class->spec.placement_group_selector;
    if (selector == NULL || (selector->id == NULL && selector->name == NULL))
        return NULL;
    if (selector->id != NULL)
        snprintf(out, 300, "id/%s", selector->id);
    else
        snprintf(out, 300, "name/%s", selector->name);
    return out;
}

static struct answer *answer_of(const struct placement_group *group)
{
    struct answer *answer = memory_allocate(sizeof *answer);
    if (group == NULL)
        return answer;
    int64_t partitions = group->partitions > 0 ? group->partitions : 0;
    answer->exists = true;
    answer->group = (struct placement_group){
        .id = memory_copy_string(group->id),
        .name = memory_copy_string(group->name),
        .strategy = memory_copy_string(group->strategy),
        .spread_level = memory_copy_string(group->spread_level),
        .partitions = partitions < PARTITIONS_MAX ? partitions : PARTITIONS_MAX,
    };
    return answer;
}

static bool answers_equal(const struct answer *a, const struct answer *b)
{
    return a->exists == b->exists && text_equal(a->group.id, b->group.id) &&
           text_equal(a->group.name, b->group.name) &&
           text_equal(a->group.strategy, b->group.strategy) &&
           text_equal(a->group.spread_level, b->group.spread_level) &&
           a->group.partitions == b->group.partitions;
}

void placement_groups_resolved(struct placement_groups *groups, const char *key,
                               const struct placement_group *group)
{
    assert(key != NULL);
    struct answer *answer = answer_of(group);
    const struct answer *before = map_get(groups->answers, key);
    if (before != NULL && answers_equal(before, answer)) {
        answer_destroy(answer); // readers may hold the group's address
        return;
    }
    answer_destroy(map_set(groups->answers, key, answer));
    groups->generation++;
}

enum placement_group_state placement_groups_of(const struct placement_groups *groups,
                                               const struct ec2_node_class *node_class,
                                               const struct placement_group **group)
{
    char key[300];
    *group = NULL;
    if (placement_group_key(node_class, key) == NULL)
        return PLACEMENT_GROUP_NONE;
    const struct answer *answer = groups != NULL ? map_get(groups->answers, key) : NULL;
    if (answer == NULL)
        return PLACEMENT_GROUP_UNKNOWN;
    if (!answer->exists)
        return PLACEMENT_GROUP_MISSING;
    *group = &answer->group;
    return PLACEMENT_GROUP_KNOWN;
}

uint64_t placement_groups_generation(const struct placement_groups *groups)
{
    return groups != NULL ? groups->generation : 0;
}
