#include "cloud/aws/nodeclass/launch_template_interfaces.h"

#include <assert.h>
#include <string.h>

#include "base/text.h"
#include "cloud/aws/types/instance_info.h"

bool cluster_is_ipv6(const struct cluster_facts *cluster)
{
    const char *address =
        !text_is_empty(cluster->kube_dns) ? cluster->kube_dns : text_or_empty(cluster->cidr);
    return strchr(address, ':') != NULL;
}

static void set_present(json_t *object, const char *key, const struct optional_int *value)
{
    if (value->present)
        json_object_set_new(object, key, json_integer(value->value));
}

static json_t *groups_of(const struct ec2_node_class *node_class)
{
    json_t *groups = json_array();
    list_for_each (group, &node_class->status.security_groups)
        json_array_append_new(groups, json_string(group->id));
    return groups;
}

// AWN-347, 350.
static void add_addresses(json_t *interface, const struct ec2_node_class *node_class,
                          const struct cluster_facts *cluster)
{
    if (node_class->spec.associate_public_ip_address.present)
        json_object_set_new(interface, "AssociatePublicIpAddress",
                            json_boolean(node_class->spec.associate_public_ip_address.value));
    if (cluster_is_ipv6(cluster)) {
        set_present(interface, "Ipv6PrefixCount", &node_class->spec.ip_prefix_count);
        json_object_set_new(interface, "PrimaryIpv6", json_true());
        json_object_set_new(interface, "Ipv6AddressCount", json_integer(1));
    } else {
        set_present(interface, "Ipv4PrefixCount", &node_class->spec.ip_prefix_count);
    }
    const struct ec2_connection_tracking *tracking = node_class->spec.connection_tracking;
    if (tracking == NULL)
        return;
    json_t *specification = json_object();
    set_present(specification, "TcpEstablishedTimeout", &tracking->tcp_established_timeout);
    set_present(specification, "UdpStreamTimeout", &tracking->udp_stream_timeout);
    set_present(specification, "UdpTimeout", &tracking->udp_timeout);
    if (json_object_size(specification) > 0)
        json_object_set(interface, "ConnectionTrackingSpecification", specification);
    json_decref(specification);
}

static json_t *interface_of(const struct ec2_node_class *node_class, int64_t device,
                            const char *type)
{
    json_t *interface =
        json_pack("{s:I, s:o}", "DeviceIndex", (json_int_t)device, "Groups", groups_of(node_class));
    if (type != NULL)
        json_object_set_new(interface, "InterfaceType", json_string(type));
    return interface;
}

json_t *launch_template_interfaces(const struct ec2_node_class *node_class,
                                   const struct cluster_facts *cluster, int64_t efa_interfaces)
{
    assert(efa_interfaces >= 0);
    json_t *list = json_array();
    list_for_each (given, &node_class->spec.network_interfaces) {
        json_t *interface =
            interface_of(node_class, given->device_index, text_or_empty(given->interface_type));
        json_object_set_new(interface, "NetworkCardIndex", json_integer(given->network_card_index));
        if (!text_equal(given->interface_type, "efa-only"))
            add_addresses(interface, node_class, cluster);
        json_array_append_new(list, interface);
    }
    if (json_array_size(list) > 0)
        return list;
    for (int64_t card = 0; card < efa_interfaces && card < NETWORK_CARDS_MAX; card++) {
        json_t *interface = interface_of(node_class, card == 0 ? 0 : 1, "efa");
        json_object_set_new(interface, "NetworkCardIndex", json_integer(card));
        add_addresses(interface, node_class, cluster);
        json_array_append_new(list, interface);
    }
    if (json_array_size(list) > 0)
        return list;
    json_t *interface = interface_of(node_class, 0, NULL);
    add_addresses(interface, node_class, cluster);
    json_array_append_new(list, interface);
    return list;
}
