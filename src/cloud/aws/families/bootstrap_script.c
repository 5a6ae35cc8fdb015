#include "cloud/aws/families/bootstrap_script.h"

#include <arpa/inet.h>
#include <assert.h>

#include "cloud/aws/families/kubelet_arguments.h"
#include "cloud/aws/families/mime.h"

// Upstream takes every address that is not IPv4 for IPv6, unreadable ones too.
static bool is_ipv6(const char *address, bool compatibility)
{
    struct in6_addr six;
    struct in_addr four;
    return compatibility ? inet_pton(AF_INET, address, &four) != 1
                         : inet_pton(AF_INET6, address, &six) == 1;
}

static void add_call(struct text *script, const struct user_data_options *options,
                     const struct node_registration *registration, struct arena *arena)
{
    const struct cluster_facts *cluster = options->cluster;
    const char *dns =
        registration->cluster_dns.count > 0 ? registration->cluster_dns.items[0] : NULL;
    text_format(script, "/etc/eks/bootstrap.sh '%s' --apiserver-endpoint '%s'",
                text_or_empty(cluster->name), text_or_empty(cluster->endpoint));
    if (!text_is_empty(cluster->ca_bundle))
        text_format(script, " --b64-cluster-ca '%s'", cluster->ca_bundle);
    if (dns != NULL && is_ipv6(dns, options->compatibility_upstream))
        text_add(script, " \\\n--ip-family ipv6");
    if (dns != NULL)
        text_format(script, " \\\n--dns-cluster-ip '%s'", dns);
    text_add(script, " \\\n--use-max-pods false \\\n--kubelet-extra-args '");
    kubelet_arguments_add(script, options, registration, arena);
    text_add_char(script, '\'');
    if (registration->raid0)
        text_add(script, " \\\n--local-disks raid0");
}

const char *bootstrap_script_render(const struct user_data_options *options,
                                    const struct node_registration *registration,
                                    struct arena *arena, struct error *error)
{
    assert(options != NULL && registration != NULL);
    const char *given = options->node_class->spec.user_data;
    struct mime_parts parts = {0};
    struct text text = {0};
    if (!text_is_empty(given)) {
        if (!mime_is_message(given))
            mime_add(&parts, arena, MIME_SCRIPT, given);
        else if (!mime_read(&parts, given, arena, error))
            return NULL;
    }
    text_add(&text, "#!/bin/bash -xe\n"
                    "exec > >(tee /var/log/user-data.log|logger -t user-data -s 2>/dev/console) "
                    "2>&1\n");
    add_call(&text, options, registration, arena);
    mime_add(&parts, arena, MIME_SCRIPT, text.data);
    text_clear(&text);
    mime_write(&parts, &text);
    const char *result = arena_copy_string(arena, text.data);
    text_free(&text);
    return result;
}
