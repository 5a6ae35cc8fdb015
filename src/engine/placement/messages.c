#include "engine/placement/messages.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/quantity.h"
#include "engine/pass/pass_state.h"
#include "engine/pass/refusal.h"
#include "engine/placement/device_messages.h"
#include "engine/problem/host_ports.h"
#include "engine/templates/type_table.h"
#include "engine/topology/topology.h"

#define SUSPICIOUS_CPU INT64_C(1000000000) // a million cpus, in millicores

static void add_resources(const struct problem *problem, struct text *text, const int64_t *vector)
{
    CLEANUP_ARENA struct arena *scratch = arena_create(1024);
    struct resource_map map = vector_to_map(problem, scratch, vector);
    text_add_char(text, '{');
    for (uint32_t i = 0; i < map.count; i++) {
        char amount[QUANTITY_TEXT_MAX];
        quantity_format(map.items[i].name, map.items[i].value, amount);
        text_format(text, "%s\"%s\":\"%s\"", i > 0 ? "," : "", map.items[i].name, amount);
    }
    text_add_char(text, '}');
}

// SCH-241: the pod's requests plus the DaemonSets', as a range if those differ between types.
static void add_requests(struct pass *pass, const struct node_template *template,
                         const struct shape *shape)
{
    struct problem *problem = pass->problem;
    if (template->groups_count == 0) {
        add_resources(problem, pass->refusal.why, shape->requests);
        return;
    }
    int64_t *least = memory_allocate_array(problem->dimensions.count, sizeof *least);
    int64_t *most = memory_allocate_array(problem->dimensions.count, sizeof *most);
    for (uint32_t d = 0; d < problem->dimensions.count; d++) {
        least[d] = INT64_MAX;
        for (uint32_t g = 0; g < template->groups_count; g++) {
            int64_t amount = template->groups[g].overhead[d];
            least[d] = amount < least[d] ? amount : least[d];
            most[d] = amount > most[d] ? amount : most[d];
        }
        least[d] = quantity_add(least[d], shape->requests[d]);
        most[d] = quantity_add(most[d], shape->requests[d]);
    }
    if (memcmp(least, most, problem->dimensions.count * sizeof *least) == 0) {
        add_resources(problem, pass->refusal.why, least);
    } else {
        text_add(pass->refusal.why, "min=");
        add_resources(problem, pass->refusal.why, least);
        text_add(pass->refusal.why, ", max=");
        add_resources(problem, pass->refusal.why, most);
    }
    free(least);
    free(most);
}

struct findings { // of the examined types
    bool compatible, fits, offered;
    bool compatible_fits, compatible_offered, fits_offered;
    bool examined;
};

// Examines the rows of each type together (SCH-236: fits implies an offering of the same group).
static struct findings examine(struct pass *pass, const struct claim *claim, uint32_t set,
                               struct bitset examined)
{
    const struct type_table *table = claim->template->table;
    const struct row_filter *filter = type_table_filter(pass->problem, claim->template->table, set);
    struct findings all = {0};
    for (uint32_t r = 0; r < table->count;) {
        bool compatible = false, offered = false, fits = false, any = false;
        uint32_t type = table->rows[r].type_index;
        for (; r < table->count && table->rows[r].type_index == type; r++) {
            if (!bitset_has(examined, r))
                continue;
            any = true;
            compatible = compatible || bitset_has(filter->compatible, r);
            offered = offered || bitset_has(filter->offered, r);
            fits = fits || (bitset_has(filter->offered, r) && bitset_has(pass->scratch.fitting, r));
        }
        all.examined = all.examined || any;
        all.compatible = all.compatible || compatible;
        all.fits = all.fits || fits;
        all.offered = all.offered || offered;
        all.compatible_fits = all.compatible_fits || (compatible && fits && !offered);
        all.fits_offered = all.fits_offered || (fits && offered && !compatible);
        all.compatible_offered = all.compatible_offered || (compatible && offered && !fits);
    }
    return all;
}

