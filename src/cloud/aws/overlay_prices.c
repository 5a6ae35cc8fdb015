#include "cloud/aws/overlay_prices.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/quantity.h"
#include "base/text.h"
#include "base/vector.h"
#include "model/schema/condition_types.h"
#include "model/schema/karpenter.h"

struct overlay_prices {
    struct mirror *mirror;
    bool enabled, stale;
    struct map *prices; // instance type -> int64_t *
};

static void overlay_changed(void *context, enum mirror_change change,
                            const struct object *old_object, const struct object *new_object)
{
    struct overlay_prices *prices = context;
    (void)change;
    (void)old_object;
    (void)new_object;
    prices->stale = true;
}

struct overlay_prices *overlay_prices_create(struct mirror *mirror, const struct settings *settings)
{
    assert(mirror != NULL);
    struct overlay_prices *prices = memory_allocate(sizeof *prices);
    prices->mirror = mirror;
    prices->enabled = settings->gate_node_overlay;
    prices->prices = map_create();
    if (prices->enabled)
        mirror_on_change(mirror, KIND_NODE_OVERLAY, overlay_changed, prices);
    return prices;
}

void overlay_prices_destroy(struct overlay_prices *prices)
{
    if (prices == NULL)
        return;
    map_destroy(prices->prices, free);
    free(prices);
}

// A valid overlay with a plain price and exactly one requirement, on instance types by name.
static const struct string_list *types_priced_by(const struct node_overlay *overlay, int64_t *price)
{
    const requirement_list *list = &overlay->spec.requirements;
    struct error error;
    if (overlay->spec.price == NULL || list->count != 1 ||
        !text_equal(list->items[0].key, LABEL_INSTANCE_TYPE) ||
        !text_equal(list->items[0].operator, "In") ||
        !condition_is_true(&overlay->status.conditions, CONDITION_VALIDATION_SUCCEEDED) ||
        !price_parse(overlay->spec.price, price, &error))
        return NULL;
    return &list->items[0].values;
}

static int compare_names(const void *a, const void *b)
{
    const struct object *const *left = a, *const *right = b;
    return strcmp((*left)->meta.name, (*right)->meta.name);
}

static void rebuild(struct overlay_prices *prices)
{
    struct mirror_iterator iterator = {0};
    const struct object *object;
    VECTOR(const struct object *) overlays = {0};
    map_destroy(prices->prices, free);
    prices->prices = map_create();
    while ((object = mirror_next(prices->mirror, KIND_NODE_OVERLAY, &iterator)) != NULL)
        vector_push(&overlays, object);
    if (overlays.count > 0)
        qsort(overlays.items, overlays.count, sizeof overlays.items[0], compare_names);
    for (uint32_t i = 0; i < overlays.count; i++) {
        int64_t price = 0;
        const struct string_list *types =
            types_priced_by((const struct node_overlay *)overlays.items[i], &price);
        for (uint32_t k = 0; types != NULL && k < types->count; k++)
            *(int64_t *)map_ensure(prices->prices, types->items[k], sizeof price) = price;
    }
    vector_free(&overlays);
    prices->stale = false;
}

int64_t overlay_price_of(struct overlay_prices *prices, const char *instance_type)
{
    if (!prices->enabled)
        return 0;
    if (prices->stale)
        rebuild(prices);
    const int64_t *price = map_get(prices->prices, instance_type);
    return price != NULL ? *price : 0;
}
