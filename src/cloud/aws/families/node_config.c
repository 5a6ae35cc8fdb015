#include "cloud/aws/families/node_config.h"

#include <assert.h>
#include <string.h>

#include "cloud/aws/families/kubelet_arguments.h"
#include "cloud/aws/families/mime.h"
#include "cloud/aws/families/node_config_yaml.h"
#include "model/manifest/input_yaml.h"

// --- the user's parts ----------------------------------------------------------------------------
enum first_document {
    DOCUMENT_NONE,
    DOCUMENT_MAPPING,
    DOCUMENT_OTHER,
};

static bool take_first(void *context, struct yaml_document document, struct error *error)
{
    enum first_document *first = context;
    if (*first == DOCUMENT_NONE && document.value != NULL && !json_is_null(document.value))
        *first = json_is_object(document.value) ? DOCUMENT_MAPPING : DOCUMENT_OTHER;
    json_decref(document.value);
    (void)error;
    return true;
}

// AWN-286: YAML that is a mapping, or empty. A script's first line is a comment to YAML, so that
// upstream takes a script of comments only for a NodeConfig (AWN-709).
static bool is_node_config(const char *text, bool compatibility)
{
    enum first_document first = DOCUMENT_NONE;
    uint64_t bytes = 0;
    struct error error;
    struct yaml_source source = {
        .text = text,
        .length = strlen(text),
        .file = "userData",
        .bytes = &bytes,
        .receive = take_first,
        .context = &first,
    };
    if (!compatibility && text_starts_with(text, "#!"))
        return false;
    return yaml_read(&source, &error) && first != DOCUMENT_OTHER;
}

bool node_config_is_given(const char *text)
{
    return is_node_config(text, false);
}

// Upstream keeps the content type of a part alone, so that an encoded one cannot be read (AWN-709).
static void keep_content_type(struct mime_parts *parts)
{
    for (uint32_t i = 0; i < parts->count; i++) {
        uint32_t kept = 0;
        list_for_each (header, &parts->items[i].headers)
            if (strcmp(header->name, MIME_CONTENT_TYPE) == 0)
                parts->items[i].headers.items[kept++] = *header;
        parts->items[i].headers.count = kept;
    }
}

static bool add_user_parts(const struct user_data_options *options, struct mime_parts *parts,
                           struct arena *arena, struct error *error)
{
    const char *given = options->node_class->spec.user_data;
    if (text_is_empty(given))
        return true;
    if (!mime_is_message(given)) {
        bool config = is_node_config(given, options->compatibility_upstream);
        mime_add(parts, arena, config ? MIME_NODE_CONFIG : MIME_SCRIPT, given);
        return true;
    }
    if (!mime_read(parts, given, arena, error))
        return false;
    if (options->compatibility_upstream)
        keep_content_type(parts);
    return true;
}

// --- the NodeConfig ------------------------------------------------------------------------------
static json_t *map_json(const struct string_map *map)
{
    json_t *object = json_object();
    list_for_each (pair, map)
        json_object_set_new(object, pair->key, json_string(pair->value));
    return object;
}

static json_t *taints_json(const taint_list *taints)
{
    json_t *list = json_array();
    list_for_each (taint, taints) {
        json_t *item = json_object();
        json_object_set_new(item, "effect", json_string(text_or_empty(taint->effect)));
        json_object_set_new(item, "key", json_string(text_or_empty(taint->key)));
        if (!text_is_empty(taint->value))
            json_object_set_new(item, "value", json_string(taint->value));
        json_array_append_new(list, item);
    }
    return list;
}

static void set_reserved(json_t *config, const char *key, const struct string_map *given,
                         const struct string_map *effective)
{
    if (effective->count > 0)
        json_object_set_new(config, key, map_json(effective));
    else if (given->count > 0)
        json_object_del(config, key);
}

// Every field as given, then the effective values.
static json_t *kubelet_json(const struct user_data_options *options,
                            const struct node_registration *registration)
{
    const struct kubelet_config *kubelet = options->kubelet;
    json_t *config =
        kubelet != NULL && kubelet->json != NULL ? json_deep_copy(kubelet->json) : json_object();
    if (kubelet != NULL) {
        set_reserved(config, "kubeReserved", &kubelet->kube_reserved, &registration->kube_reserved);
        set_reserved(config, "systemReserved", &kubelet->system_reserved,
                     &registration->system_reserved);
    }
    json_object_set_new(config, "maxPods", json_integer(options->max_pods));
    json_object_set_new(config, "registerWithTaints", taints_json(&registration->taints));
    if (registration->cluster_dns.count > 0) {
        json_t *dns = json_array();
        list_for_each (address, &registration->cluster_dns)
            json_array_append_new(dns, json_string(*address));
        json_object_set_new(config, "clusterDNS", dns);
    }
    return config;
}

static json_t *cluster_json(const struct cluster_facts *cluster)
{
    json_t *json =
        json_pack("{s:s, s:s, s:s}", "apiServerEndpoint", text_or_empty(cluster->endpoint), "cidr",
                  cluster->cidr, "name", text_or_empty(cluster->name));
    if (!text_is_empty(cluster->ca_bundle))
        json_object_set_new(json, "certificateAuthority", json_string(cluster->ca_bundle));
    return json;
}

static json_t *node_config_json(const struct user_data_options *options,
                                const struct node_registration *registration)
{
    struct text flag = {0};
    json_t *kubelet = json_object();
    json_object_set_new(kubelet, "config", kubelet_json(options, registration));
    kubelet_labels_argument_add(&flag, &registration->labels);
    if (flag.length > 0)
        json_object_set_new(kubelet, "flags", json_pack("[s]", flag.data));
    text_free(&flag);
    json_t *storage = json_object();
    if (registration->raid0)
        json_object_set_new(storage, "strategy", json_string("RAID0"));
    json_t *json = json_pack("{s:s, s:s, s:{}, s:{s:o, s:{}, s:{s:o}, s:o}}", "apiVersion",
                             "node.eks.aws/v1alpha1", "kind", "NodeConfig", "metadata", "spec",
                             "cluster", cluster_json(options->cluster), "containerd", "instance",
                             "localStorage", storage, "kubelet", kubelet);
    assert(json != NULL);
    return json;
}

const char *node_config_render(const struct user_data_options *options,
                               const struct node_registration *registration, struct arena *arena,
                               struct error *error)
{
    struct mime_parts parts = {0};
    struct text text = {0};
    assert(options != NULL && registration != NULL);
    if (text_is_empty(options->cluster->cidr)) {
        error_set(error, ERROR_NODE_CLASS_NOT_READY,
                  "the cluster's service CIDR is not known yet, and AL2023 nodes need it to join");
        return NULL;
    }
    if (!add_user_parts(options, &parts, arena, error))
        return NULL;
    json_t *json = node_config_json(options, registration);
    text_add(&text, "# Karpenter Generated NodeConfig\n");
    node_config_yaml_write(json, &text);
    json_decref(json);
    mime_add(&parts, arena, MIME_NODE_CONFIG, text.data);
    text_clear(&text);
    mime_write(&parts, &text);
    const char *result = arena_copy_string(arena, text.data);
    text_free(&text);
    return result;
}
