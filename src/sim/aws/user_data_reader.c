#include "sim/aws/user_data_reader.h"

#include <assert.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "model/manifest/input_yaml.h"

#define LABELS_MAX   200
#define TAINTS_MAX   100
#define RESERVED_MAX 20 // entries of one map

static void node_config_read(const char *text, struct arena *arena, struct user_data *data);
static void toml_read(const char *text, struct arena *arena, struct user_data *data);
static void script_read(const char *text, struct arena *arena, struct user_data *data);

// Bottlerocket: without folders it binds those of pods.
static bool binds_for_pods(const char *text)
{
    const char *bind = strstr(text, "'ephemeral-storage', 'bind'");
    return bind != NULL && (bind[strlen("'ephemeral-storage', 'bind'")] == ']' ||
                            strstr(bind, "/var/lib/kubelet") != NULL);
}

void user_data_read(const char *text, struct arena *arena, struct user_data *data)
{
    *data = (struct user_data){0};
    data->labels.items = arena_allocate_array(arena, LABELS_MAX, sizeof *data->labels.items);
    data->taints.items = arena_allocate_array(arena, TAINTS_MAX, sizeof *data->taints.items);
    for (enum user_data_map map = 0; map < USER_DATA_MAP_COUNT; map++)
        data->maps[map].items =
            arena_allocate_array(arena, RESERVED_MAX, sizeof *data->maps[map].items);
    data->local_disks = strcasestr(text, "--local-disks raid0") != NULL ||
                        strcasestr(text, "strategy: RAID0") != NULL || binds_for_pods(text);
    if (strstr(text, "node.eks.aws") != NULL) {
        data->family = USER_DATA_AL2023;
        node_config_read(text, arena, data);
    } else if (strstr(text, "/etc/eks/bootstrap.sh") != NULL) {
        data->family = USER_DATA_AL2;
        script_read(text, arena, data);
    } else if (strstr(text, "EKSBootstrap") != NULL || strstr(text, "-EKSClusterName") != NULL) {
        data->family = USER_DATA_WINDOWS;
        script_read(text, arena, data);
    } else if (strstr(text, "[settings.kubernetes") != NULL ||
               strstr(text, "settings.kubernetes.") != NULL) {
        data->family = USER_DATA_BOTTLEROCKET;
        toml_read(text, arena, data);
    }
    for (enum user_data_map map = 0; map < USER_DATA_MAP_COUNT; map++)
        qsort(data->maps[map].items, data->maps[map].count, sizeof *data->maps[map].items,
              string_pair_compare);
}

// --- labels, taints and reservations -------------------------------------------------------------

static void pair_put(struct arena *arena, struct string_map *map, uint32_t most, const char *key,
                     const char *value)
{
    for (uint32_t i = 0; i < map->count; i++)
        if (strcmp(map->items[i].key, key) == 0) {
            map->items[i].value = arena_copy_string(arena, value);
            return;
        }
    if (map->count < most && key[0] != '\0')
        map->items[map->count++] =
            (struct string_pair){arena_copy_string(arena, key), arena_copy_string(arena, value)};
}

static void taint_put(struct arena *arena, struct user_data *data, const char *key,
                      const char *value, const char *effect)
{
    for (uint32_t i = 0; i < data->taints.count; i++)
        if (strcmp(data->taints.items[i].key, key) == 0 &&
            strcmp(data->taints.items[i].effect, effect) == 0) {
            data->taints.items[i].value = arena_copy_string(arena, value);
            return;
        }
    if (data->taints.count < TAINTS_MAX && key[0] != '\0')
        data->taints.items[data->taints.count++] =
            (struct taint){.key = arena_copy_string(arena, key),
                           .value = arena_copy_string(arena, value),
                           .effect = arena_copy_string(arena, effect)};
}

// "a=b,c=d", or with another sign than =
static void pairs_split(struct arena *arena, struct string_map *map, uint32_t most,
                        const char *text, char sign)
{
    char *copy = arena_copy_string(arena, text), *rest = NULL;
    for (char *pair = strtok_r(copy, ",", &rest); pair != NULL; pair = strtok_r(NULL, ",", &rest)) {
        char *equals = strchr(pair, sign);
        if (equals != NULL)
            *equals = '\0';
        pair_put(arena, map, most, pair, equals != NULL ? equals + 1 : "");
    }
}

// "a=b:NoSchedule,c:NoExecute"
static void taints_split(struct arena *arena, struct user_data *data, const char *text)
{
    char *copy = arena_copy_string(arena, text), *rest = NULL;
    for (char *part = strtok_r(copy, ",", &rest); part != NULL; part = strtok_r(NULL, ",", &rest)) {
        char *colon = strrchr(part, ':'), *equals = strchr(part, '=');
        if (colon == NULL)
            continue;
        *colon = '\0';
        if (equals != NULL && equals < colon)
            *equals = '\0';
        else
            equals = NULL;
        taint_put(arena, data, part, equals != NULL ? equals + 1 : "", colon + 1);
    }
}

// --- flags of the kubelet and of the bootstrap scripts -------------------------------------------