static const char *sentence(const struct findings *found, enum reason_code *code)
{
    *code = REASON_INSUFFICIENT_RESOURCES;
    if (!found->compatible && !found->fits && !found->offered) {
        *code = REASON_REQUIREMENT_MISMATCH;
        return "no instance type met the scheduling requirements or had enough resources or had a "
               "required offering";
    }
    if (!found->compatible && !found->fits) {
        *code = REASON_REQUIREMENT_MISMATCH;
        return "no instance type met the scheduling requirements or had enough resources";
    }
    if (!found->compatible && !found->offered) {
        *code = REASON_REQUIREMENT_MISMATCH;
        return "no instance type met the scheduling requirements or had a required offering";
    }
    if (!found->fits && !found->offered) {
        *code = REASON_NO_OFFERING;
        return "no instance type had enough resources or had a required offering";
    }
    if (!found->compatible) {
        *code = REASON_REQUIREMENT_MISMATCH;
        return "no instance type met all requirements";
    }
    if (!found->fits)
        return "no instance type has enough resources";
    if (!found->offered) {
        *code = REASON_NO_OFFERING;
        return "no instance type has the required offering";
    }
    if (found->compatible_fits) {
        *code = REASON_NO_OFFERING;
        return "no instance type which met the scheduling requirements and had enough resources, "
               "had a required offering";
    }
    if (found->fits_offered)
        return "no instance type which had enough resources and the required offering met the "
               "scheduling requirements";
    if (found->compatible_offered)
        return "no instance type which met the scheduling requirements and the required offering "
               "had the required resources";
    return "no instance type met the requirements/resources/offering tuple";
}

// Drops types where a DaemonSet uses a host port of the pod. True, with the text, if none is left
// (SCH-240).
static bool only_ports_left(struct pass *pass, const struct claim *claim, const struct shape *shape,
                            struct bitset examined)
{
    const struct host_port *existing = NULL, *wanted = NULL;
    const struct node_template *template = claim->template;
    bitset_copy(examined, claim->rows);
    for (uint32_t g = 0; g < template->groups_count && shape->ports.count > 0; g++)
        if (host_ports_conflict(&template->groups[g].ports, &shape->ports, &existing, &wanted))
            for (uint32_t w = 0; w < bitset_words(examined.bits); w++)
                examined.words[w] &= ~template->groups[g].rows.words[w];
    if (existing == NULL || !bitset_empty(examined))
        return false;
    refusal_begin(pass, REASON_HOST_PORT_CONFLICT);
    host_ports_add_conflict(pass->refusal.why, existing, wanted);
    return true;
}

void refusal_add_hostname(struct pass *pass, uint32_t requirement, uint32_t hostname)
{
    const struct problem *problem = pass->problem;
    if (problem_hostname_allowed(problem, requirement, hostname))
        return;
    if (pass->refusal.why->length > 0 && !text_ends_with(pass->refusal.why->data, ", "))
        text_add(pass->refusal.why, ", ");
    text_add(pass->refusal.why, "the node's own name is not allowed by ");
    requirement_add_text(pass->refusal.why, problem->vocabulary,
                         requirement_get(problem->sets, requirement));
}

void refusal_add_filter(struct pass *pass, const struct claim *claim, uint32_t class, uint32_t set)
{
    assert(pass->refusal.why != NULL);
    assert(set < pass->problem->sets->sets_count);
    struct problem *problem = pass->problem;
    const struct shape *shape = shape_of(problem, class_at(problem, class));
    CLEANUP_ARENA struct arena *scratch = arena_create(1024);
    struct bitset examined = bitset_create(scratch, claim->template->table->count);
    const char *hint = "";
    if (!text_starts_with(pass->refusal.why->data != NULL ? pass->refusal.why->data : "",
                          "minValues")) {
        if (only_ports_left(pass, claim, shape, examined) ||
            refusal_add_devices(pass, claim, shape, set))
            return;
        struct findings found = examine(pass, claim, set, examined);
        enum reason_code code;
        const char *text = sentence(&found, &code);
        refusal_begin(pass, code);
        text_add(pass->refusal.why, text);
        bool only_resources = found.compatible && found.offered && !found.fits;
        if (only_resources && shape->requests[DIMENSION_CPU] >= SUSPICIOUS_CPU)
            hint = " (CPU request >= 1 Million, m vs M typo?)";
    }
    text_add(pass->refusal.why, ", requirements=");
    set_add_text(pass->refusal.why, problem->sets, set);
    text_add(pass->refusal.why, ", resources=");
    add_requests(pass, claim->template, shape);
    text_add(pass->refusal.why, hint);
}
