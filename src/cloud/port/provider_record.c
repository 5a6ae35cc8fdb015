#include "cloud/port/provider_record.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/duration.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/text.h"
#include "cloud/port/record_settings.h"
#include "kube/path.h"
#include "model/reading/catalog.h"
#include "model/schema/decode.h"
#include "model/schema/encode.h"
#include "model/tables/kinds.h"

// An API server accepts 1 MiB of data; the rest of the record is small.
#define CATALOG_BYTES_MAX 1000000
#define RETRY_NS          (30 * SECOND)

static const struct {
    enum instance_type_source source;
    const char *name;
} sources[] = {
    {TYPES_BUILT_IN, "built-in"},
    {TYPES_PUBLISHED, "published"},
    {TYPES_TOO_LARGE, "too-large"},
};

void provider_record_free(struct provider_record *record)
{
    free(record->provider);
    free(record->node_classes);
    free(record->namespace);
    free(record->settings);
    free(record->learned);
    object_release((const struct object *)record->catalog);
    *record = (struct provider_record){0};
}

void provider_record_add_class(struct text *node_classes, enum kind_id node_class)
{
    assert(node_class < KIND_COUNT);
    const struct kind *kind = kind_get(node_class);
    text_join(node_classes, " ", kind->name);
    text_format(node_classes, ".%s", kind->group);
}

bool provider_record_serves(const struct provider_record *record, const char *group,
                            const char *kind)
{
    if (group == NULL || kind == NULL || record->node_classes == NULL)
        return false;
    char wanted[300];
    int length = snprintf(wanted, sizeof wanted, "%s.%s", kind, group);
    if (length < 0 || (size_t)length >= sizeof wanted)
        return false;
    const char *at = record->node_classes;
    while (*at != '\0') {
        size_t word = strcspn(at, " ");
        if (word == (size_t)length && strncmp(at, wanted, word) == 0)
            return true;
        at += word;
        at += strspn(at, " ");
    }
    return false;
}

// --- reading -------------------------------------------------------------------------------------
static bool decode_catalog(const char *text, struct provider_record *record, struct error *error)
{
    json_error_t where;
    json_t *json = text != NULL ? json_loads(text, 0, &where) : NULL;
    if (json == NULL)
        return error_set(error, ERROR_INVALID, "data.catalog is no JSON");
    struct object *object =
        object_decode(json, kind_get(KIND_INSTANCE_TYPE_CATALOG), DECODE_LENIENT, error);
    json_decref(json);
    if (object == NULL)
        return error_prefix(error, "data.catalog");
    record->catalog = (const struct instance_type_catalog *)object;
    return instance_type_catalog_check(record->catalog, error) ||
           error_prefix(error, "data.catalog");
}

static bool decode_data(const json_t *data, struct provider_record *record, struct error *error)
{
    const char *name = json_string_value(json_object_get(data, "instanceTypes"));
    size_t source = 0;
    while (source < ARRAY_LENGTH(sources) && !text_equal(sources[source].name, name))
        source++;
    if (source == ARRAY_LENGTH(sources))
        return error_set(error, ERROR_INVALID, "data.instanceTypes: \"%s\" is not known",
                         name != NULL ? name : "");
    record->source = sources[source].source;
    return record->source != TYPES_PUBLISHED ||
           decode_catalog(json_string_value(json_object_get(data, "catalog")), record, error);
}

bool provider_record_decode(const json_t *config_map, struct provider_record *record,
                            struct error *error)
{
    const json_t *metadata = json_object_get(config_map, "metadata");
    const json_t *data = json_object_get(config_map, "data");
    const char *provider = json_string_value(
        json_object_get(json_object_get(metadata, "labels"), PROVIDER_RECORD_LABEL));
    const char *namespace = json_string_value(json_object_get(metadata, "namespace"));
    const char *created = json_string_value(json_object_get(metadata, "creationTimestamp"));
    const char *classes = json_string_value(json_object_get(data, "nodeClasses"));
    *record = (struct provider_record){0};
    if (namespace == NULL || created == NULL || !instant_parse(created, &record->created, NULL))
        return error_set(error, ERROR_INVALID, "it is not an API server's");
    if (provider == NULL || classes == NULL)
        return error_set(error, ERROR_INVALID, "it names no provider or no node classes");
    record->provider = memory_copy_string(provider);
    record->node_classes = memory_copy_string(classes);
    record->namespace = memory_copy_string(namespace);
    record->settings = memory_copy_string(json_string_value(json_object_get(data, "settings")));
    record->learned = memory_copy_string(json_string_value(json_object_get(data, "learned")));
    if (decode_data(data, record, error)) {
        assert((record->source == TYPES_PUBLISHED) == (record->catalog != NULL));
        return true;
    }
    provider_record_free(record);
    return false;
}

// --- publishing ----------------------------------------------------------------------------------
struct provider_publisher {
    struct kube_client *client;
    char *namespace;
    json_t *record; // the ConfigMap
    struct timer *retry;
    void (*restored)(void *context, const char *learned); // NULL: told, or nothing is learned
    void *context;
    bool is_writing, writes_again, is_forbidden;
};

static void publish(void *context);
static void merged(void *context, const struct kube_result *result);
static void created(void *context, const struct kube_result *result);
static void end_write(struct provider_publisher *publisher, const struct error *error);

static json_t *served_classes(const struct cloud_provider *provider)
{
    struct text text = {0};
    for (const enum kind_id *id = provider->serves; *id != KIND_COUNT; id++)
        provider_record_add_class(&text, *id);
    json_t *value = json_string(text.data != NULL ? text.data : "");
    text_free(&text);
    return value;
}