// The argument after `flag` ("--node-labels=x", "-EKSClusterName 'x'"), unquoted; NULL: absent.
static const char *flag_value(struct arena *arena, const char *text, const char *flag)
{
    const char *at = strstr(text, flag), *end;
    if (at == NULL)
        return NULL;
    at += strlen(flag);
    if (*at != '=' && *at != ' ')
        return NULL;
    at += strspn(at, "= ");
    if (*at == '"' || *at == '\'') {
        end = strchr(at + 1, *at);
        at++;
    } else
        end = at + strcspn(at, " \t\r\n'\"");
    return arena_copy_bytes(arena, at, end != NULL ? (size_t)(end - at) : strlen(at));
}

static void number_read(struct arena *arena, const char *text, const char *flag, int64_t *number)
{
    const char *value = flag_value(arena, text, flag);
    if (value != NULL && !text_parse_int64(value, number))
        *number = 0;
}

static void flags_read(const char *text, struct arena *arena, struct user_data *data)
{
    static const char *const flags[USER_DATA_MAP_COUNT] = {"--kube-reserved", "--system-reserved",
                                                           "--eviction-hard"};
    const char *labels = flag_value(arena, text, "--node-labels");
    const char *taints = flag_value(arena, text, "--register-with-taints");
    number_read(arena, text, "--max-pods", &data->max_pods);
    number_read(arena, text, "--pods-per-core", &data->pods_per_core);
    if (labels != NULL)
        pairs_split(arena, &data->labels, LABELS_MAX, labels, '=');
    if (taints != NULL)
        taints_split(arena, data, taints);
    for (enum user_data_map map = 0; map < USER_DATA_MAP_COUNT; map++) {
        const char *value = flag_value(arena, text, flags[map]);
        if (value != NULL)
            pairs_split(arena, &data->maps[map], RESERVED_MAX, value,
                        map == USER_DATA_EVICTION_HARD ? '<' : '=');
    }
}

static void script_read(const char *text, struct arena *arena, struct user_data *data)
{
    assert(data->family == USER_DATA_AL2 || data->family == USER_DATA_WINDOWS);
    if (data->family == USER_DATA_WINDOWS) {
        data->cluster_name = flag_value(arena, text, "-EKSClusterName");
        data->endpoint = flag_value(arena, text, "-APIServerEndpoint");
    } else {
        // The last call counts: parts of the user's own may come first.
        for (const char *at = text; (at = strstr(at, "/etc/eks/bootstrap.sh")) != NULL; text = at++)
            ;
        data->cluster_name = flag_value(arena, text, "/etc/eks/bootstrap.sh");
        data->endpoint = flag_value(arena, text, "--apiserver-endpoint");
    }
    flags_read(text, arena, data);
}

// --- NodeConfig ----------------------------------------------------------------------------------

struct node_config_context {
    struct arena *arena;
    struct user_data *data;
};

