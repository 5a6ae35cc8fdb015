#include "sim/aws/aws_instance.h"

#include <string.h>

#include "base/quantity.h"
#include "sim/aws/account_types.h"

uint32_t aws_account_instances(const struct aws_account *account)
{
    uint32_t count = 0;
    for (struct map_entry *e = map_first(account->instances); e != NULL; e = map_next(e))
        count += ((const struct aws_instance *)map_value(e))->ended == 0;
    return count;
}

const struct aws_instance *aws_account_instance_at(const struct aws_account *account,
                                                   uint32_t index)
{
    uint32_t at = 0;
    for (struct map_entry *e = map_first(account->instances); e != NULL; e = map_next(e)) {
        const struct aws_instance *instance = map_value(e);
        if (instance->ended == 0 && at++ == index)
            return instance;
    }
    return NULL;
}

const struct aws_instance *aws_account_instance(const struct aws_account *account, const char *id)
{
    return map_get(account->instances, id);
}

void aws_account_each_instance(const struct aws_account *account,
                               void (*visit)(void *context, const struct aws_instance *instance),
                               void *context)
{
    for (struct map_entry *e = map_first(account->instances), *next; e != NULL; e = next) {
        const struct aws_instance *instance = map_value(e);
        next = map_next(e);
        if (instance->ended == 0)
            visit(context, instance);
    }
}

const char *aws_instance_id(const struct aws_instance *instance)
{
    return instance->id;
}

const char *aws_instance_type_of(const struct aws_instance *instance)
{
    return instance->type;
}

const char *aws_instance_zone(const struct aws_instance *instance)
{
    return instance->zone;
}

const char *aws_instance_capacity_type(const struct aws_instance *instance)
{
    if (strcmp(json_text(instance->shown, "instanceLifecycle"), "spot") == 0)
        return "spot";
    return instance->reservation != NULL ? "reserved" : "on-demand";
}

int64_t aws_instance_price(const struct aws_instance *instance)
{
    const char *capacity_type = aws_instance_capacity_type(instance);
    double price = account_price(instance->account, instance->type, instance->zone,
                                 strcmp(capacity_type, "spot") == 0);
    // A reservation is paid for anyway.
    return price < 0 || strcmp(capacity_type, "reserved") == 0 ? 0 : price_from_double(price);
}

const char *aws_instance_provider_id(const struct aws_instance *instance)
{
    return instance->provider_id;
}

const char *aws_instance_private_dns(const struct aws_instance *instance)
{
    return instance->private_dns;
}

const char *aws_instance_user_data(const struct aws_instance *instance)
{
    return instance->user_data;
}

const char *aws_instance_tag(const struct aws_instance *instance, const char *key)
{
    size_t i;
    json_t *tag;
    json_array_foreach (json_object_get(instance->shown, "tagSet"), i, tag)
        if (strcmp(json_text(tag, "key"), key) == 0)
            return json_text(tag, "value");
    return NULL;
}

const json_t *aws_instance_json(const struct aws_instance *instance)
{
    return instance->shown;
}
