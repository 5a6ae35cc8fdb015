// Compares the instance types of adze with recorded ones (tests/conformance/aws/README.md, types/):
//   recorded_types ENVIRONMENT TYPES upstream|better EVERY [EXCEPTIONS]
// EVERY: 1 compares all files, N the baseline and each N-th of the others.
// EXCEPTIONS: [{"rule", "reason", "differs": expression for "file/type/part/key"}]; better only.
#include <assert.h>
#include <dirent.h>
#include <math.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <zlib.h>

#include "base/loop_virtual.h"
#include "base/map.h"
#include "base/quantity.h"
#include "base/text.h"
#include "base/vector.h"
#include "cloud/aws/client/aws_codec.h"
#include "cloud/aws/types/ec2_types.h"
#include "cloud/aws/types/kept_prices.h"
#include "model/reading/catalog.h"
#include "model/reading/settings_read.h"
#include "model/tables/kinds.h"

#define SHOWN_MAX 40

struct exception {
    const char *rule, *text;
    regex_t differs;
    uint32_t used;
};
struct account {
    struct loop *loop;
    json_t *environment, *prices, *types, *offerings; // the last two as EC2's replies
    bool upstream;
};
struct comparison {
    const char *file;
    uint32_t values, differences;
    VECTOR(struct exception) exceptions;
};

// --- reading -------------------------------------------------------------------------------------

static char *read_file(const char *folder, const char *name, size_t *length)
{
    char path[1000];
    snprintf(path, sizeof path, "%s%s%s", folder, folder[0] != '\0' ? "/" : "", name);
    gzFile file = gzopen(path, "rb"); // plain files as well
    if (file == NULL) {
        fprintf(stderr, "%s cannot be read\n", path);
        exit(2);
    }
    struct text text = {0};
    static char buffer[1 << 16];
    for (int count; (count = gzread(file, buffer, sizeof buffer)) > 0;)
        text_add_bytes(&text, buffer, (size_t)count);
    gzclose(file);
    *length = text.length;
    return text_take(&text);
}

static json_t *read_json(const char *folder, const char *name)
{
    size_t length;
    char *data = read_file(folder, name, &length);
    json_error_t problem;
    json_t *value = json_loadb(data, length, 0, &problem);
    free(data);
    if (value == NULL) {
        fprintf(stderr, "%s/%s, line %d: %s\n", folder, name, problem.line, problem.text);
        exit(2);
    }
    return value;
}

static json_t *read_reply(enum aws_action action, const char *folder, const char *name)
{
    size_t length;
    char *data = read_file(folder, name, &length), id[AWS_ID_BYTES];
    struct error error = {0};
    json_t *reply = aws_codec_decode_reply(action, data, length, id, &error);
    free(data);
    if (reply == NULL) {
        fprintf(stderr, "%s/%s: %s\n", folder, name, error.message);
        exit(2);
    }
    return reply;
}

static struct account account_read(const char *folder, bool upstream)
{
    return (struct account){
        .loop = loop_create_virtual(INT64_C(1785542400) * 1000000000),
        .environment = read_json(folder, "environment.json"),
        .prices = read_json(folder, "prices.json.gz"),
        .types = read_reply(EC2_DESCRIBE_INSTANCE_TYPES, folder, "instance-types.xml.gz"),
        .offerings = read_reply(EC2_DESCRIBE_INSTANCE_TYPE_OFFERINGS, folder, "offerings.xml.gz"),
        .upstream = upstream,
    };
}

// --- the account ---------------------------------------------------------------------------------

struct world { // the stores beside the types
    struct settings settings;
    struct ec2_prices *prices;
    struct unavailable_offerings *unavailable;
    struct reservation_counts *reservations;
    struct placement_groups *groups;
};

static void options_read(struct world *world, const json_t *options)
{
    const char *name;
    json_t *value;
    json_object_foreach ((json_t *)options, name, value) {
        if (strcmp(name, "nodeClassCEL") == 0)
            world->settings.aws_feature_gates =
                json_is_true(value) ? "NodeClassCEL=true" : "NodeClassCEL=false";
        else if (strcmp(name, "reservedCapacity") == 0)
            world->settings.gate_reserved_capacity = json_is_true(value);
        else if (strcmp(name, "reservedENIs") == 0)
            world->settings.reserved_enis = json_integer_value(value);
        else if (strcmp(name, "vmMemoryOverheadPercent") == 0)
            world->settings.vm_memory_overhead_percent = json_number_value(value);
        else
            fprintf(stderr, "unknown option %s\n", name);
    }
}

