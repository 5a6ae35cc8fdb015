#include "cloud/aws/families/bottlerocket_settings.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#define KUBERNETES         "settings.kubernetes"
#define BOOTSTRAP_COMMANDS "settings.bootstrap-commands"

enum form {
    FORM_STRING,
    FORM_INTEGER,
    FORM_BOOLEAN,
    FORM_STRINGS,      // a list
    FORM_STRING_LISTS, // a list of lists
    FORM_STRING_MAP,   // a table of strings
    FORM_LIST_MAP,     // a table of lists of strings
    FORM_TABLE,        // with `fields`
    FORM_TABLE_MAP,    // a table of such tables
};
struct setting {
    const char *key;
    enum form form;
    const struct setting *fields; // ended by a NULL key
};

static const struct setting credential_provider[] = {
    {"enabled", FORM_BOOLEAN, NULL},
    {"cache-duration", FORM_STRING, NULL},
    {"image-patterns", FORM_STRINGS, NULL},
    {"environment", FORM_STRING_MAP, NULL},
    {NULL, FORM_STRING, NULL},
};
static const struct setting static_pod[] = {
    {"enabled", FORM_BOOLEAN, NULL},
    {"manifest", FORM_STRING, NULL},
    {NULL, FORM_STRING, NULL},
};
static const struct setting reserved_memory[] = {
    {"enabled", FORM_BOOLEAN, NULL},
    {"memory", FORM_STRING, NULL},
    {"hugepages-2Mi", FORM_STRING, NULL},
    {"hugepages-1Gi", FORM_STRING, NULL},
    {NULL, FORM_STRING, NULL},
};
static const struct setting topology_options[] = {
    {"prefer-closest-numa-nodes", FORM_BOOLEAN, NULL},
    {"max-allowable-numa-nodes", FORM_INTEGER, NULL},
    {NULL, FORM_STRING, NULL},
};
static const struct setting bootstrap_command[] = {
    {"commands", FORM_STRING_LISTS, NULL},
    {"mode", FORM_STRING, NULL},
    {"essential", FORM_BOOLEAN, NULL},
    {NULL, FORM_STRING, NULL},
};
// In the order in which they are written.
static const struct setting kubernetes[] = {
    {"api-server", FORM_STRING, NULL},
    {"cloud-provider", FORM_STRING, NULL},
    {"cluster-certificate", FORM_STRING, NULL},
    {"cluster-name", FORM_STRING, NULL},
    {"cluster-dns-ip", FORM_STRING, NULL},
    {"credential-providers", FORM_TABLE_MAP, credential_provider},
    {"node-labels", FORM_STRING_MAP, NULL},
    {"node-taints", FORM_LIST_MAP, NULL},
    {"max-pods", FORM_INTEGER, NULL},
    {"static-pods", FORM_TABLE_MAP, static_pod},
    {"eviction-hard", FORM_STRING_MAP, NULL},
    {"eviction-soft", FORM_STRING_MAP, NULL},
    {"eviction-soft-grace-period", FORM_STRING_MAP, NULL},
    {"eviction-max-pod-grace-period", FORM_INTEGER, NULL},
    {"kube-reserved", FORM_STRING_MAP, NULL},
    {"system-reserved", FORM_STRING_MAP, NULL},
    {"allowed-unsafe-sysctls", FORM_STRINGS, NULL},
    {"server-tls-bootstrap", FORM_BOOLEAN, NULL},
    {"registry-qps", FORM_INTEGER, NULL},
    {"registry-burst", FORM_INTEGER, NULL},
    {"event-qps", FORM_INTEGER, NULL},
    {"event-burst", FORM_INTEGER, NULL},
    {"kube-api-qps", FORM_INTEGER, NULL},
    {"kube-api-burst", FORM_INTEGER, NULL},
    {"container-log-max-size", FORM_STRING, NULL},
    {"container-log-max-files", FORM_INTEGER, NULL},
    {"cpu-manager-policy", FORM_STRING, NULL},
    {"cpu-manager-policy-options", FORM_STRINGS, NULL},
    {"cpu-manager-reconcile-period", FORM_STRING, NULL},
    {"memory-manager-policy", FORM_STRING, NULL},
    {"memory-manager-reserved-memory", FORM_TABLE_MAP, reserved_memory},
    {"topology-manager-scope", FORM_STRING, NULL},
    {"topology-manager-policy", FORM_STRING, NULL},
    {"topology-manager-policy-options", FORM_TABLE, topology_options},
    {"image-gc-high-threshold-percent", FORM_STRING, NULL},
    {"image-gc-low-threshold-percent", FORM_STRING, NULL},
    {"ids-per-pod", FORM_INTEGER, NULL},
    {"cpu-cfs-quota-enforced", FORM_BOOLEAN, NULL},
    {"shutdown-grace-period", FORM_STRING, NULL},
    {"shutdown-grace-period-for-critical-pods", FORM_STRING, NULL},
    {"cluster-domain", FORM_STRING, NULL},
    {"seccomp-default", FORM_BOOLEAN, NULL},
    {"pod-pids-limit", FORM_INTEGER, NULL},
    {"device-ownership-from-security-context", FORM_BOOLEAN, NULL},
    {"single-process-oom-kill", FORM_BOOLEAN, NULL},
    {"container-log-max-workers", FORM_INTEGER, NULL},
    {"container-log-monitor-interval", FORM_STRING, NULL},
    {"hostname-override-source", FORM_STRING, NULL},
    {"log-level", FORM_INTEGER, NULL},
    {NULL, FORM_STRING, NULL},
};

