#include "cloud/kwok/kwok_catalog.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/input_file.h"
#include "base/pattern.h"
#include "base/quantity.h"
#include "base/text.h"
#include "base/vector.h"
#include "model/manifest/input.h"
#include "model/reading/catalog.h"
#include "model/schema/decode.h"
#include "model/tables/kinds.h"

static const char *const generic_zones[] = {"test-zone-a", "test-zone-b", "test-zone-c",
                                            "test-zone-d"};

// --- building one InstanceTypeCatalog document ---------------------------------------------------

static json_t *requirement(const char *key, json_t *values /* stolen */)
{
    assert(json_is_array(values));
    return json_pack("{s:s, s:s, s:o}", "key", key, "operator", "In", "values", values);
}

static json_t *one(const char *value)
{
    return json_pack("[s]", value);
}

// KWK-6: size and family from the type's name.
static void name_labels(const char *name, const char *cpu, char size[64], char family[64])
{
    static const char aws[] =
        "^[a-z][a-z0-9-]*\\.(nano|micro|small|medium|large|[0-9]*xlarge|metal)$";
    size_t stem = strcspn(name, ".-");
    snprintf(size, 64, "%s", pattern_matches(aws, name) ? strchr(name, '.') + 1 : cpu);
    if (name[stem] == '\0')
        stem = 1;
    snprintf(family, 64, "%.*s", (int)stem, name);
}

static void collect(json_t *values, const json_t *offering_requirements, const char *key)
{
    size_t index, at;
    json_t *entry, *value, *known;
    json_array_foreach (offering_requirements, index, entry) {
        if (!text_equal(json_string_value(json_object_get(entry, "key")), key))
            continue;
        json_t *list = json_object_get(entry, "values");
        for (size_t i = 0; i < json_array_size(list); i++) {
            bool present = false;
            value = json_array_get(list, i);
            json_array_foreach (values, at, known)
                present = present || json_equal(known, value);
            if (!present)
                json_array_append(values, value);
        }
    }
}

static json_t *values_of_offerings(const json_t *offerings, const char *key)
{
    json_t *values = json_array(), *offering;
    size_t index;
    json_array_foreach (offerings, index, offering)
        collect(values, json_object_get(offering, "requirements"), key);
    return values;
}

// One type. Architecture, os and capacity are given; the rest is derived (KWK-2, KWK-6).
static json_t *instance_type(const char *name, const char *arch, json_t *systems /* stolen */,
                             json_t *capacity /* stolen */, json_t *offerings /* stolen */)
{
    assert(name[0] != '\0');
    assert(json_array_size(offerings) > 0);
    char size[64], family[64];
    const char *cpu = json_string_value(json_object_get(capacity, "cpu"));
    const char *memory = json_string_value(json_object_get(capacity, "memory"));
    name_labels(name, cpu != NULL ? cpu : "0", size, family);
    json_t *requirements = json_array();
    json_array_append_new(requirements, requirement(LABEL_INSTANCE_TYPE, one(name)));
    json_array_append_new(requirements, requirement(LABEL_ARCH, one(arch)));
    json_array_append_new(requirements, requirement(LABEL_OS, systems));
    json_array_append_new(requirements,
                          requirement(LABEL_ZONE, values_of_offerings(offerings, LABEL_ZONE)));
    json_array_append_new(
        requirements,
        requirement(LABEL_CAPACITY_TYPE, values_of_offerings(offerings, LABEL_CAPACITY_TYPE)));
    json_array_append_new(requirements, requirement(KWOK_LABEL_SIZE, one(size)));
    json_array_append_new(requirements, requirement(KWOK_LABEL_FAMILY, one(family)));
    json_array_append_new(requirements, requirement(KWOK_LABEL_CPU, one(cpu != NULL ? cpu : "0")));
    json_array_append_new(requirements,
                          requirement(KWOK_LABEL_MEMORY, one(memory != NULL ? memory : "0")));
    return json_pack("{s:s, s:o, s:o, s:{s:{s:s, s:s}}, s:o}", "name", name, "requirements",
                     requirements, "capacity", capacity, "overhead", "kubeReserved", "cpu", "100m",
                     "memory", "10Mi", "offerings", offerings);
}

