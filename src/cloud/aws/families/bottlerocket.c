#include "cloud/aws/families/bottlerocket.h"

#include <assert.h>
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "cloud/aws/families/bottlerocket_settings.h"
#include "cloud/aws/families/toml_read.h"
#include "cloud/aws/families/toml_write.h"

#define RAID0_COMMAND "000-mount-instance-storage"

struct rendering {
    const struct user_data_options *options;
    const struct node_registration *registration;
    struct arena *arena;
    struct toml_value *settings, *kubernetes;
};

static void set_cluster(struct rendering *rendering);
static void set_node(struct rendering *rendering);
static void set_kubelet(struct rendering *rendering);
static void set_raid0(struct rendering *rendering);

// The whole text; NULL: an error.
static struct toml_value *read_settings(const struct ec2_node_class *node_class,
                                        struct arena *arena, struct error *error)
{
    const char *text = text_or_empty(node_class->spec.user_data);
    struct toml_value *root = toml_read(text, arena, error);
    struct toml_value *settings = root != NULL ? toml_get(root, "settings") : NULL;
    if (root == NULL) {
        error_prefix(error, "spec.userData is no valid TOML, which Bottlerocket needs");
        return NULL;
    }
    if (settings == NULL) {
        settings = toml_table(arena);
        toml_set(root, arena, "settings", settings);
    }
    if (settings->type == TOML_TABLE)
        return root;
    error_set(error, ERROR_INVALID, "spec.userData: settings must be a table, not %s",
              toml_type_name(settings->type));
    return NULL;
}

const char *bottlerocket_render(const struct user_data_options *options,
                                const struct node_registration *registration, struct arena *arena,
                                struct error *error)
{
    assert(options != NULL && registration != NULL && arena != NULL);
    struct toml_value *root = read_settings(options->node_class, arena, error);
    if (root == NULL)
        return NULL;
    struct rendering rendering = {options, registration, arena, toml_get(root, "settings"), NULL};
    if (!bottlerocket_settings_filter(rendering.settings, NULL, error)) {
        error_prefix(error, "spec.userData");
        return NULL;
    }
    rendering.kubernetes = toml_get(rendering.settings, "kubernetes");
    if (rendering.kubernetes == NULL) {
        rendering.kubernetes = toml_table(arena);
        toml_set(rendering.settings, arena, "kubernetes", rendering.kubernetes);
    }
    set_cluster(&rendering);
    set_node(&rendering);
    set_kubelet(&rendering);
    if (registration->raid0)
        set_raid0(&rendering);
    struct toml_value *document = toml_table(arena);
    toml_set(document, arena, "settings", rendering.settings);
    struct text text = {0};
    toml_write(document, &bottlerocket_order, &text);
    const char *result = arena_copy_string(arena, text.data);
    text_free(&text);
    return result;
}

// --- our settings over the user's (AWN-297) ------------------------------------------------------
static void set_string(struct rendering *rendering, const char *key, const char *value)
{
    toml_set(rendering->kubernetes, rendering->arena, key, toml_string(rendering->arena, value));
}

static void set_cluster(struct rendering *rendering)
{
    const struct cluster_facts *cluster = rendering->options->cluster;
    const struct string_list *dns = &rendering->registration->cluster_dns;
    set_string(rendering, "cluster-name", text_or_empty(cluster->name));
    set_string(rendering, "api-server", text_or_empty(cluster->endpoint));
    if (text_is_empty(cluster->ca_bundle))
        toml_remove(rendering->kubernetes, "cluster-certificate");
    else
        set_string(rendering, "cluster-certificate", cluster->ca_bundle);
    toml_set(rendering->kubernetes, rendering->arena, "max-pods",
             toml_integer(rendering->arena, rendering->options->max_pods));
    if (dns->count > 0)
        set_string(rendering, "cluster-dns-ip", dns->items[0]);
}

