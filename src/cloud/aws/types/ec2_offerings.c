#include "cloud/aws/types/ec2_offerings.h"

#include <assert.h>

#include "base/memory.h"
#include "base/quantity.h"
#include "base/text.h"
#include "model/reading/catalog.h"

bool ec2_has_usage_class(const json_t *facts, const char *name)
{
    const json_t *classes = json_object_get(facts, "usageClasses");
    if (!json_is_array(classes))
        return true; // not stated: both, as for nearly every type
    size_t index;
    json_t *item;
    json_array_foreach (classes, index, item)
        if (text_equal(json_string_value(item), name))
            return true;
    return false;
}

void ec2_offerings_fill(const struct ec2_offerings *offerings, const json_t *facts,
                        struct instance_type *type)
{
    const json_t *listed = json_object_get(offerings->prices, type->name);
    int64_t price = listed != NULL ? price_from_double(json_number_value(listed)) : 0;
    int64_t spot_price =
        price_from_double((double)price * offerings->spot_share / 1e9); // an estimate
    type->offerings.items =
        arena_allocate_array(offerings->arena, 2 * offerings->zones, sizeof(struct offering));
    assert(price >= 0);
    for (int spot = 0; spot < 2; spot++) {
        if (!ec2_has_usage_class(facts, spot ? "spot" : "on-demand"))
            continue;
        for (uint32_t zone = 0; zone < offerings->zones; zone++)
            type->offerings.items[type->offerings.count++] = (struct offering){
                .requirements = offerings->requirements[zone][spot],
                .price = spot ? spot_price : price,
                .available = price > 0,
            };
    }
}