// --- filtering -----------------------------------------------------------------------------------
struct filter {
    const struct bottlerocket_dropped *dropped; // or NULL
    struct error *error;
};
static bool filter_fields(struct filter *filter, struct toml_value *table,
                          const struct setting *fields, const char *path);

static bool refuse(struct filter *filter, const char *path, const char *wanted,
                   const struct toml_value *value)
{
    return error_set(filter->error, ERROR_INVALID, "%.300s must be %s, not %s", path, wanted,
                     toml_type_name(value->type));
}

static bool check_type(struct filter *filter, const struct toml_value *value, enum toml_type type,
                       const char *path)
{
    return value->type == type || refuse(filter, path, toml_type_name(type), value);
}

static bool check_items(struct filter *filter, const struct toml_value *value, const char *path,
                        bool lists)
{
    if (!check_type(filter, value, TOML_ARRAY, path))
        return false;
    for (uint32_t i = 0; i < value->array.count; i++) {
        const struct toml_value *item = value->array.items[i];
        if (lists ? !check_items(filter, item, path, false)
                  : item->type != TOML_STRING && !refuse(filter, path, "an array of strings", item))
            return false;
    }
    return true;
}

// Each value of a table: a string, a list of strings or a table with fields.
static bool filter_map(struct filter *filter, struct toml_value *value,
                       const struct setting *setting, const char *path)
{
    if (!check_type(filter, value, TOML_TABLE, path))
        return false;
    for (uint32_t i = 0; i < value->table.count; i++) {
        struct toml_value *item = value->table.items[i].value;
        char place[600];
        snprintf(place, sizeof place, "%.300s.%.200s", path, value->table.items[i].key);
        bool fits = setting->form == FORM_STRING_MAP ? check_type(filter, item, TOML_STRING, place)
                    : setting->form == FORM_LIST_MAP
                        ? check_items(filter, item, place, false)
                        : check_type(filter, item, TOML_TABLE, place) &&
                              filter_fields(filter, item, setting->fields, place);
        if (!fits)
            return false;
    }
    return true;
}

