#include "cloud/aws/instances/instance_pages.h"

#define INSTANCES_MAX 200000

void ec2_filter_add(json_t *filters, const char *name, const char *const *values, size_t count)
{
    json_t *filter = json_object(), *list = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(list, json_string(values[i]));
    json_object_set_new(filter, "Name", json_string(name));
    json_object_set_new(filter, "Values", list);
    json_array_append_new(filters, filter);
}

void ec2_filter_states(json_t *filters)
{
    static const char *const states[] = {"pending", "running", "stopping", "stopped",
                                         "shutting-down"};
    ec2_filter_add(filters, "instance-state-name", states, ARRAY_LENGTH(states));
}

void instances_read(struct instances *instances, const json_t *reply, bool reserved_capacity)
{
    const json_t *reservation, *instance;
    size_t i, k;
    instances->arena = arena_create(16384);
    json_array_foreach (json_object_get(reply, "Reservations"), i, reservation)
        json_array_foreach (json_object_get(reservation, "Instances"), k, instance) {
            struct aws_instance_facts facts;
            if (instances->items.count < INSTANCES_MAX &&
                instance_facts_read(instances->arena, instance, reserved_capacity, &facts))
                vector_push(&instances->items, facts);
        }
}

void instances_free(struct instances *instances)
{
    arena_destroy(instances->arena);
    vector_free(&instances->items);
}
