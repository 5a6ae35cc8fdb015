#include "engine/templates/node_bounds.h"

#include <stdlib.h>
#include <string.h>

#include "base/quantity.h"
#include "model/reading/pool_annotations.h"

// NULL: missing or unreadable; validation reports the latter.
static const char *readable(const struct node_template *template, const char *key)
{
    const char *value = string_map_get(&template->pool->meta.annotations, key);
    return value != NULL && pool_annotation_problem(key, value) == NULL ? value : NULL;
}

void node_bounds_read(struct problem *problem, struct node_template *template)
{
    struct error error;
    const char *policy = readable(template, ANNOTATION_PACKING_POLICY);
    template->lowest_price = policy != NULL
                                 ? strcmp(policy, "LowestPrice") == 0
                                 : problem->settings->packing_policy == PACKING_LOWEST_PRICE;
    template->most_pods = template->most_cpu = INT64_MAX;
    template->most_share = 100;
    const char *pods = readable(template, ANNOTATION_MAX_PODS_PER_NODE);
    if (pods != NULL && !text_parse_int64(pods, &template->most_pods))
        template->most_pods = INT64_MAX;
    const char *cpu = readable(template, ANNOTATION_MAX_CPU_PER_NODE);
    if (cpu != NULL && !quantity_parse("cpu", cpu, &template->most_cpu, &error))
        template->most_cpu = INT64_MAX;
    const char *share = readable(template, ANNOTATION_MAX_SHARE_PER_WORKLOAD);
    if (share != NULL)
        template->most_share = (uint32_t)strtoul(share, NULL, 10);
    problem->templates.shares_bound = problem->templates.shares_bound || template->most_share < 100;
}

void node_bounds_drop_rows(struct node_template *template)
{
    if (template->most_cpu == INT64_MAX)
        return;
    bitset_for_each (r, template->rows)
        if (template->table->rows[r].capacity[DIMENSION_CPU] > template->most_cpu)
            bitset_clear(template->rows, r);
}
