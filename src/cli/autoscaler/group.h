// A group of equal machines of Cluster Autoscaler, on its way to a NodePool and an EC2NodeClass
// (MIG section 6.2).
#pragma once

#include "cli/autoscaler/flag_effects.h"

struct group {
    struct source *source;
    const char *origin; // its name in the input
    const char *name;   // of the NodePool and the class
    struct product *pool, *class;
    json_t *requirements;            // key -> list of requirements; owned
    json_t *taints, *startup_taints; // owned
    struct group_options options;
    int64_t min_size, max_size; // -1: not given
    const char *cluster_name;   // NULL: unknown
    json_t *templates;          // borrowed: instance requirements that make a pool each; NULL
};

// Begins a group with its two products. The name is made fit and unused among `names`.
struct group *group_create(struct source *source, const char *origin, struct map *names);
void group_require(struct group *group, const char *key, const char *operator, json_t * values);
// As group_require(), of one value.
void group_require_one(struct group *group, const char *key, const char *value);
// A label of the nodes: a requirement for well-known keys (MIG-83), else of the template.
void group_label(struct group *group, const char *key, const char *value);
void group_taint(struct group *group, const char *key, const char *value, const char *effect,
                 const struct flags *flags);
// "value:Effect" as in tags; anything else is left out with a note.
void group_taint_text(struct group *group, const char *key, const char *text,
                      const struct flags *flags);
void group_tag(struct group *group, const char *key, const char *value);
void group_sizes(struct group *group, const json_t *min, const json_t *max);
// Writes requirements (by key), taints, limits, and what the flags say.
void group_finish(struct group *group, const struct flags *flags, uint32_t groups);
void group_free(struct group *group);
json_t *group_class_spec(struct group *group);
// Sorted by bytes; takes the reference.
json_t *texts_sorted(json_t *list);
