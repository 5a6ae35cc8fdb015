#include "cli/autoscaler/user_data_lift.h"

#include <assert.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "cli/convert/tree.h"
#include "cloud/aws/families/mime.h"
#include "cloud/aws/families/toml_read.h"
#include "cloud/aws/families/toml_write.h"
#include "model/manifest/input.h"

#define ARGUMENT_MAX 4096

// --- the kubelet's arguments ---------------------------------------------------------------------
static json_t *kubelet_of(struct group *group)
{
    return tree_make(group->class->object, "spec.kubelet");
}

// "a=b,c=d": each pair.
static void for_each_pair(struct group *group, const char *text, const struct flags *flags,
                          void (*visit)(struct group *group, const char *key, const char *value,
                                        const struct flags *flags))
{
    struct arena *arena = group->pool->conversion->arena;
    while (*text != '\0') {
        size_t length = strcspn(text, ",");
        const char *pair = arena_copy_bytes(arena, text, length);
        const char *equals = strchr(pair, '=');
        if (equals != NULL)
            visit(group, arena_copy_bytes(arena, pair, (size_t)(equals - pair)), equals + 1, flags);
        text += length + (text[length] == ',');
    }
}

static void add_label(struct group *group, const char *key, const char *value,
                      const struct flags *flags)
{
    (void)flags;
    group_label(group, key, value);
}

static void add_taint(struct group *group, const char *key, const char *value,
                      const struct flags *flags)
{
    group_taint_text(group, key, value, flags);
}

static void add_map(struct group *group, const char *field, const char *text)
{
    json_t *map = json_object();
    struct arena *arena = group->pool->conversion->arena;
    while (*text != '\0') { // the kubelet writes "memory.available<100Mi,..." for thresholds
        size_t length = strcspn(text, ",");
        const char *pair = arena_copy_bytes(arena, text, length);
        size_t key = strcspn(pair, "=<");
        if (pair[key] != '\0')
            json_object_set_new(map, arena_copy_bytes(arena, pair, key),
                                json_string(pair + key + 1));
        text += length + (text[length] == ',');
    }
    json_object_set_new(kubelet_of(group), field, map);
}

static void add_number(struct group *group, const char *field, const char *text)
{
    int64_t number;
    if (text_parse_int64(text, &number))
        json_object_set_new(kubelet_of(group), field, json_integer(number));
}

static void lift_argument(struct group *group, const char *name, const char *value,
                          const struct flags *flags)
{
    static const struct {
        const char *argument, *field;
        enum { MAP, NUMBER, BOOLEAN } form;
    } fields[] = {
        {"max-pods", "maxPods", NUMBER},
        {"pods-per-core", "podsPerCore", NUMBER},
        {"kube-reserved", "kubeReserved", MAP},
        {"system-reserved", "systemReserved", MAP},
        {"eviction-hard", "evictionHard", MAP},
        {"eviction-soft", "evictionSoft", MAP},
        {"eviction-soft-grace-period", "evictionSoftGracePeriod", MAP},
        {"eviction-max-pod-grace-period", "evictionMaxPodGracePeriod", NUMBER},
        {"image-gc-high-threshold", "imageGCHighThresholdPercent", NUMBER},
        {"image-gc-low-threshold", "imageGCLowThresholdPercent", NUMBER},
        {"cpu-cfs-quota", "cpuCFSQuota", BOOLEAN},
    };
    if (strcmp(name, "node-labels") == 0) {
        for_each_pair(group, value, flags, add_label);
        return;
    }
    if (strcmp(name, "register-with-taints") == 0) {
        for_each_pair(group, value, flags, add_taint);
        return;
    }
    for (size_t i = 0; i < ARRAY_LENGTH(fields); i++) {
        if (strcmp(fields[i].argument, name) != 0)
            continue;
        if (fields[i].form == MAP)
            add_map(group, fields[i].field, value);
        else if (fields[i].form == NUMBER)
            add_number(group, fields[i].field, value);
        else
            json_object_set_new(kubelet_of(group), fields[i].field,
                                json_boolean(strcmp(value, "false") != 0));
        return;
    }
    note_add(group->class, NOTE_LOST, "M-kubelet-flag",
             product_text(group->class, "spec.userData/%s", name),
             "the kubelet's flag has no field in a class");
}

// Arguments of the kubelet ("--node-labels=a=b --max-pods=20").
static void kubelet_arguments_lift(struct group *group, const char *text, const struct flags *flags)
{
    struct flags arguments = {0};
    const char *name;
    json_t *list;
    flags_add_text(&arguments, text, group->pool->conversion->arena);
    json_object_foreach (arguments.values, name, list)
        lift_argument(group, name, flag_text(&arguments, name), flags);
    flags_free(&arguments);
}