static void groups_read(struct placement_groups *groups, const json_t *environment)
{
    size_t index;
    json_t *item;
    json_array_foreach (json_object_get(environment, "placementGroups"), index, item) {
        const char *state = json_string_value(json_object_get(item, "state"));
        struct placement_group group = {
            .id = json_string_value(json_object_get(item, "id")),
            .name = json_string_value(json_object_get(item, "name")),
            .strategy = json_string_value(json_object_get(item, "strategy")),
            .spread_level = json_string_value(json_object_get(item, "spreadLevel")),
            .partitions = json_integer_value(json_object_get(item, "partitions")),
        };
        char key[300];
        bool gone = state != NULL && strcmp(state, "available") != 0;
        snprintf(key, sizeof key, "id/%s", group.id);
        placement_groups_resolved(groups, key, gone ? NULL : &group);
        snprintf(key, sizeof key, "name/%s", group.name);
        placement_groups_resolved(groups, key, gone ? NULL : &group);
    }
}

static void world_create(struct world *world, const struct account *account, const json_t *options)
{
    *world = (struct world){0};
    settings_defaults(&world->settings);
    world->settings.compatibility_upstream = account->upstream;
    options_read(world, options);
    const char *region = json_string_value(json_object_get(account->environment, "region"));
    world->prices =
        ec2_prices_create(&(struct ec2_prices_options){.loop = account->loop, .region = region});
    kept_prices_decode(world->prices, account->prices);
    world->unavailable =
        unavailable_offerings_create(&(struct unavailable_options){.loop = account->loop});
    world->reservations = reservation_counts_create(account->loop);
    world->groups = placement_groups_create();
    groups_read(world->groups, account->environment);
    size_t index;
    json_t *item;
    json_array_foreach (json_object_get(account->environment, "capacityReservations"), index, item)
        reservation_counts_fetched(
            world->reservations, json_string_value(json_object_get(item, "id")),
            json_integer_value(json_object_get(item, "free")), loop_now_ns(account->loop));
}

static void world_destroy(struct world *world)
{
    ec2_prices_destroy(world->prices);
    unavailable_offerings_destroy(world->unavailable);
    reservation_counts_destroy(world->reservations);
    placement_groups_destroy(world->groups);
    settings_free(&world->settings);
}

// --- adze's catalogue in the recorded form -------------------------------------------------------

static int compare_values(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static json_t *requirements_json(const requirement_list *requirements)
{
    json_t *object = json_object();
    list_for_each (requirement, requirements) {
        const char *values[256];
        uint32_t count = requirement->values.count < 256 ? requirement->values.count : 256;
        for (uint32_t i = 0; i < count; i++)
            values[i] = requirement->values.items[i];
        qsort(values, count, sizeof *values, compare_values);
        json_t *list = json_array();
        for (uint32_t i = 0; i < count; i++)
            json_array_append_new(list, json_string(values[i]));
        json_object_set_new(
            object, requirement->key,
            strcmp(requirement->operator, "In") == 0
                ? list
                : json_pack("{s:s, s:o}", "operator", requirement->operator, "values", list));
    }
    return object;
}

static json_t *quantities_json(const struct resource_map *map)
{
    json_t *object = json_object();
    for (uint32_t i = 0; i < map->count; i++)
        json_object_set_new(object, map->items[i].name, json_integer(map->items[i].value));
    return object;
}

static json_t *offerings_json(const struct instance_type *type)
{
    json_t *object = json_object();
    list_for_each (offering, &type->offerings) {
        const requirement_list *list = &offering->requirements;
        const char *reservation =
            requirement_single_value(list, "karpenter.k8s.aws/capacity-reservation-id");
        const char *partition =
            requirement_single_value(list, "karpenter.k8s.aws/placement-group-partition");
        struct text key = {0};
        text_format(&key, "%s/%s", requirement_single_value(list, LABEL_CAPACITY_TYPE),
                    requirement_single_value(list, LABEL_ZONE));
        if (reservation != NULL)
            text_format(&key, "/%s", reservation);
        if (partition != NULL)
            text_format(&key, "/partition-[%s]", partition);
        json_t *value =
            json_pack("{s:b, s:I, s:o}", "available", (int)offering->available, "price",
                      (json_int_t)offering->price, "requirements", requirements_json(list));
        if (offering->reservation_capacity.present)
            json_object_set_new(value, "reservationCapacity",
                                json_integer(offering->reservation_capacity.value));
        json_object_set_new(object, key.data, value);
        text_free(&key);
    }
    return object;
}

static json_t *type_json(const struct instance_type *type)
{
    CLEANUP_ARENA struct arena *arena = arena_create(1024);
    struct resource_map allocatable = instance_type_allocatable(arena, type, NULL);
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "requirements",
                     requirements_json(&type->requirements), "capacity",
                     quantities_json(&type->capacity), "kubeReserved",
                     quantities_json(&type->overhead.kube_reserved), "systemReserved",
                     quantities_json(&type->overhead.system_reserved), "evictionThreshold",
                     quantities_json(&type->overhead.eviction_threshold), "allocatable",
                     quantities_json(&allocatable), "offerings", offerings_json(type));
}