static json_t *build_data(struct cloud *cloud, const struct settings *settings)
{
    const struct instance_type_catalog *own =
        cloud->operations->own_catalog != NULL ? cloud->operations->own_catalog(cloud) : NULL;
    enum instance_type_source source = TYPES_BUILT_IN;
    // A merge patch: null removes the value of an earlier controller.
    json_t *catalog = json_null();
    if (own != NULL) {
        json_t *json = object_encode((const struct object *)own);
        CLEANUP_FREE char *text = json_dumps(json, JSON_COMPACT | JSON_SORT_KEYS);
        json_decref(json);
        source = strlen(text) <= CATALOG_BYTES_MAX ? TYPES_PUBLISHED : TYPES_TOO_LARGE;
        if (source == TYPES_PUBLISHED)
            catalog = json_string(text);
    }
    assert(source != TYPES_PUBLISHED || json_is_string(catalog));
    assert(sources[source].source == source);
    CLEANUP_FREE char *own_settings = record_settings_encode(settings);
    return json_pack("{s:o, s:s, s:o, s:s}", "nodeClasses", served_classes(cloud->provider),
                     "instanceTypes", sources[source].name, "catalog", catalog, "settings",
                     own_settings);
}

struct provider_publisher *provider_publisher_create(
    const struct provider_publisher_options *options)
{
    assert(options->namespace != NULL);
    assert(options->cloud->provider != NULL);
    struct provider_publisher *publisher = memory_allocate(sizeof *publisher);
    publisher->client = options->client;
    publisher->namespace = memory_copy_string(options->namespace);
    publisher->restored = options->restored;
    publisher->context = options->context;
    json_t *data = build_data(options->cloud, options->settings);
    if (options->restored == NULL)
        json_object_set_new(data, "learned", json_null());
    publisher->record =
        json_pack("{s:s, s:s, s:{s:s, s:s, s:{s:s}}, s:o}", "apiVersion", "v1", "kind", "ConfigMap",
                  "metadata", "name", PROVIDER_RECORD_NAME, "namespace", options->namespace,
                  "labels", PROVIDER_RECORD_LABEL, options->cloud->provider->name, "data", data);
    assert(publisher->record != NULL);
    publisher->retry = timer_create_on(options->loop, publish, publisher);
    publish(publisher);
    return publisher;
}

void provider_publisher_learn(struct provider_publisher *publisher, const char *learned)
{
    assert(learned != NULL);
    publisher->restored = NULL; // from now on it is this controller's
    json_object_set_new(json_object_get(publisher->record, "data"), "learned",
                        json_string(learned));
    if (publisher->is_writing)
        publisher->writes_again = true;
    else if (!publisher->is_forbidden)
        publish(publisher);
}

void provider_publisher_destroy(struct provider_publisher *publisher)
{
    if (publisher == NULL)
        return;
    kube_cancel(publisher->client, publisher);
    timer_destroy(publisher->retry);
    json_decref(publisher->record);
    free(publisher->namespace);
    free(publisher);
}

// Patches first: a patch needs no permission to read, and the record exists after the first time.
static void publish(void *context)
{
    struct provider_publisher *publisher = context;
    struct text path = {0};
    assert(!publisher->is_writing);
    timer_stop(publisher->retry);
    publisher->is_writing = true;
    publisher->writes_again = false;
    text_add(&path, "/api/v1/namespaces/");
    query_escape(&path, publisher->namespace);
    text_add(&path, "/configmaps/" PROVIDER_RECORD_NAME);
    kube_merge_path(publisher->client, path.data, publisher->record, merged, publisher);
    text_free(&path);
}

// The observer may publish, so it is forgotten before.
static void tell_restored(struct provider_publisher *publisher, const json_t *config_map)
{
    void (*restored)(void *, const char *) = publisher->restored;
    const char *learned =
        json_string_value(json_object_get(json_object_get(config_map, "data"), "learned"));
    publisher->restored = NULL;
    if (restored != NULL && learned != NULL)
        restored(publisher->context, learned);
}

static void create_record(struct provider_publisher *publisher)
{
    struct text path = {0};
    json_t *body = json_deep_copy(publisher->record), *value;
    json_t *data = json_object_get(body, "data");
    const char *name;
    void *next;
    json_object_foreach_safe(data, next, name, value)
    {
        if (json_is_null(value))
            json_object_del(data, name);
    }
    text_add(&path, "/api/v1/namespaces/");
    query_escape(&path, publisher->namespace);
    text_add(&path, "/configmaps");
    kube_create_path(publisher->client, path.data, body, created, publisher);
    json_decref(body);
    text_free(&path);
}

static void merged(void *context, const struct kube_result *result)
{
    struct provider_publisher *publisher = context;
    if (result->error.kind == ERROR_NONE)
        tell_restored(publisher, result->body);
    if (result->error.kind == ERROR_NOT_FOUND)
        create_record(publisher);
    else
        end_write(publisher, &result->error);
}

static void created(void *context, const struct kube_result *result)
{
    struct provider_publisher *publisher = context;
    if (result->error.kind == ERROR_NONE)
        publisher->restored = NULL;
    end_write(publisher, &result->error);
}

static void end_write(struct provider_publisher *publisher, const struct error *error)
{
    publisher->is_writing = false;
    publisher->is_forbidden = error->kind == ERROR_FORBIDDEN;
    if (publisher->is_forbidden) // only `adze plan` depends on the record
        log_info("the provider's name is not published, `adze plan` of the live cluster goes by "
                 "its NodePools",
                 "n:ConfigMap", publisher->namespace, PROVIDER_RECORD_NAME, "s:cause",
                 error->message);
    else if (error->kind != ERROR_NONE)
        timer_start(publisher->retry, RETRY_NS);
    else if (publisher->writes_again)
        publish(publisher);
}