// --- shell scripts -------------------------------------------------------------------------------
// The argument after `option`, its quotes taken off; NULL: it is not there.
static const char *option_value(const char *command, const char *option, struct arena *arena)
{
    const char *at = strstr(command, option);
    if (at == NULL)
        return NULL;
    at += strlen(option);
    at += strspn(at, " =\t");
    char quote = *at == '\'' || *at == '"' ? *at : '\0';
    size_t length =
        quote != '\0' ? strcspn(at + 1, quote == '"' ? "\"" : "'") : strcspn(at, " \t\n");
    return length < ARGUMENT_MAX ? arena_copy_bytes(arena, at + (quote != '\0'), length) : NULL;
}

// The command line at `at` with its continuation lines.
static size_t command_length(const char *at)
{
    size_t length = 0;
    for (;;) {
        length += strcspn(at + length, "\n");
        bool continues = length > 0 && at[length - 1] == '\\' && at[length] == '\n';
        length += at[length] == '\n';
        if (!continues)
            return length;
    }
}

static bool is_empty_script(const char *text)
{
    while (*text != '\0') {
        size_t length = strcspn(text, "\n"), blank = strspn(text, " \t\r");
        const char *line = text + blank;
        if (blank < length && *line != '#' && !text_starts_with(line, "set ") &&
            !text_starts_with(line, "exit 0"))
            return false;
        text += length + (text[length] == '\n');
    }
    return true;
}

// Takes the bootstrap call out of the script; NULL: it stays whole, as variables are in the call.
static const char *lift_script(struct group *group, const char *script, const char *call,
                               const struct flags *flags)
{
    struct arena *arena = group->pool->conversion->arena;
    const char *at = strstr(script, call), *line = at;
    while (line > script && line[-1] != '\n')
        line--;
    size_t length = command_length(line);
    const char *command = arena_copy_bytes(arena, line, length);
    const char *arguments = option_value(command, "--kubelet-extra-args", arena);
    if (arguments == NULL)
        arguments = option_value(command, "-KubeletExtraArgs", arena);
    if (arguments != NULL && strchr(arguments, '$') != NULL) {
        note_add(group->class, NOTE_TODO, "M-userdata", "spec.userData",
                 "the bootstrap call has shell variables: take it out, and write its labels, "
                 "taints and kubelet settings into the pool and the class");
        return NULL;
    }
    if (arguments != NULL)
        kubelet_arguments_lift(group, arguments, flags);
    if (strstr(command, "--local-disks raid0") != NULL)
        json_object_set_new(group_class_spec(group), "instanceStorePolicy", json_string("RAID0"));
    return arena_format(arena, "%.*s%s", (int)(line - script), script, line + length);
}

// --- NodeConfig ----------------------------------------------------------------------------------
static bool lift_node_config(struct group *group, const char *text, const struct flags *flags,
                             bool *left)
{
    struct documents documents = {0};
    struct error error;
    if (!documents_read_text(&documents, text, strlen(text), "user data", false, &error) ||
        documents.count == 0) {
        documents_free(&documents);
        return false;
    }
    const json_t *spec = tree_at(documents.items[0].value, "spec"), *item;
    const json_t *config = tree_at(spec, "kubelet.config"), *list = tree_at(spec, "kubelet.flags");
    const char *key;
    json_t *value;
    size_t index;
    json_object_foreach ((json_t *)config, key, value)
        json_object_set_new(kubelet_of(group), key, json_deep_copy(value));
    json_array_foreach ((json_t *)list, index, item)
        kubelet_arguments_lift(group, text_or_empty(json_string_value(item)), flags);
    if (text_equal(tree_text_at(spec, "instance.localStorage.strategy"), "RAID0"))
        json_object_set_new(group_class_spec(group), "instanceStorePolicy", json_string("RAID0"));
    *left = tree_at(spec, "containerd") != NULL || tree_at(spec, "featureGates") != NULL;
    documents_free(&documents);
    return true;
}

// --- Bottlerocket --------------------------------------------------------------------------------
static void lift_toml_map(struct group *group, struct toml_value *kubernetes, const char *name,
                          const struct flags *flags)
{
    const struct toml_value *map = toml_get(kubernetes, name);
    bool taints = strcmp(name, "node-taints") == 0;
    for (uint32_t i = 0; map != NULL && map->type == TOML_TABLE && i < map->table.count; i++) {
        const struct toml_entry *entry = &map->table.items[i];
        const struct toml_value *value = entry->value;
        if (value->type == TOML_ARRAY && value->array.count > 0)
            value = value->array.items[0];
        if (value->type != TOML_STRING)
            continue;
        if (taints)
            group_taint_text(group, entry->key, value->text, flags);
        else
            group_label(group, entry->key, value->text);
    }
    toml_remove(kubernetes, name);
}