// --- comparing -----------------------------------------------------------------------------------

static void differ(struct comparison *comparison, const char *path, const json_t *wanted,
                   const json_t *found)
{
    vector_for_each (exception, &comparison->exceptions)
        if (regexec(&exception->differs, path, 0, NULL, 0) == 0) {
            exception->used++;
            return;
        }
    if (comparison->differences++ >= SHOWN_MAX)
        return;
    char *left = wanted != NULL ? json_dumps(wanted, JSON_ENCODE_ANY | JSON_COMPACT) : NULL;
    char *right = found != NULL ? json_dumps(found, JSON_ENCODE_ANY | JSON_COMPACT) : NULL;
    printf("%s: recorded %.300s, adze %.300s\n", path, left != NULL ? left : "(none)",
           right != NULL ? right : "(none)");
    free(left);
    free(right);
}

static bool offerings_equal(const json_t *wanted, const json_t *found)
{
    double price = json_number_value(json_object_get(wanted, "price")) * 1e9;
    double own = json_number_value(json_object_get(found, "price"));
    // Nano-dollars; reserved offerings keep their rank (AWI-918).
    return fabs(price - own) <= 1.5 &&
           json_is_true(json_object_get(wanted, "available")) ==
               json_is_true(json_object_get(found, "available")) &&
           json_equal(json_object_get(wanted, "requirements"),
                      json_object_get(found, "requirements")) &&
           json_integer_value(json_object_get(wanted, "reservationCapacity")) ==
               json_integer_value(json_object_get(found, "reservationCapacity"));
}

static bool values_equal(const char *part, const char *key, const json_t *wanted,
                         const json_t *found)
{
    if (wanted == NULL || found == NULL)
        return wanted == found;
    if (strcmp(part, "requirements") == 0)
        return json_equal(wanted, found);
    if (strcmp(part, "offerings") == 0)
        return offerings_equal(wanted, found);
    int64_t value;
    return quantity_parse(key, json_string_value(wanted), &value, NULL) &&
           value == json_integer_value(found);
}

// `changes` over `base`: null removes a key.
static json_t *overlaid(const json_t *base, const json_t *changes)
{
    json_t *all = base != NULL ? json_copy((json_t *)base) : json_object(), *value;
    const char *key;
    json_object_foreach ((json_t *)changes, key, value)
        if (json_is_null(value))
            json_object_del(all, key);
        else
            json_object_set(all, key, value);
    return all;
}

static void part_compare(struct comparison *comparison, const char *type, const char *part,
                         const json_t *wanted, const json_t *found)
{
    const char *key;
    json_t *value;
    char path[1000];
    json_object_foreach ((json_t *)wanted, key, value) {
        const json_t *own = json_object_get(found, key);
        comparison->values++;
        if (values_equal(part, key, value, own))
            continue;
        snprintf(path, sizeof path, "%s/%s/%s/%s", comparison->file, type, part, key);
        differ(comparison, path, value, own);
    }
    json_object_foreach ((json_t *)found, key, value)
        if (json_object_get(wanted, key) == NULL) {
            snprintf(path, sizeof path, "%s/%s/%s/%s", comparison->file, type, part, key);
            differ(comparison, path, NULL, value);
        }
}

static void type_compare(struct comparison *comparison, const char *name, const json_t *base,
                         const json_t *changes, const struct instance_type *type)
{
    static const char *const parts[] = {"requirements",     "capacity",    "kubeReserved",
                                        "systemReserved",   "allocatable", "offerings",
                                        "evictionThreshold"};
    json_t *found = type_json(type);
    for (size_t i = 0; i < ARRAY_LENGTH(parts); i++) {
        json_t *wanted =
            overlaid(json_object_get(base, parts[i]), json_object_get(changes, parts[i]));
        part_compare(comparison, name, parts[i], wanted, json_object_get(found, parts[i]));
        json_decref(wanted);
    }
    json_decref(found);
}

