#include "engine/explain/explain_miss.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/quantity.h"
#include "engine/explain/explain_funnel.h"
#include "engine/templates/type_table.h"

// A type that lacks less than half of a resource is nearer than one that fails a check without a
// number.
#define OTHER_KIND_PERMILLE 500

static bool is_bytes(const char *name)
{
    return strcmp(name, "memory") == 0 || strcmp(name, "ephemeral-storage") == 0 ||
           text_starts_with(name, "hugepages-");
}

void explain_add_amount(struct text *text, const struct problem *problem, uint32_t dimension,
                        int64_t amount)
{
    const char *name = symbols_text(problem->dimensions.names, dimension);
    char number[QUANTITY_TEXT_MAX];
    const int64_t mebibyte = INT64_C(1) << 20;
    if (dimension == DIMENSION_CPU && amount > 1000 && amount % 1000 != 0) {
        snprintf(number, sizeof number, "%" PRId64 ".%03" PRId64, amount / 1000, amount % 1000);
        for (char *end = number + strlen(number) - 1; *end == '0'; end--)
            *end = '\0';
    } else {
        if (is_bytes(name) && amount > mebibyte && amount < INT64_MAX - mebibyte)
            amount = (amount + mebibyte - 1) / mebibyte * mebibyte;
        quantity_format(name, amount, number);
    }
    text_format(text, "%s %s", number, name);
}

// The DaemonSets' use of a resource on a row.
static int64_t overhead_of(const struct node_template *template, uint32_t row, uint32_t dimension)
{
    for (uint32_t g = 0; g < template->groups_count; g++)
        if (bitset_has(template->groups[g].rows, row))
            return template->groups[g].overhead[dimension];
    return 0;
}

// How much is missing on the row, in thousandths of the request, summed over resources; and the
// resource that misses most.
static int64_t shortfall_of(const struct pass *pass, const struct funnel *funnel, uint32_t row,
                            const struct shape *shape, struct nearest_miss *miss)
{
    int64_t sum = 0, most = -1;
    for (uint32_t i = 0; i < shape->dimensions_count; i++) {
        uint32_t d = shape->dimensions[i];
        int64_t net = quantity_subtract(funnel->template->table->rows[row].allocatable[d],
                                        overhead_of(funnel->template, row, d));
        if (net >= shape->requests[d])
            continue;
        int64_t lacking = quantity_subtract(shape->requests[d], net);
        int64_t permille = (int64_t)((double)lacking / (double)shape->requests[d] * 1000);
        const char *name = symbols_text(pass->problem->dimensions.names, d);
        bool larger =
            permille > most ||
            (permille == most &&
             strcmp(name, symbols_text(pass->problem->dimensions.names, miss->dimension)) < 0);
        if (larger) {
            most = permille;
            miss->dimension = d;
            miss->shortfall = lacking;
        }
        sum = quantity_add(sum, permille);
    }
    return sum;
}

static int64_t excess_of(const struct pass *pass, const struct funnel *funnel, uint32_t row,
                         struct nearest_miss *miss)
{
    const struct node_template *template = funnel->template;
    const int64_t *remaining = pass->remaining[template->index];
    const int64_t *capacity = template->table->rows[row].capacity;
    int64_t sum = 0;
    miss->dimension = DIMENSION_NODES;
    for (uint32_t d = 0; d < pass->problem->dimensions.count; d++) {
        if (template->limits[d] == INT64_MAX || d == DIMENSION_NODES || capacity[d] <= remaining[d])
            continue;
        int64_t lacking = quantity_subtract(capacity[d], remaining[d] > 0 ? remaining[d] : 0);
        if (sum == 0) {
            miss->dimension = d;
            miss->shortfall = lacking;
        }
        sum = quantity_add(sum, (int64_t)((double)lacking / (double)capacity[d] * 1000));
    }
    return sum;
}

// The number of the pod's requirements that the row's type fails; the last one goes into *failed.
static uint32_t failed_requirements(struct pass *pass, const struct funnel *funnel, uint32_t row,
                                    uint32_t *failed)
{
    struct problem *problem = pass->problem;
    uint32_t set = shape_of(problem, class_at(problem, funnel->class))->set, count = 0;
    for (uint32_t i = 0; i < problem->sets->sets[set].count; i++) {
        uint32_t requirement = problem->sets->sets[set].requirements[i];
        uint32_t alone = set_add_known(problem->sets, SET_EMPTY, requirement);
        if (bitset_has(type_table_filter(problem, funnel->template->table, alone)->compatible, row))
            continue;
        *failed = requirement;
        count++;
    }
    return count;
}