static bool lift_toml(struct group *group, const char *text, const struct flags *flags)
{
    static const char *const own[] = {"cluster-name", "api-server", "cluster-certificate",
                                      "cluster-dns-ip"};
    struct arena *arena = group->pool->conversion->arena;
    struct error error;
    struct toml_value *root = toml_read(text, arena, &error);
    struct toml_value *settings = root != NULL ? toml_get(root, "settings") : NULL;
    struct toml_value *kubernetes = settings != NULL ? toml_get(settings, "kubernetes") : NULL;
    if (kubernetes == NULL || kubernetes->type != TOML_TABLE)
        return false;
    lift_toml_map(group, kubernetes, "node-labels", flags);
    lift_toml_map(group, kubernetes, "node-taints", flags);
    const struct toml_value *pods = toml_get(kubernetes, "max-pods");
    if (pods != NULL && pods->type == TOML_INTEGER)
        json_object_set_new(kubelet_of(group), "maxPods", json_integer(pods->integer));
    toml_remove(kubernetes, "max-pods");
    for (size_t i = 0; i < ARRAY_LENGTH(own); i++)
        toml_remove(kubernetes, own[i]);
    if (kubernetes->table.count == 0)
        toml_remove(settings, "kubernetes");
    if (settings->table.count == 0)
        toml_remove(root, "settings");
    struct text rest = {0};
    if (root->table.count > 0) {
        toml_write(root, NULL, &rest);
        json_object_set_new(group_class_spec(group), "userData", json_string(rest.data));
    }
    text_free(&rest);
    return true;
}

// --- the whole -----------------------------------------------------------------------------------
static const char *bootstrap_call(const char *text)
{
    static const char *const calls[] = {"/etc/eks/bootstrap.sh", "Start-EKSBootstrap",
                                        "EKSBootstrapScriptFile", "EKSBootstrapScript"};
    for (size_t i = 0; i < ARRAY_LENGTH(calls); i++)
        if (strstr(text, calls[i]) != NULL)
            return calls[i];
    return NULL;
}

// The part's text without what joins the cluster; "": nothing is left.
static const char *lift_part(struct group *group, const char *body, const struct flags *flags)
{
    const char *call = bootstrap_call(body);
    bool left = true;
    if (call != NULL) {
        const char *rest = lift_script(group, body, call, flags);
        return rest == NULL ? body : is_empty_script(rest) ? "" : rest;
    }
    if (strstr(body, "node.eks.aws/v1alpha1") != NULL &&
        lift_node_config(group, body, flags, &left))
        return left ? body : "";
    return is_empty_script(body) ? "" : body;
}

static void lift_archive(struct group *group, const char *text, const struct flags *flags)
{
    struct arena *arena = group->pool->conversion->arena;
    struct mime_parts parts = {0}, rest = {0};
    struct error error;
    struct text out = {0};
    if (!mime_read(&parts, text, arena, &error)) {
        json_object_set_new(group_class_spec(group), "userData", json_string(text));
        return;
    }
    for (uint32_t i = 0; i < parts.count; i++) {
        const char *body = lift_part(group, parts.items[i].body, flags);
        if (body[0] == '\0')
            continue;
        const char *type = MIME_SCRIPT;
        for (uint32_t k = 0; k < parts.items[i].headers.count; k++)
            if (strcmp(parts.items[i].headers.items[k].name, MIME_CONTENT_TYPE) == 0)
                type = parts.items[i].headers.items[k].value;
        mime_add(&rest, arena, type, body);
    }
    if (rest.count > 0) {
        mime_write(&rest, &out);
        json_object_set_new(group_class_spec(group), "userData", json_string(out.data));
    }
    text_free(&out);
}

static const char *family_of(const char *text)
{
    if (strstr(text, "/etc/eks/bootstrap.sh") != NULL)
        return "AL2";
    if (strstr(text, "node.eks.aws/v1alpha1") != NULL)
        return "AL2023";
    if (strstr(text, "settings.kubernetes") != NULL)
        return "Bottlerocket";
    if (strstr(text, "EKSBootstrapScript") != NULL || strstr(text, "Start-EKSBootstrap") != NULL)
        return "Windows2022";
    return "Custom";
}

void user_data_lift(struct group *group, const char *text, const struct flags *flags,
                    const char **family)
{
    *family = family_of(text);
    if (strcmp(*family, "Bottlerocket") == 0 && lift_toml(group, text, flags))
        return;
    if (strcmp(*family, "Custom") == 0) {
        json_object_set_new(group_class_spec(group), "userData", json_string(text));
        return;
    }
    if (mime_is_message(text)) {
        lift_archive(group, text, flags);
        return;
    }
    const char *rest = lift_part(group, text, flags);
    if (rest[0] != '\0')
        json_object_set_new(group_class_spec(group), "userData", json_string(rest));
}