static const char *member_text(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

static void kubelet_config_read(const json_t *config, struct arena *arena, struct user_data *data)
{
    static const char *const keys[USER_DATA_MAP_COUNT] = {"kubeReserved", "systemReserved",
                                                          "evictionHard"};
    const json_t *pods = json_object_get(config, "maxPods");
    const json_t *per_core = json_object_get(config, "podsPerCore");
    if (json_is_integer(pods))
        data->max_pods = json_integer_value(pods);
    if (json_is_integer(per_core))
        data->pods_per_core = json_integer_value(per_core);
    for (enum user_data_map map = 0; map < USER_DATA_MAP_COUNT; map++) {
        const char *key;
        json_t *value;
        json_object_foreach (json_object_get(config, keys[map]), key, value)
            if (json_is_string(value))
                pair_put(arena, &data->maps[map], RESERVED_MAX, key, json_string_value(value));
    }
}

static bool node_config_receive(void *context, struct yaml_document document, struct error *error)
{
    (void)error;
    struct node_config_context *reader = context;
    struct user_data *data = reader->data;
    const json_t *spec = json_object_get(document.value, "spec");
    const json_t *cluster = json_object_get(spec, "cluster");
    const json_t *kubelet = json_object_get(spec, "kubelet");
    const json_t *config = json_object_get(kubelet, "config");
    size_t i;
    json_t *item;
    if (member_text(cluster, "name") != NULL)
        data->cluster_name = arena_copy_string(reader->arena, member_text(cluster, "name"));
    if (member_text(cluster, "apiServerEndpoint") != NULL)
        data->endpoint =
            arena_copy_string(reader->arena, member_text(cluster, "apiServerEndpoint"));
    kubelet_config_read(config, reader->arena, data);
    json_array_foreach (json_object_get(config, "registerWithTaints"), i, item)
        taint_put(reader->arena, data, text_or_empty(member_text(item, "key")),
                  text_or_empty(member_text(item, "value")),
                  text_or_empty(member_text(item, "effect")));
    json_array_foreach (json_object_get(kubelet, "flags"), i, item)
        if (json_is_string(item))
            flags_read(json_string_value(item), reader->arena, data);
    json_decref(document.value);
    return true;
}

static void yaml_part_read(const char *text, size_t length, struct arena *arena,
                           struct user_data *data)
{
    struct node_config_context context = {arena, data};
    uint64_t bytes = 0;
    struct error error = {0};
    const struct yaml_source source = {
        .text = text,
        .length = length,
        .file = "user data",
        .bytes = &bytes,
        .receive = node_config_receive,
        .context = &context,
    };
    if (!yaml_read(&source, &error))
        data->cluster_name = NULL; // nodeadm refuses the whole of it
}

// Parts of a MIME archive are between lines of "--<boundary>"; a part's text follows an empty line.
static void node_config_read(const char *text, struct arena *arena, struct user_data *data)
{
    const char *boundary = flag_value(arena, text, "boundary");
    if (boundary == NULL || !text_starts_with(text, "MIME-Version")) {
        yaml_part_read(text, strlen(text), arena, data);
        return;
    }
    const char *line = arena_format(arena, "\n--%s", boundary);
    for (const char *part = strstr(text, line); part != NULL;) {
        const char *end = strstr(part + strlen(line), line);
        size_t length = end != NULL ? (size_t)(end - part) : strlen(part);
        const char *type =
            memmem(part, length, "application/node.eks.aws", strlen("application/node.eks.aws"));
        const char *empty = memmem(part, length, "\n\n", 2);
        const char *windows = memmem(part, length, "\r\n\r\n", 4);
        if (windows != NULL && (empty == NULL || windows < empty))
            empty = windows + 2;
        if (type != NULL && empty != NULL)
            yaml_part_read(empty, length - (size_t)(empty - part), arena, data);
        part = end;
    }
}

// --- TOML: tables of scalar keys, as Bottlerocket's settings are written -------------------------

static char *trimmed(struct arena *arena, const char *from, const char *end)
{
    while (from < end && isspace((unsigned char)*from))
        from++;
    while (end > from && isspace((unsigned char)end[-1]))
        end--;
    return arena_copy_bytes(arena, from, (size_t)(end - from));
}

// A key or a value without its quotes.
static char *unquoted(struct arena *arena, const char *from, const char *end)
{
    char *text = trimmed(arena, from, end);
    size_t length = strlen(text);
    if (length < 2 || (text[0] != '"' && text[0] != '\'') || text[length - 1] != text[0])
        return text;
    text[length - 1] = '\0';
    return text + 1;
}

// ['value:effect', ...] of one taint's key
static void toml_taints(struct arena *arena, struct user_data *data, const char *key,
                        const char *list)
{
    for (const char *at = strpbrk(list, "'\""); at != NULL;) {
        const char *end = strchr(at + 1, *at);
        if (end == NULL)
            return;
        char *value = arena_copy_bytes(arena, at + 1, (size_t)(end - at - 1));
        char *colon = strrchr(value, ':');
        if (colon != NULL) {
            *colon = '\0';
            taint_put(arena, data, key, value, colon + 1);
        }
        at = strpbrk(end + 1, "'\"");
    }
}

static void toml_pair(struct arena *arena, struct user_data *data, const char *table,
                      const char *key, const char *value)
{
    static const char *const tables[USER_DATA_MAP_COUNT] = {"settings.kubernetes.kube-reserved",
                                                            "settings.kubernetes.system-reserved",
                                                            "settings.kubernetes.eviction-hard"};
    for (enum user_data_map map = 0; map < USER_DATA_MAP_COUNT; map++)
        if (strcmp(table, tables[map]) == 0)
            pair_put(arena, &data->maps[map], RESERVED_MAX, key, value);
    if (strcmp(table, "settings.kubernetes.node-labels") == 0)
        pair_put(arena, &data->labels, LABELS_MAX, key, value);
    else if (strcmp(table, "settings.kubernetes.node-taints") == 0)
        toml_taints(arena, data, key, value);
    else if (strcmp(table, "settings.kubernetes") == 0) {
        if (strcmp(key, "cluster-name") == 0)
            data->cluster_name = value;
        else if (strcmp(key, "api-server") == 0)
            data->endpoint = value;
        else if (strcmp(key, "max-pods") == 0 && !text_parse_int64(value, &data->max_pods))
            data->max_pods = 0;
    }
}

static void toml_read(const char *text, struct arena *arena, struct user_data *data)
{
    const char *table = "";
    while (*text != '\0') {
        const char *end = text + strcspn(text, "\n");
        char *line = trimmed(arena, text, end);
        text = *end == '\n' ? end + 1 : end;
        if (line[0] == '[') {
            char *close = strchr(line, ']');
            table = trimmed(arena, line + 1, close != NULL ? close : line + strlen(line));
            continue;
        }
        // A quoted key may hold an equals sign of its own.
        char *from = line[0] == '"' || line[0] == '\'' ? strchr(line + 1, line[0]) : line;
        char *equals = from != NULL ? strchr(from, '=') : NULL;
        if (line[0] == '#' || equals == NULL)
            continue;
        toml_pair(arena, data, table, unquoted(arena, line, equals),
                  unquoted(arena, equals + 1, equals + strlen(equals)));
    }
}
