#include "cloud/aws/class_findings.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "cloud/aws/families/kubelet_config.h"
#include "cloud/aws/families/user_data.h"
#include "cloud/aws/nodeclass/launch_template_groups.h"
#include "cloud/aws/types/instance_infos.h"
#include "model/tables/kinds.h"

#define PATH           "spec.userData"
#define USER_DATA_MAX  16384 // bytes, before base64
#define USER_DATA_NEAR 14745 // own bytes: admission's rules warn
#define CERTIFICATE    1400  // bytes that a cluster's certificate has over the sample's

// Any cluster: user data of a family can be made with it.
static const struct cluster_facts sample = {
    .name = "cluster",
    .region = "us-west-2",
    .partition = "aws",
    .account = "000000000000",
    .endpoint = "https://00000000000000000000000000000000.gr7.us-west-2.eks.amazonaws.com",
    .ca_bundle = "Y2E=",
    .cidr = "10.100.0.0/16",
    .kube_dns = "10.100.0.10",
    .version = "1.35",
};

static bool is_rejected(const struct findings *findings)
{
    for (uint32_t i = 0; i < findings->count; i++)
        if (findings->items[i].level != FINDING_WARNING &&
            text_equal(findings->items[i].path, PATH))
            return true;
    return false;
}

// The texts name the field, as they also serve where no path is shown.
static const char *without_path(const char *text)
{
    size_t length = strlen(PATH);
    if (!text_starts_with(text, PATH))
        return text;
    return text + length + strspn(text + length, ",: ");
}

static void check_size(const char *rendered, const char *own, struct findings *findings)
{
    size_t bytes = strlen(rendered) + CERTIFICATE;
    if (bytes > USER_DATA_MAX && strlen(own) <= USER_DATA_NEAR)
        findings_add(findings,
                     &(struct finding){.level = FINDING_WARNING,
                                       .code = "W-userdata-size",
                                       .rule = "API-313",
                                       .path = PATH,
                                       .hint = "fetch the rest at boot"},
                     "with what the family adds it has about %zu bytes; EC2 takes %d", bytes,
                     USER_DATA_MAX);
}

// Makes the user data of a machine.
static void try_user_data(const struct ec2_node_class *node_class, struct arena *arena,
                          struct findings *findings)
{
    struct kubelet_config kubelet;
    struct error error = {0};
    if (!kubelet_config_read(&kubelet, arena, node_class->spec.kubelet, &error))
        return; // admission's rules tell
    const struct user_data_options options = {
        .node_class = node_class, .cluster = &sample, .kubelet = &kubelet, .max_pods = 110};
    const char *rendered = user_data_render(&options, arena, &error);
    if (rendered == NULL)
        findings_add(findings,
                     &(struct finding){.level = FINDING_REJECTED, .rule = "GUI-14", .path = PATH},
                     "%s", without_path(error.message));
    else
        check_size(rendered, node_class->spec.user_data, findings);
    kubelet_config_free(&kubelet);
}

static void check_user_data(const struct ec2_node_class *class, struct arena *arena,
                            struct findings *findings)
{
    if (text_is_empty(class->spec.user_data) || is_rejected(findings))
        return;
    struct string_list lost = user_data_warnings(class, arena);
    for (uint32_t i = 0; i < lost.count; i++)
        findings_add(
            findings,
            &(struct finding){
                .level = FINDING_WARNING, .code = "W-userdata", .rule = "AWN-711", .path = PATH},
            "%s", without_path(lost.items[i]));
    try_user_data(class, arena, findings);
}

// --- sizes as expressions (AWN-233 to 235, 718) --------------------------------------------------

// An expression that fails for every type stops the NodeClass; for some, it leaves them out.
static void try_expressions(const struct ec2_node_class *class,
                            const struct kubelet_config *kubelet, struct arena *arena,
                            struct findings *findings)
{
    struct error error = {0}, first = {0};
    uint32_t bad = 0;
    struct instance_infos *infos = instance_infos_built_in(&error);
    for (uint32_t i = 0; infos != NULL && i < infos->count; i++) {
        struct kubelet_values values;
        struct kubelet_variables variables = kubelet_variables_of(class, infos->items[i]);
        error = (struct error){0};
        if (!kubelet_resolve(kubelet, &variables, true, arena, &values, &error) && bad++ == 0)
            first = error;
    }
    if (bad > 0)
        findings_add(
            findings,
            &(struct finding){.level = bad == infos->count ? FINDING_REJECTED : FINDING_WARNING,
                              .code = bad == infos->count ? NULL : "W-kubelet-expression",
                              .rule = "AWN-718",
                              .path = "spec.kubelet"},
            "%" PRIu32 " of %" PRIu32 " instance types: %s", bad, infos->count, first.message);
    instance_infos_destroy(infos);
}

// "spec.kubelet.kubeReserved.cpu" of an error that ends in
// "(field=spec.kubelet.kubeReserved[cpu])".
static const char *path_in(struct arena *arena, const char *message)
{
    static const char mark[] = "(field=";
    const char *at = strstr(message, mark);
    if (at == NULL)
        return "spec.kubelet";
    at += strlen(mark);
    char *path = arena_copy_bytes(arena, at, strcspn(at, ")]"));
    char *bracket = strchr(path, '[');
    if (bracket != NULL)
        *bracket = '.';
    return path;
}

static void check_expressions(const struct ec2_node_class *class, struct arena *arena,
                              struct findings *findings)
{
    struct kubelet_config kubelet;
    struct error error = {0};
    if (!kubelet_config_read(&kubelet, arena, class->spec.kubelet, &error))
        return; // admission's rules tell
    if (kubelet_has_expressions(&kubelet)) {
        if (kubelet_check_expressions(&kubelet, &error))
            try_expressions(class, &kubelet, arena, findings);
        else
            findings_add(findings,
                         &(struct finding){.level = FINDING_REJECTED,
                                           .rule = "AWN-233",
                                           .path = path_in(arena, error.message)},
                         "%s", error.message);
    }
    kubelet_config_free(&kubelet);
}

void ec2_class_findings(const struct object *node_class, struct findings *findings)
{
    assert(node_class->kind->id == KIND_EC2_NODE_CLASS);
    const struct ec2_node_class *class = (const struct ec2_node_class *)node_class;
    CLEANUP_ARENA struct arena *arena = arena_create(4096);
    check_user_data(class, arena, findings);
    check_expressions(class, arena, findings);
}
