#include "cloud/aws/types/resolved_key.h"

#include <string.h>

#include "cloud/aws/families/ami_family.h"
#include "cloud/aws/types/public_addresses.h"

// The length keeps neighbours apart.
static void add(struct text *key, const char *text)
{
    if (text == NULL)
        text_add(key, "-;");
    else
        text_format(key, "%zu:%s;", strlen(text), text);
}

static void add_number(struct text *key, int64_t number)
{
    text_format(key, "%lld;", (long long)number);
}

static void add_optional(struct text *key, const struct optional_int *number)
{
    add_number(key, number != NULL && number->present ? number->value : -1);
}

static void add_disks(struct text *key, const struct ec2_node_class *node_class)
{
    add(key, node_class->spec.instance_store_policy);
    add_number(key, node_class->spec.block_device_mappings.count);
    list_for_each (mapping, &node_class->spec.block_device_mappings) {
        add(key, mapping->device_name);
        add_number(key, mapping->root_volume);
        add_number(key, mapping->ebs != NULL);
        add(key, mapping->ebs != NULL ? mapping->ebs->volume_size : NULL);
        add(key, mapping->ebs != NULL ? mapping->ebs->volume_type : NULL);
        add_optional(key, mapping->ebs != NULL ? &mapping->ebs->iops : NULL);
        add_optional(key, mapping->ebs != NULL ? &mapping->ebs->throughput : NULL);
    }
}

static void add_network(struct text *key, const struct ec2_node_class *node_class)
{
    add_number(key, node_class->spec.network_interfaces.items != NULL);
    list_for_each (interface, &node_class->spec.network_interfaces) {
        add_number(key, interface->network_card_index);
        add_number(key, interface->device_index);
        add(key, interface->interface_type);
    }
    add_number(key, node_class->spec.ip_prefix_count.present
                        ? node_class->spec.ip_prefix_count.value
                        : -1);
    add_number(key, public_addresses_of(node_class));
    add_number(key, node_class->spec.connection_tracking != NULL);
    add(key, node_class->spec.cpu_options != NULL
                 ? node_class->spec.cpu_options->nested_virtualization
                 : NULL);
}

static void add_status(struct text *key, const struct ec2_node_class *node_class)
{
    list_for_each (subnet, &node_class->status.subnets) {
        add(key, subnet->id);
        add(key, subnet->zone);
        add(key, subnet->zone_id);
    }
    add(key, "amis");
    list_for_each (ami, &node_class->status.amis)
        add(key, ami->id);
    add(key, "reservations");
    list_for_each (reservation, &node_class->status.capacity_reservations) {
        add(key, reservation->id);
        add(key, reservation->availability_zone);
        add(key, reservation->instance_type);
        add(key, reservation->reservation_type);
        add(key, reservation->state);
        add_number(key, reservation->interruptible);
    }
}

void resolved_key(const struct resolving *resolving, const struct ec2_node_class *node_class,
                  const struct placement_group *group, struct text *key)
{
    text_format(key, "%llu;", (unsigned long long)resolving->generation);
    add_number(key, ami_family_of(node_class));
    add(key, node_class->spec.kubelet);
    add_disks(key, node_class);
    add_network(key, node_class);
    add_status(key, node_class);
    add(key, group != NULL ? text_or_empty(group->id) : NULL);
    add(key, group != NULL ? group->strategy : NULL);
    add_number(key, group != NULL ? group->partitions : 0);
}
