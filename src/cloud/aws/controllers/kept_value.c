#include "cloud/aws/controllers/kept_value.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/nanoseconds.h"
#include "base/text.h"
#include "base/url.h"
#include "kube/path.h"
#include "reconcile/operations.h"

#define STORE_KEY         "store"
#define BYTES_MAX         (900 * 1024) // of a ConfigMap there may be 1 MiB
#define BACKOFF_MAX_NS    (1000 * SECOND)
#define DEFAULT_NAMESPACE "kube-system"

struct kept_value {
    struct manager *manager;
    struct kept_value_options options;
    char *queue_name;
    struct reconcile_queue *queue;
    bool loaded, missing, forbidden, dirty;
};
struct store_call {
    struct operation operation;
    struct kept_value *kept;
};

static struct reconcile_result reconcile(void *context, struct work_item *item,
                                         struct error *error);

struct kept_value *kept_value_create(struct manager *manager,
                                     const struct kept_value_options *options)
{
    assert(options->recall != NULL && options->encode != NULL);
    struct kept_value *kept = memory_allocate(sizeof *kept);
    struct text name = {0};
    kept->manager = manager;
    kept->options = *options;
    if (options->namespace == NULL)
        kept->options.namespace = DEFAULT_NAMESPACE;
    text_format(&name, "%s.store", options->controller);
    kept->queue_name = text_take(&name);
    kept->queue =
        manager_queue(manager, &(struct reconcile_queue_options){.name = kept->queue_name,
                                                                 .backoff_max_ns = BACKOFF_MAX_NS,
                                                                 .reconcile = reconcile,
                                                                 .context = kept});
    reconcile_queue_add(kept->queue, STORE_KEY);
    return kept;
}

void kept_value_destroy(struct kept_value *kept)
{
    if (kept == NULL)
        return;
    free(kept->queue_name);
    free(kept);
}

void kept_value_changed(struct kept_value *kept, int64_t delay_ns)
{
    if (kept == NULL)
        return;
    kept->dirty = true;
    reconcile_queue_add_after(kept->queue, STORE_KEY, delay_ns);
}

static void add_path(const struct kept_value *kept, struct text *path)
{
    text_add(path, "/api/v1/namespaces/");
    query_escape(path, kept->options.namespace);
    text_add(path, "/configmaps");
}

static struct store_call *begin_call(struct kept_value *kept, struct work_item *item,
                                     const char *doing)
{
    struct operation_about about = {.manager = kept->manager, .item = item, .doing = doing};
    struct store_call *call = operation_begin(&about, sizeof *call);
    call->kept = kept;
    return call;
}

static void tell(const struct kept_value *kept, const char *cause)
{
    char message[200];
    snprintf(message, sizeof message, "%s %s kept across restarts", kept->options.subject,
             cause == NULL ? "is" : "is not");
    if (cause == NULL)
        log_info(message, "s:controller", kept->options.controller, "n:ConfigMap",
                 kept->options.namespace, kept->options.name);
    else
        log_info(message, "s:controller", kept->options.controller, "n:ConfigMap",
                 kept->options.namespace, kept->options.name, "s:cause", cause);
}

static void end_call(struct store_call *call, const struct error *error)
{
    enum operation_outcome outcome = OPERATION_PASS;
    if (error->kind == ERROR_FORBIDDEN) {
        call->kept->forbidden = true;
        outcome = OPERATION_NOTED;
        tell(call->kept, error->message);
    }
    operation_end(&call->operation, outcome, error);
}

static void recall(struct kept_value *kept, const json_t *config_map)
{
    const char *text =
        json_string_value(json_object_get(json_object_get(config_map, "data"), kept->options.key));
    json_t *value = text != NULL ? json_loads(text, 0, NULL) : NULL;
    if (value != NULL)
        kept->options.recall(kept->options.context, value);
    json_decref(value);
}

static void loaded(void *context, const struct kube_result *result)
{
    struct store_call *call = context;
    struct kept_value *kept = call->kept;
    if (result->error.kind == ERROR_NOT_FOUND) {
        kept->loaded = kept->missing = true;
        tell(kept, NULL);
        operation_end(&call->operation, OPERATION_NOTED, NULL);
        return;
    }
    if (result->error.kind == ERROR_NONE) {
        recall(kept, result->body);
        kept->loaded = true;
        tell(kept, NULL);
    }
    end_call(call, &result->error);
}

static void written(void *context, const struct kube_result *result)
{
    struct store_call *call = context;
    struct kept_value *kept = call->kept;
    if (result->error.kind == ERROR_NONE)
        kept->missing = false;
    else
        kept->dirty = true;
    if (result->error.kind == ERROR_NOT_FOUND) {
        kept->missing = true; // deleted meanwhile
        operation_end(&call->operation, OPERATION_RETRY, NULL);
        return;
    }
    end_call(call, &result->error);
}

static struct reconcile_result write_value(struct kept_value *kept, struct work_item *item)
{
    json_t *value = kept->options.encode(kept->options.context);
    char *text CLEANUP_FREE =
        value != NULL ? json_dumps(value, JSON_COMPACT | JSON_SORT_KEYS | JSON_REAL_PRECISION(10))
                      : NULL;
    struct text path = {0};
    json_decref(value);
    kept->dirty = false;
    if (text == NULL || strlen(text) > BYTES_MAX)
        return reconcile_done();
    json_t *body = json_pack("{s:s, s:s, s:{s:s, s:s}, s:{s:s}}", "apiVersion", "v1", "kind",
                             "ConfigMap", "metadata", "name", kept->options.name, "namespace",
                             kept->options.namespace, "data", kept->options.key, text);
    add_path(kept, &path);
    struct store_call *call = begin_call(kept, item, "keeping a value across restarts");
    if (kept->missing) {
        kube_create_path(kept->manager->client, path.data, body, written, call);
    } else {
        text_add(&path, "/");
        text_add(&path, kept->options.name);
        kube_merge_path(kept->manager->client, path.data, body, written, call);
    }
    json_decref(body);
    text_free(&path);
    return reconcile_running();
}

static struct reconcile_result reconcile(void *context, struct work_item *item, struct error *error)
{
    struct kept_value *kept = context;
    (void)error;
    if (kept->forbidden)
        return reconcile_done();
    if (kept->loaded)
        return kept->dirty ? write_value(kept, item) : reconcile_done();
    struct text path = {0};
    add_path(kept, &path);
    text_add(&path, "/");
    text_add(&path, kept->options.name);
    kube_get_path(kept->manager->client, path.data, loaded,
                  begin_call(kept, item, "reading a kept value"));
    text_free(&path);
    return reconcile_running();
}
