#include "cloud/port/offering_choice.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "model/reading/catalog.h"
#include "model/reading/requirement_match.h"

static bool type_is_compatible(const struct node_claim *claim, const struct instance_type *type)
{
    if (!requirements_allow(&claim->spec.requirements, LABEL_INSTANCE_TYPE, type->name))
        return false;
    list_for_each (requirement, &type->requirements) {
        if (!requirement_meets(requirement, &claim->spec.requirements))
            return false;
    }
    return true;
}

bool offering_is_compatible(const struct node_claim *claim, const struct instance_type *type,
                            const struct offering *offering)
{
    list_for_each (requirement, &offering->requirements) {
        if (!requirement_meets(requirement, &claim->spec.requirements))
            return false;
    }
    return type_is_compatible(claim, type);
}

bool instance_type_fits(struct arena *arena, const struct node_claim *claim,
                        const struct instance_type *type, const struct offering *offering)
{
    struct resource_map allocatable = instance_type_allocatable(arena, type, offering);
    list_for_each (entry, &allocatable) {
        if (entry->value < 0)
            return false;
    }
    list_for_each (request, &claim->spec.resources.requests) {
        if (request->value > resource_map_get(&allocatable, request->name))
            return false;
    }
    return true;
}

struct ranked {
    struct offering_choice choice;
    uint32_t type_index;
    const char *zone, *capacity_type;
};

static const char *single(const struct offering *offering, const char *key)
{
    const char *value = requirement_single_value(&offering->requirements, key);
    return value != NULL ? value : "";
}

static int compare_ranked(const void *left, const void *right)
{
    const struct ranked *a = left, *b = right;
    if (a->choice.offering->price != b->choice.offering->price)
        return a->choice.offering->price < b->choice.offering->price ? -1 : 1;
    if (a->type_index != b->type_index)
        return a->type_index < b->type_index ? -1 : 1;
    int by_zone = strcmp(a->zone, b->zone);
    return by_zone != 0 ? by_zone : strcmp(a->capacity_type, b->capacity_type);
}

struct offering_choices offering_choices_for(struct arena *arena,
                                             const struct instance_type_catalog *catalog,
                                             const struct node_claim *claim)
{
    uint32_t most = 0, count = 0;
    list_for_each (type, &catalog->spec.instance_types)
        most += type->offerings.count;
    struct ranked *ranked = arena_allocate_array(arena, most + 1, sizeof *ranked);
    list_for_each (type, &catalog->spec.instance_types) {
        if (!type_is_compatible(claim, type))
            continue;
        list_for_each (offering, &type->offerings) {
            if (offering->available && offering_is_compatible(claim, type, offering) &&
                instance_type_fits(arena, claim, type, offering))
                ranked[count++] =
                    (struct ranked){{type, offering},
                                    (uint32_t)(type - catalog->spec.instance_types.items),
                                    single(offering, LABEL_ZONE),
                                    single(offering, LABEL_CAPACITY_TYPE)};
        }
    }
    assert(count <= most);
    qsort(ranked, count, sizeof *ranked, compare_ranked);
    struct offering_choices choices = {
        arena_allocate_array(arena, count + 1, sizeof *choices.items), count};
    for (uint32_t i = 0; i < count; i++)
        choices.items[i] = ranked[i].choice;
    assert(count < 2 ||
           ranked[0].choice.offering->price <= ranked[count - 1].choice.offering->price);
    return choices;
}