// The only stage at which the row fails, and by how much; false if it fails at none or at several.
static bool fails_once(struct pass *pass, const struct funnel *funnel, const struct shape *shape,
                       uint32_t row, struct nearest_miss *miss, int64_t *distance)
{
    bool compatible = bitset_has(funnel->compatible, row);
    bool offered = bitset_has(funnel->offered, row);
    bool limited = bitset_has(funnel->limited, row), ported = bitset_has(funnel->ported, row);
    bool fits = bitset_has(funnel->fitting, row);
    bool attachable = bitset_has(funnel->attachable, row);
    uint32_t requirement;
    if (!compatible + !offered + !limited + !ported + !attachable + !fits != 1)
        return false;
    *miss = (struct nearest_miss){.row = row, .dimension = NONE};
    *distance = OTHER_KIND_PERMILLE;
    if (!fits) {
        miss->stage = STAGE_RESOURCES;
        miss->dimension = shape->dimensions_count > 0 ? shape->dimensions[0] : DIMENSION_CPU;
        *distance = shortfall_of(pass, funnel, row, shape, miss);
        return *distance > 0 || miss->shortfall > 0;
    }
    if (!limited) {
        miss->stage = STAGE_LIMITS;
        *distance = excess_of(pass, funnel, row, miss);
        return true;
    }
    miss->stage = !compatible  ? STAGE_REQUIREMENTS
                  : !offered   ? STAGE_OFFERINGS
                  : attachable ? STAGE_HOST_PORTS
                               : STAGE_VOLUMES;
    return compatible || failed_requirements(pass, funnel, row, &requirement) == 1;
}

bool funnel_nearest(struct pass *pass, const struct funnel *funnel, struct nearest_miss *miss)
{
    const struct shape *shape = shape_of(pass->problem, class_at(pass->problem, funnel->class));
    const struct type_table *table = funnel->template->table;
    bool found = false;
    int64_t nearest = 0, cheapest = 0;
    if (funnel->sets_count == 0)
        return false;
    bitset_for_each (r, funnel->template->rows) { // by name: the first of equals wins
        struct nearest_miss next;
        int64_t distance, price = INT64_MAX;
        if (!fails_once(pass, funnel, shape, r, &next, &distance))
            continue;
        list_for_each (offering, &table->rows[r].offerings)
            price = offering->price < price ? offering->price : price;
        if (found && (distance > nearest || (distance == nearest && price >= cheapest)))
            continue;
        found = true;
        nearest = distance;
        cheapest = price;
        *miss = next;
    }
    return found;
}

static void describe_offering(struct pass *pass, const struct funnel *funnel, struct text *text)
{
    struct problem *problem = pass->problem;
    const uint32_t keys[] = {problem->keys.capacity_type, problem->keys.zone};
    const char *separator = " has no available offering with ";
    bool any = false;
    for (size_t i = 0; i < ARRAY_LENGTH(keys); i++) {
        const struct requirement *asked = set_get(problem->sets, funnel->set, keys[i]);
        if (asked == NULL)
            continue;
        text_add(text, separator);
        requirement_add_text(text, problem->vocabulary, asked);
        separator = ", ";
        any = true;
    }
    if (!any)
        text_add(text, " has no available offering");
}

void funnel_describe_miss(struct pass *pass, const struct funnel *funnel,
                          const struct nearest_miss *miss, struct text *text)
{
    struct problem *problem = pass->problem;
    const struct row *row = &funnel->template->table->rows[miss->row];
    text_add(text, row->type->name);
    switch (miss->stage) {
    case STAGE_RESOURCES: {
        int64_t overhead = overhead_of(funnel->template, miss->row, miss->dimension);
        text_add(text, " lacks ");
        explain_add_amount(text, problem, miss->dimension, miss->shortfall);
        if (overhead > 0) {
            text_add(text, " after ");
            explain_add_amount(text, problem, miss->dimension, overhead);
            text_add(text, " of DaemonSets");
        }
        break;
    }
    case STAGE_LIMITS:
        if (miss->dimension == DIMENSION_NODES) {
            text_add(text, " would be one node too many for the limit");
            break;
        }
        text_add(text, " exceeds the limit by ");
        explain_add_amount(text, problem, miss->dimension, miss->shortfall);
        break;
    case STAGE_REQUIREMENTS: {
        uint32_t failed = REQUIREMENT_NONE;
        failed_requirements(pass, funnel, miss->row, &failed);
        uint32_t key = requirement_get(problem->sets, failed)->key;
        const struct requirement *own = set_get(problem->sets, row->set, key);
        text_add(text, " has ");
        if (own != NULL)
            requirement_add_text(text, problem->vocabulary, own);
        else
            text_format(text, "no %s", vocabulary_key_text(problem->vocabulary, key));
        text_add(text, ", the pod asks for ");
        requirement_add_text(text, problem->vocabulary, requirement_get(problem->sets, failed));
        break;
    }
    case STAGE_OFFERINGS:
        describe_offering(pass, funnel, text);
        break;
    case STAGE_HOST_PORTS:
        text_add(text, " has a DaemonSet on the host port");
        break;
    case STAGE_VOLUMES:
        text_add(text, " cannot attach as many volumes");
        break;
    case STAGE_DAEMON_SETS:
    case STAGE_TOPOLOGY:
    case STAGE_MIN_VALUES:
    case STAGE_RESERVATIONS:
    case STAGE_COUNT:
        break; // of the whole claim, not of one type
    }
}