static const struct instance_type_catalog *decode(json_t *types /* stolen */, struct error *error)
{
    assert(json_is_array(types));
    json_t *document = json_pack("{s:s, s:s, s:{s:s}, s:{s:o}}", "apiVersion", "adze/v1", "kind",
                                 "InstanceTypeCatalog", "metadata", "name", "kwok", "spec",
                                 "instanceTypes", types);
    struct object *object =
        object_decode(document, kind_get(KIND_INSTANCE_TYPE_CATALOG), DECODE_STRICT, error);
    json_decref(document);
    if (object != NULL &&
        !instance_type_catalog_check((struct instance_type_catalog *)object, error)) {
        object_release(object);
        return NULL;
    }
    return (const struct instance_type_catalog *)object;
}

// --- the generic catalog -----------------------------------------------------------------------

static json_t *offering(double price, const char *zone, const char *capacity_type)
{
    return json_pack("{s:[o, o], s:f, s:b}", "requirements",
                     requirement(LABEL_CAPACITY_TYPE, one(capacity_type)),
                     requirement(LABEL_ZONE, one(zone)), "price", price, "available", 1);
}

static json_t *generic_type(int cpu, int factor, const char *system, const char *arch)
{
    char name[64], cpu_text[16], memory[16], pods[16];
    double bytes = (double)cpu * factor * 1073741824.0;
    double price = 0.025 * cpu + 0.001 * bytes / 1e9; // KWK-3
    snprintf(name, sizeof name, "%c-%dx-%s-%s",
             factor == 2   ? 'c'
             : factor == 4 ? 's'
                           : 'm',
             cpu, arch, system);
    snprintf(cpu_text, sizeof cpu_text, "%d", cpu);
    snprintf(memory, sizeof memory, "%dGi", cpu * factor);
    snprintf(pods, sizeof pods, "%d", cpu * 16 < 1024 ? cpu * 16 : 1024);
    json_t *offerings = json_array();
    for (size_t zone = 0; zone < ARRAY_LENGTH(generic_zones); zone++) {
        json_array_append_new(offerings,
                              offering(price * 0.7, generic_zones[zone], CAPACITY_TYPE_SPOT));
        json_array_append_new(offerings,
                              offering(price, generic_zones[zone], CAPACITY_TYPE_ON_DEMAND));
    }
    json_t *capacity = json_pack("{s:s, s:s, s:s, s:s}", "cpu", cpu_text, "memory", memory, "pods",
                                 pods, "ephemeral-storage", "20Gi");
    return instance_type(name, arch, one(system), capacity, offerings);
}

const struct instance_type_catalog *kwok_catalog_generic(void)
{
    static const int cpus[] = {1, 2, 4, 8, 16, 32, 48, 64, 96, 128, 192, 256};
    static const int factors[] = {2, 4, 8};
    static const char *const systems[] = {"linux", "windows"}, *const arches[] = {"amd64", "arm64"};
    json_t *types = json_array();
    for (size_t c = 0; c < ARRAY_LENGTH(cpus); c++)
        for (size_t f = 0; f < ARRAY_LENGTH(factors); f++)
            for (size_t s = 0; s < 2; s++)
                for (size_t a = 0; a < 2; a++)
                    json_array_append_new(types,
                                          generic_type(cpus[c], factors[f], systems[s], arches[a]));
    struct error error = {0};
    const struct instance_type_catalog *catalog = decode(types, &error);
    if (catalog == NULL)
        abort(); // the catalog is a constant; a test decodes it
    return catalog;
}

// --- upstream's file -----------------------------------------------------------------------------

// Looks up a member of an object by name, ignoring case as upstream's reader does.
static json_t *member(const json_t *object, const char *name)
{
    const char *key;
    json_t *value;
    json_object_foreach ((json_t *)object, key, value)
        if (strcasecmp(key, name) == 0)
            return value;
    return NULL;
}

static json_t *text_values(const json_t *list)
{
    json_t *values = json_array(), *value;
    size_t index;
    json_array_foreach (list, index, value)
        if (json_is_string(value))
            json_array_append(values, value);
    return values;
}