static void set_node(struct rendering *rendering)
{
    struct arena *arena = rendering->arena;
    struct toml_value *labels = toml_get(rendering->kubernetes, "node-labels");
    if (labels == NULL)
        labels = toml_table(arena);
    list_for_each (pair, &rendering->registration->labels)
        toml_set(labels, arena, pair->key, toml_string(arena, pair->value));
    if (labels->table.count > 0)
        toml_set(rendering->kubernetes, arena, "node-labels", labels);
    struct toml_value *taints = toml_table(arena);
    list_for_each (taint, &rendering->registration->taints) {
        struct toml_value *effects = toml_get(taints, taint->key);
        if (effects == NULL) {
            effects = toml_array(arena);
            toml_set(taints, arena, taint->key, effects);
        }
        const char *value =
            arena_format(arena, "%s:%s", text_or_empty(taint->value), text_or_empty(taint->effect));
        toml_append(effects, arena, toml_string(arena, value));
    }
    toml_set(rendering->kubernetes, arena, "node-taints", taints);
}

static void set_map(struct rendering *rendering, const char *key, const struct string_map *map,
                    bool durations)
{
    if (map->count == 0)
        return;
    struct toml_value *table = toml_table(rendering->arena);
    list_for_each (pair, map) {
        const char *value = durations ? node_duration(pair->value, rendering->arena) : pair->value;
        toml_set(table, rendering->arena, pair->key, toml_string(rendering->arena, value));
    }
    toml_set(rendering->kubernetes, rendering->arena, key, table);
}

static void set_percent(struct rendering *rendering, const char *key, struct optional_int percent)
{
    if (percent.present)
        set_string(rendering, key, arena_format(rendering->arena, "%" PRId64, percent.value));
}

static void set_kubelet(struct rendering *rendering)
{
    const struct kubelet_config *kubelet = rendering->options->kubelet;
    if (kubelet == NULL)
        return;
    set_map(rendering, "system-reserved", &rendering->registration->system_reserved, false);
    set_map(rendering, "kube-reserved", &rendering->registration->kube_reserved, false);
    set_map(rendering, "eviction-hard", &kubelet->eviction_hard, false);
    set_map(rendering, "eviction-soft", &kubelet->eviction_soft, false);
    set_map(rendering, "eviction-soft-grace-period", &kubelet->eviction_soft_grace_period, true);
    if (kubelet->eviction_max_pod_grace_period.present)
        toml_set(rendering->kubernetes, rendering->arena, "eviction-max-pod-grace-period",
                 toml_integer(rendering->arena, kubelet->eviction_max_pod_grace_period.value));
    set_percent(rendering, "image-gc-high-threshold-percent",
                kubelet->image_gc_high_threshold_percent);
    set_percent(rendering, "image-gc-low-threshold-percent",
                kubelet->image_gc_low_threshold_percent);
    if (kubelet->cpu_cfs_quota.present)
        toml_set(rendering->kubernetes, rendering->arena, "cpu-cfs-quota-enforced",
                 toml_boolean(rendering->arena, kubelet->cpu_cfs_quota.value));
}

// --- instance store (AWN-298, 299) ---------------------------------------------------------------
// The piece of an image's name between dashes that is a version, such as "v1.50.0"; NULL: none.
static const char *version_in(const char *name, struct arena *arena)
{
    while (name != NULL) {
        size_t length = strcspn(name, "-");
        if (*name == 'v' && memchr(name, '.', length) != NULL)
            return arena_copy_bytes(arena, name, length);
        name = name[length] == '-' ? name + length + 1 : NULL;
    }
    return NULL;
}

static const char *version_of_images(const struct ec2_node_class *node_class, const char *id,
                                     struct arena *arena)
{
    list_for_each (ami, &node_class->status.amis) {
        if ((id != NULL && !text_equal(ami->id, id)) || ami->name == NULL ||
            strstr(ami->name, "bottlerocket") == NULL)
            continue;
        const char *version = version_in(ami->name, arena);
        if (version != NULL)
            return version;
    }
    return NULL;
}

static const char *find_version(const struct ec2_node_class *node_class, struct arena *arena)
{
    struct ami_alias alias;
    const char *version = NULL;
    if (ami_alias_of(node_class, &alias))
        return alias.version;
    list_for_each (term, &node_class->spec.ami_selector_terms)
        if (version == NULL && term->name != NULL)
            version = version_in(term->name, arena);
    list_for_each (term, &node_class->spec.ami_selector_terms)
        if (version == NULL && term->id != NULL)
            version = version_of_images(node_class, term->id, arena);
    return version != NULL ? version : version_of_images(node_class, NULL, arena);
}