static bool filter_value(struct filter *filter, struct toml_value *value,
                         const struct setting *setting, const char *path)
{
    switch (setting->form) {
    case FORM_STRING:
        return check_type(filter, value, TOML_STRING, path);
    case FORM_INTEGER:
        return check_type(filter, value, TOML_INTEGER, path);
    case FORM_BOOLEAN:
        return check_type(filter, value, TOML_BOOLEAN, path);
    case FORM_STRINGS:
        return check_items(filter, value, path, false);
    case FORM_STRING_LISTS:
        return check_items(filter, value, path, true);
    case FORM_TABLE:
        return check_type(filter, value, TOML_TABLE, path) &&
               filter_fields(filter, value, setting->fields, path);
    case FORM_STRING_MAP:
    case FORM_LIST_MAP:
    case FORM_TABLE_MAP:
        break;
    }
    return filter_map(filter, value, setting, path);
}

static const struct setting *find(const struct setting *fields, const char *key)
{
    for (const struct setting *setting = fields; setting->key != NULL; setting++)
        if (strcmp(setting->key, key) == 0)
            return setting;
    return NULL;
}

static bool filter_fields(struct filter *filter, struct toml_value *table,
                          const struct setting *fields, const char *path)
{
    uint32_t kept = 0;
    assert(table->type == TOML_TABLE);
    for (uint32_t i = 0; i < table->table.count; i++) {
        struct toml_entry entry = table->table.items[i];
        const struct setting *setting = find(fields, entry.key);
        char place[600];
        snprintf(place, sizeof place, "%.300s.%.200s", path, entry.key);
        if (setting == NULL) {
            if (filter->dropped != NULL)
                filter->dropped->report(filter->dropped->context, place);
            continue;
        }
        if (!filter_value(filter, entry.value, setting, place))
            return false;
        // Empty lists and tables are not written.
        bool empty = entry.value->type == TOML_ARRAY   ? entry.value->array.count == 0
                     : entry.value->type == TOML_TABLE ? entry.value->table.count == 0
                                                       : false;
        if (!empty)
            table->table.items[kept++] = entry;
    }
    table->table.count = kept;
    return true;
}

bool bottlerocket_settings_filter(struct toml_value *settings,
                                  const struct bottlerocket_dropped *dropped, struct error *error)
{
    static const struct setting commands = {"", FORM_TABLE_MAP, bootstrap_command};
    struct filter filter = {dropped, error};
    assert(settings->type == TOML_TABLE);
    struct toml_value *table = toml_get(settings, "kubernetes");
    if (table != NULL && (!check_type(&filter, table, TOML_TABLE, KUBERNETES) ||
                          !filter_fields(&filter, table, kubernetes, KUBERNETES)))
        return false;
    table = toml_get(settings, "bootstrap-commands");
    return table == NULL || filter_map(&filter, table, &commands, BOOTSTRAP_COMMANDS);
}

// --- order ---------------------------------------------------------------------------------------
// The fields of the table at `path`; NULL: its keys are free.
static const struct setting *fields_at(const char *path)
{
    if (strcmp(path, KUBERNETES) == 0)
        return kubernetes;
    if (text_starts_with(path, BOOTSTRAP_COMMANDS "."))
        return bootstrap_command;
    if (!text_starts_with(path, KUBERNETES "."))
        return NULL;
    const char *name = path + strlen(KUBERNETES ".");
    for (const struct setting *setting = kubernetes; setting->key != NULL; setting++) {
        size_t length = strlen(setting->key);
        bool below = strncmp(name, setting->key, length) == 0;
        if (below && setting->form == FORM_TABLE && name[length] == '\0')
            return setting->fields;
        if (below && setting->form == FORM_TABLE_MAP && name[length] == '.')
            return setting->fields;
    }
    return NULL;
}

static int compare_keys(const char *path, const char *a, const char *b)
{
    const struct setting *fields = fields_at(path);
    const struct setting *left = fields != NULL ? find(fields, a) : NULL;
    const struct setting *right = fields != NULL ? find(fields, b) : NULL;
    if (left == NULL || right == NULL)
        return strcmp(a, b);
    return left < right ? -1 : left > right;
}

const struct toml_order bottlerocket_order = {compare_keys};
