#include "cloud/aws/types/priced_catalogue.h"

#include <assert.h>

#include "base/text.h"
#include "cloud/aws/types/own_prices.h"
#include "model/reading/catalog.h"
#include "model/schema/pack.h"

// AWI-917: on-demand prices alone are the user's.
static void reprice(const struct own_prices *own, const char *type, struct offering *offering)
{
    const char *capacity = requirement_single_value(&offering->requirements, LABEL_CAPACITY_TYPE);
    if (!text_equal(capacity, CAPACITY_TYPE_ON_DEMAND))
        return;
    int64_t price = own_price_of(own, type, offering->available ? offering->price : 0);
    if (price > 0)
        offering->price = price;
}

const struct instance_type_catalog *ec2_catalogue_reprice(const struct instance_type_catalog *whole,
                                                          const char *path, struct error *error)
{
    assert(whole != NULL && path != NULL);
    struct own_prices *own = own_prices_load(path, error);
    if (own == NULL)
        return NULL;
    struct instance_type_catalog *made =
        (struct instance_type_catalog *)object_copy((const struct object *)whole);
    list_for_each (type, &made->spec.instance_types)
        list_for_each (offering, &type->offerings)
            reprice(own, type->name, offering);
    own_prices_destroy(own);
    return made;
}
