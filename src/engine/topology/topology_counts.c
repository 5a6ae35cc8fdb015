#include "engine/topology/topology_counts.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "engine/pass/refusal.h"
#include "engine/pods/topology_groups.h"

#define DOMAINS_IN_ERROR 25

bool group_next_domain(const struct group_state *group, uint32_t *at, struct domain *domain)
{
    for (; *at < group->domains.count; (*at)++)
        if (group->base == NULL || group->domains.items[*at].count > 0) {
            *domain = group->domains.items[(*at)++];
            return true;
        }
    while (group->base != NULL && *at - group->domains.count < group->base->pods.items.count) {
        *domain = group->base->pods.items.items[(*at)++ - group->domains.count];
        if (group_position(group, domain->value) == MEMO_NONE)
            return true;
    }
    return false;
}

// SCH-303.
int64_t topology_spread_minimum(const struct pass *pass, const struct group_state *group,
                                const struct requirement *pod_domains)
{
    assert(group->base == NULL); // hostname groups have their own minimum
    int64_t minimum = INT32_MAX, allowed = 0;
    for (uint32_t i = 0; i < group->domains.count; i++) {
        // The filter has already checked the pod's node requirements, unless the policy is Ignore.
        if (!pass->problem->strategy->counts_as_scheduler &&
            !domain_allowed(pass, pod_domains, group->domains.items[i].value))
            continue;
        allowed++;
        if (group->domains.items[i].count < minimum)
            minimum = group->domains.items[i].count;
    }
    if (group->definition->min_domains > 0 && allowed < group->definition->min_domains)
        return 0;
    return minimum;
}

static int compare_domains(const void *a, const void *b, void *context)
{
    return strcmp(vocabulary_value_text(context, ((const struct domain *)a)->value),
                  vocabulary_value_text(context, ((const struct domain *)b)->value));
}

static void add_requirement(struct pass *pass, const struct requirement *requirement, uint32_t key)
{
    struct requirement any = requirement_exists(key);
    requirement_add_text(pass->refusal.why, pass->problem->vocabulary,
                         requirement != NULL ? requirement : &any);
}

void topology_add_error(struct pass *pass, uint32_t class_id, const struct group_state *group,
                        const struct candidate *candidate)
{
    static const char *const kinds[] = {"topology spread", "pod affinity", "pod anti-affinity",
                                        "pod anti-affinity"};
    struct problem *problem = pass->problem;
    assert(group->definition->kind < ARRAY_LENGTH(kinds));
    const struct pod_class *class = class_at(problem, class_id);
    uint32_t key = group->definition->key, count = 0, at = 0;
    struct domain *domains = memory_allocate_array(group_domains_count(group) + 1, sizeof *domains);
    while (group_next_domain(group, &at, &domains[count]))
        count++;
    assert(count == group_domains_count(group));
    qsort_r(domains, count, sizeof *domains, compare_domains, problem->vocabulary);
    text_format(pass->refusal.why, "unsatisfiable topology constraint for %s, key=%s (counts = ",
                kinds[group->definition->kind], vocabulary_key_text(problem->vocabulary, key));
    for (uint32_t i = 0; i < count && i < DOMAINS_IN_ERROR; i++)
        text_format(pass->refusal.why, "%s%s: %" PRIu32, i > 0 ? ", " : "",
                    vocabulary_value_text(problem->vocabulary, domains[i].value), domains[i].count);
    if (count > DOMAINS_IN_ERROR)
        text_format(pass->refusal.why, " and %" PRIu32 " other(s)", count - DOMAINS_IN_ERROR);
    free(domains);
    bool hostname = key == problem->keys.hostname;
    text_add(pass->refusal.why, ", podDomains = ");
    add_requirement(pass,
                    hostname ? (class->strict_hostname == REQUIREMENT_NONE
                                    ? NULL
                                    : requirement_get(problem->sets, class->strict_hostname))
                             : set_get(problem->sets, class->strict_set, key),
                    key);
    text_add(pass->refusal.why, ", nodeDomains = ");
    struct requirement own = {.key = key, .count = 1, .values = &candidate->hostname};
    add_requirement(pass, hostname ? &own : set_get(problem->sets, candidate->set, key), key);
}