static json_t *offering_requirements(const json_t *entry)
{
    json_t *requirements = json_array(), *given, *item;
    size_t index;
    given = member(entry, "requirements");
    json_array_foreach (given, index, item) {
        const char *key = json_string_value(member(item, "key"));
        const char *operator= json_string_value(member(item, "operator"));
        if (key != NULL)
            json_array_append_new(requirements,
                                  json_pack("{s:s, s:s, s:o}", "key", key, "operator",
                                            operator!= NULL ? operator: "In", "values",
                                            text_values(member(item, "values"))));
    }
    static const char *const short_forms[][2] = {{"capacityType", LABEL_CAPACITY_TYPE},
                                                 {"zone", LABEL_ZONE}};
    for (size_t i = 0; i < ARRAY_LENGTH(short_forms); i++) {
        const char *value = json_string_value(member(entry, short_forms[i][0]));
        if (value != NULL)
            json_array_append_new(requirements, requirement(short_forms[i][1], one(value)));
    }
    return requirements;
}

static json_t *offering_of_entry(const json_t *entry, size_t type, size_t index,
                                 struct error *error)
{
    json_t *price = member(entry, "price"), *reserved = member(entry, "reservationCapacity");
    if (!json_is_number(price) || json_number_value(price) < 0) {
        error_set(error, ERROR_INVALID, "[%zu].offerings[%zu].price: not a price", type, index);
        return NULL;
    }
    json_t *requirements = offering_requirements(entry);
    if (json_array_size(requirements) == 0) {
        json_decref(requirements);
        error_set(error, ERROR_INVALID,
                  "[%zu].offerings[%zu]: no requirements (zone and capacity type are needed)", type,
                  index);
        return NULL;
    }
    json_t *made = json_pack("{s:o, s:O, s:b}", "requirements", requirements, "price", price,
                             "available", 1); // KWK-5
    if (json_is_integer(reserved))
        json_object_set(made, "reservationCapacity", reserved);
    return made;
}

static json_t *offerings_of_entry(const json_t *entry, size_t type, struct error *error)
{
    json_t *given = member(entry, "offerings"), *offerings = json_array(), *item;
    size_t index;
    json_array_foreach (given, index, item) {
        json_t *made = offering_of_entry(item, type, index, error);
        if (made == NULL) {
            json_decref(offerings);
            return NULL;
        }
        json_array_append_new(offerings, made);
    }
    if (json_array_size(offerings) == 0) {
        json_decref(offerings);
        error_set(error, ERROR_INVALID, "[%zu].offerings: a type needs at least one", type);
        return NULL;
    }
    return offerings;
}

static json_t *capacity_of_entry(const json_t *entry, size_t type, struct error *error)
{
    json_t *capacity = json_object(), *resources = member(entry, "resources"), *value;
    const char *name;
    json_object_foreach (resources, name, value) {
        int64_t parsed;
        char text[QUANTITY_TEXT_MAX];
        if (json_is_integer(value))
            snprintf(text, sizeof text, "%lld", (long long)json_integer_value(value));
        else
            snprintf(text, sizeof text, "%s",
                     json_is_string(value) ? json_string_value(value) : "");
        if (!quantity_parse(name, text, &parsed, error)) {
            error_prefix(error, "[%zu].resources.%s", type, name);
            json_decref(capacity);
            return NULL;
        }
        json_object_set_new(capacity, name, json_string(text));
    }
    if (json_object_get(capacity, "cpu") == NULL || json_object_get(capacity, "memory") == NULL) {
        json_decref(capacity);
        error_set(error, ERROR_INVALID, "[%zu].resources: cpu and memory are needed", type);
        return NULL;
    }
    if (json_object_get(capacity, "pods") == NULL)
        json_object_set_new(capacity, "pods", json_string("110")); // KWK-5
    return capacity;
}

