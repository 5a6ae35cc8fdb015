#include "engine/problem/host_ports.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "model/reading/pod.h"

static void add_ports(struct host_ports *ports, const struct pod_spec *spec,
                      const struct container *container)
{
    list_for_each (port, &container->ports) {
        if (container_host_port(spec, port) == 0)
            continue;
        bool any_address = port->host_ip == NULL || port->host_ip[0] == '\0';
        ports->items[ports->count++] = (struct host_port){
            any_address ? "0.0.0.0" : port->host_ip,
            port->protocol != NULL && port->protocol[0] != '\0' ? port->protocol : "TCP",
            container_host_port(spec, port)};
    }
}

struct host_ports host_ports_of(struct arena *arena, const struct pod_spec *spec)
{
    struct host_ports ports = {0};
    uint32_t count = pod_spec_host_ports(spec);
    if (count == 0)
        return ports;
    ports.items = arena_allocate_array(arena, count, sizeof *ports.items);
    list_for_each (container, &spec->containers)
        add_ports(&ports, spec, container);
    list_for_each (container, &spec->init_containers)
        if (container_is_sidecar(container))
            add_ports(&ports, spec, container);
    return ports;
}

static bool is_any_address(const char *ip)
{
    return strcmp(ip, "0.0.0.0") == 0 || strcmp(ip, "::") == 0;
}

bool host_ports_conflict(const struct host_ports *used, const struct host_ports *asked,
                         const struct host_port **existing, const struct host_port **wanted)
{
    list_for_each (mine, asked)
        list_for_each (other, used)
            if (mine->port == other->port && strcmp(mine->protocol, other->protocol) == 0 &&
                (strcmp(mine->ip, other->ip) == 0 || is_any_address(mine->ip) ||
                 is_any_address(other->ip))) {
                *existing = other;
                *wanted = mine;
                return true;
            }
    return false;
}

void host_ports_add_conflict(struct text *text, const struct host_port *existing,
                             const struct host_port *wanted)
{
    text_format(text,
                "pod hostport conflicts with existing hostport configuration "
                "(existing-hostport-ip=%s, existing-hostport-port=%" PRId64
                ", existing-hostport-protocol=%s, pod-hostport-ip=%s, pod-hostport-port=%" PRId64
                ", pod-hostport-protocol=%s)",
                existing->ip, existing->port, existing->protocol, wanted->ip, wanted->port,
                wanted->protocol);
}