// Before 1.46.0, or not known: the folders have to be named.
static bool is_old(const char *version)
{
    int64_t parts[3] = {0};
    if (version == NULL || strcmp(version, "latest") == 0)
        return version == NULL;
    version += *version == 'v';
    for (int i = 0; i < 3; i++) {
        size_t length = strspn(version, "0123456789");
        if (length == 0 || length > 9 || version[length] != (i < 2 ? '.' : '\0'))
            return true;
        for (size_t j = 0; j < length; j++)
            parts[i] = parts[i] * 10 + (version[j] - '0');
        version += length + 1;
    }
    return parts[0] < 1 || (parts[0] == 1 && parts[1] < 46);
}

static void add_command(struct toml_value *commands, struct arena *arena, const char *const *words)
{
    struct toml_value *command = toml_array(arena);
    for (; *words != NULL; words++)
        toml_append(command, arena, toml_string(arena, *words));
    toml_append(commands, arena, command);
}

static void set_raid0(struct rendering *rendering)
{
    static const char *const init[] = {"apiclient", "ephemeral-storage", "init", NULL};
    static const char *const bind[] = {"apiclient", "ephemeral-storage", "bind", NULL};
    static const char *const bind_folders[] = {
        "apiclient",           "ephemeral-storage", "bind",          "--dirs",
        "/var/lib/containerd", "/var/lib/kubelet",  "/var/log/pods", NULL};
    struct arena *arena = rendering->arena;
    struct toml_value *all = toml_get(rendering->settings, "bootstrap-commands");
    struct toml_value *commands = toml_array(arena), *table = toml_table(arena);
    bool old = is_old(find_version(rendering->options->node_class, arena));
    if (all == NULL) {
        all = toml_table(arena);
        toml_set(rendering->settings, arena, "bootstrap-commands", all);
    }
    add_command(commands, arena, init);
    add_command(commands, arena, old ? bind_folders : bind);
    toml_set(table, arena, "commands", commands);
    toml_set(table, arena, "mode", toml_string(arena, "always"));
    toml_set(table, arena, "essential", toml_boolean(arena, true));
    toml_set(all, arena, RAID0_COMMAND, table);
}

// --- warnings (AWN-711) --------------------------------------------------------------------------
struct warnings {
    struct arena *arena;
    struct string_list list;
    uint32_t capacity;
};

static void warn(struct warnings *warnings, const char *text)
{
    if (warnings->list.count == warnings->capacity) {
        warnings->capacity = warnings->capacity == 0 ? 8 : warnings->capacity * 2;
        const char **larger =
            arena_allocate_array(warnings->arena, warnings->capacity, sizeof *larger);
        if (warnings->list.count > 0)
            memcpy(larger, warnings->list.items, warnings->list.count * sizeof *larger);
        warnings->list.items = larger;
    }
    warnings->list.items[warnings->list.count++] = text;
}

static void report_dropped(void *context, const char *path)
{
    struct warnings *warnings = context;
    warn(warnings,
         arena_format(warnings->arena,
                      "spec.userData: %s is no setting that adze knows; it is left out", path));
}

struct string_list bottlerocket_warnings(const struct ec2_node_class *node_class,
                                         struct arena *arena)
{
    struct warnings warnings = {.arena = arena};
    const struct bottlerocket_dropped dropped = {report_dropped, &warnings};
    struct error error;
    struct toml_value *root = read_settings(node_class, arena, &error);
    if (root == NULL)
        return warnings.list;
    for (uint32_t i = 0; i < root->table.count; i++)
        if (strcmp(root->table.items[i].key, "settings") != 0)
            warn(&warnings,
                 arena_format(arena,
                              "spec.userData: %s is left out; only settings reaches the node",
                              root->table.items[i].key));
    struct toml_value *settings = toml_get(root, "settings");
    struct toml_value *kubernetes = toml_get(settings, "kubernetes");
    if (kubernetes != NULL && kubernetes->type == TOML_TABLE &&
        toml_get(kubernetes, "node-taints") != NULL)
        warn(&warnings, "spec.userData: settings.kubernetes.node-taints is left out; taints belong "
                        "in the NodePool's spec.template.spec.taints");
    if (!bottlerocket_settings_filter(settings, &dropped, &error))
        warnings.list.count = 0;
    return warnings.list;
}