static json_t *type_of_entry(const json_t *entry, size_t index, struct error *error)
{
    const char *name = json_string_value(member(entry, "name"));
    const char *arch = json_string_value(member(entry, "architecture"));
    if (name == NULL || *name == '\0' || arch == NULL) {
        error_set(error, ERROR_INVALID, "[%zu].%s: missing", index,
                  name == NULL || *name == '\0' ? "name" : "architecture");
        return NULL;
    }
    json_t *capacity = capacity_of_entry(entry, index, error);
    json_t *offerings = capacity != NULL ? offerings_of_entry(entry, index, error) : NULL;
    if (offerings == NULL) {
        json_decref(capacity);
        return NULL;
    }
    json_t *systems = text_values(member(entry, "operatingSystems"));
    if (json_array_size(systems) == 0)
        json_array_append_new(systems, json_string("linux"));
    return instance_type(name, arch, systems, capacity, offerings);
}

static const struct instance_type_catalog *read_upstream_list(const json_t *list,
                                                              struct error *error)
{
    json_t *types = json_array(), *entry;
    size_t index;
    json_array_foreach (list, index, entry) {
        json_t *type = type_of_entry(entry, index, error);
        if (type == NULL) {
            json_decref(types);
            return NULL;
        }
        json_array_append_new(types, type);
    }
    return decode(types, error);
}

static const struct instance_type_catalog *read_documents(const char *path, struct error *error)
{
    struct documents documents = {0};
    const struct instance_type_catalog *catalog = NULL;
    if (!documents_read(&documents, path, false, error)) {
        documents_free(&documents);
        return NULL;
    }
    for (uint32_t i = 0; i < documents.count && catalog == NULL; i++) {
        const char *kind = json_string_value(json_object_get(documents.items[i].value, "kind"));
        if (!text_equal(kind, "InstanceTypeCatalog"))
            continue;
        struct object *object = document_decode(documents.items[i].value, DECODE_STRICT, error);
        catalog = (const struct instance_type_catalog *)object;
        if (object == NULL || !instance_type_catalog_check(catalog, error)) {
            object_release(object);
            documents_free(&documents);
            return NULL;
        }
    }
    documents_free(&documents);
    if (catalog == NULL)
        error_set(error, ERROR_INVALID,
                  "neither a JSON list of instance types nor an InstanceTypeCatalog");
    return catalog;
}

const struct instance_type_catalog *kwok_catalog_read(const char *path, struct error *error)
{
    assert(path != NULL);
    assert(error != NULL);
    struct stat status;
    FILE *file = strcmp(path, "-") != 0 && (stat(path, &status) != 0 || !S_ISDIR(status.st_mode))
                     ? input_file_open(path, error)
                     : NULL;
    json_t *list =
        file != NULL ? json_loadf(file, 0, NULL) : NULL; // otherwise documents, or a folder of them
    if (file != NULL)
        fclose(file);
    const struct instance_type_catalog *catalog =
        json_is_array(list) ? read_upstream_list(list, error) : read_documents(path, error);
    json_decref(list);
    assert(catalog != NULL || error->kind != ERROR_NONE);
    if (catalog == NULL && !text_starts_with(error->message, path))
        error_prefix(error, "%s", path);
    if (catalog == NULL)
        error_prefix(error, "instance types");
    return catalog;
}

const char *const *kwok_catalog_well_known(struct arena *arena,
                                           const struct instance_type_catalog *catalog)
{
    VECTOR(const char *) keys = {0};
    vector_push(&keys, KWOK_LABEL_SIZE);
    vector_push(&keys, KWOK_LABEL_FAMILY);
    vector_push(&keys, KWOK_LABEL_CPU);
    vector_push(&keys, KWOK_LABEL_MEMORY);
    list_for_each (type, &catalog->spec.instance_types) {
        list_for_each (offering, &type->offerings) {
            list_for_each (requirement, &offering->requirements) {
                bool known = false;
                vector_for_each (key, &keys)
                    known = known || text_equal(*key, requirement->key);
                if (!known)
                    vector_push(&keys, requirement->key);
            }
        }
    }
    const char **list = arena_allocate_array(arena, keys.count + 1, sizeof *list);
    for (uint32_t i = 0; i < keys.count; i++)
        list[i] = arena_copy_string(arena, keys.items[i]);
    vector_free(&keys);
    return list;
}