static void catalogue_compare(struct comparison *comparison, const json_t *baseline,
                              const json_t *recorded, const struct instance_type_catalog *catalogue)
{
    const char *name;
    json_t *base;
    bool is_baseline = baseline == recorded;
    char path[300];
    json_object_foreach (json_object_get(baseline, "types"), name, base) {
        const struct instance_type *type = instance_type_catalog_find(catalogue, name);
        const json_t *changes =
            is_baseline ? NULL : json_object_get(json_object_get(recorded, "types"), name);
        snprintf(path, sizeof path, "%s/%s", comparison->file, name);
        if (type == NULL)
            differ(comparison, path, base, NULL);
        else
            type_compare(comparison, name, base, changes, type);
    }
    if (json_object_size(json_object_get(baseline, "types")) !=
        catalogue->spec.instance_types.count) {
        snprintf(path, sizeof path, "%s/count", comparison->file);
        differ(comparison, path, NULL, NULL);
    }
}

static double cpu_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static void file_compare(struct comparison *comparison, const struct account *account,
                         const json_t *baseline, const json_t *recorded)
{
    struct world world;
    struct error error = {0};
    world_create(&world, account, json_object_get(recorded, "options"));
    struct ec2_types *types = ec2_types_create(&(struct ec2_types_options){
        .loop = account->loop,
        .settings = &world.settings,
        .region = json_string_value(json_object_get(account->environment, "region")),
        .prices = world.prices,
        .unavailable = world.unavailable,
        .reservations = world.reservations,
        .groups = world.groups,
    });
    ec2_types_use_replies(types, account->types, account->offerings);
    struct object *node_class =
        document_decode(json_object_get(recorded, "nodeClass"), DECODE_LENIENT, &error);
    const struct instance_type_catalog *catalogue = NULL;
    double begin = cpu_ms();
    if (node_class != NULL)
        catalogue = ec2_types_for(types, (const struct ec2_node_class *)node_class, &error);
    double end = cpu_ms();
    if (catalogue == NULL) {
        printf("%s: %s\n", comparison->file, error.message);
        comparison->differences++;
    } else {
        catalogue_compare(comparison, baseline, recorded, catalogue);
        if (baseline == recorded)
            printf("%u types, %u bytes, resolved in %.1f ms\n",
                   catalogue->spec.instance_types.count, catalogue->bytes, end - begin);
    }
    object_release((const struct object *)catalogue);
    object_release(node_class);
    ec2_types_destroy(types);
    world_destroy(&world);
}

static void exceptions_read(struct comparison *comparison, json_t *list)
{
    size_t index;
    json_t *item;
    json_array_foreach (list, index, item) {
        struct exception exception = {.rule = json_string_value(json_object_get(item, "rule")),
                                      .text = json_string_value(json_object_get(item, "differs"))};
        if (exception.rule == NULL || exception.text == NULL ||
            regcomp(&exception.differs, exception.text, REG_EXTENDED | REG_NOSUB) != 0) {
            fprintf(stderr, "exception %zu is malformed\n", index);
            exit(2);
        }
        vector_push(&comparison->exceptions, exception);
    }
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

int main(int count, char **arguments)
{
    if (count < 5 || atoi(arguments[4]) < 1) {
        fprintf(stderr, "usage: recorded_types ENVIRONMENT TYPES upstream|better EVERY "
                        "[EXCEPTIONS]\n");
        return 2;
    }
    struct account account = account_read(arguments[1], strcmp(arguments[3], "upstream") == 0);
    struct comparison comparison = {0};
    json_t *exceptions = count > 5 ? read_json("", arguments[5]) : NULL;
    int every = atoi(arguments[4]);
    exceptions_read(&comparison, exceptions);
    json_t *baseline = read_json(arguments[2], "baseline.json.gz");
    struct dirent **files;
    int files_count = scandir(arguments[2], &files, NULL, by_name);
    uint32_t compared = 0;
    for (int i = 0; i < files_count; i++) {
        comparison.file = files[i]->d_name;
        bool is_baseline = strcmp(files[i]->d_name, "baseline.json.gz") == 0;
        if (text_ends_with(files[i]->d_name, ".json.gz") && (is_baseline || i % every == 0)) {
            json_t *recorded =
                is_baseline ? json_incref(baseline) : read_json(arguments[2], files[i]->d_name);
            file_compare(&comparison, &account, baseline, recorded);
            json_decref(recorded);
            compared++;
        }
        free(files[i]);
    }
    free(files);
    vector_for_each (exception, &comparison.exceptions) {
        printf("%s: %u differences as excepted\n", exception->rule, exception->used);
        regfree(&exception->differs);
    }
    vector_free(&comparison.exceptions);
    printf("%u files, %u values, %u differences\n", compared, comparison.values,
           comparison.differences);
    json_decref(exceptions);
    json_decref(baseline);
    json_decref(account.environment);
    json_decref(account.prices);
    json_decref(account.types);
    json_decref(account.offerings);
    loop_destroy(account.loop);
    return comparison.differences == 0 && compared > 0 && comparison.values > 0 ? 0 : 1;
}
