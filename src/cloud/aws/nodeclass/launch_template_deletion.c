#include "cloud/aws/nodeclass/launch_template_deletion.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/metrics.h"
#include "base/nanoseconds.h"
#include "base/text.h"
#include "cloud/aws/nodeclass/launch_templates_internal.h"
#include "cloud/aws/nodeclass/node_class_tags.h"

#define LIFETIME_UPSTREAM MINUTE
// AWN-714: a slow cluster does not create and delete the same template again and again.
#define LIFETIME  (15 * MINUTE)
#define PAGE_SIZE 200

// --- expiry --------------------------------------------------------------------------------------
static void on_expired(void *context, const struct aws_result *result)
{
    struct template_entry *entry = context;
    entry->call = NULL;
    if (result->error.kind != ERROR_NONE && result->fault != AWS_FAULT_NOT_FOUND)
        log_error("deleting launch template", "s:launch-template-name", entry->name, "s:error",
                  result->error.message);
    if (entry->waiters.count > 0) { // a launch has asked for it meanwhile
        template_entry_start(entry);
        return;
    }
    map_remove(entry->templates->entries, entry->name);
    template_entry_free(entry);
}

static void expire(struct template_entry *entry)
{
    entry->state = TEMPLATE_DELETING;
    json_t *parameters = entry->id != NULL ? json_pack("{s:s}", "LaunchTemplateId", entry->id)
                                           : json_pack("{s:s}", "LaunchTemplateName", entry->name);
    entry->call = aws_client_start(entry->templates->options.client,
                                   &(struct aws_request){.action = EC2_DELETE_LAUNCH_TEMPLATE,
                                                         .parameters = parameters,
                                                         .done = on_expired,
                                                         .context = entry});
}

void launch_templates_sweep(void *context)
{
    struct launch_templates *templates = context;
    int64_t now = loop_monotonic_ns(templates->options.loop);
    int64_t lifetime =
        templates->options.settings->compatibility_upstream ? LIFETIME_UPSTREAM : LIFETIME;
    for (struct map_entry *at = map_first(templates->entries); at != NULL; at = map_next(at)) {
        struct template_entry *entry = map_value(at);
        if (entry->state == TEMPLATE_KNOWN && ns_subtract(now, entry->used_at) >= lifetime)
            expire(entry);
    }
    if (map_count(templates->entries) > 0)
        timer_start(templates->sweep, MINUTE);
}

void launch_templates_forget(struct launch_templates *templates, const char *name)
{
    struct template_entry *entry = map_get(templates->entries, name);
    if (entry == NULL || entry->state != TEMPLATE_KNOWN)
        return; // being looked up again already
    map_remove(templates->entries, name);
    template_entry_free(entry);
}

void launch_templates_release(struct launch_templates *templates, const char *name)
{
    struct template_entry *entry = map_get(templates->entries, name);
    if (entry != NULL && entry->state == TEMPLATE_KNOWN && !entry->launched)
        expire(entry);
}

// --- listing -------------------------------------------------------------------------------------
// Both hydration and deletion list templates by tags.
struct listing {
    struct template_job job;
    launch_templates_deleted done; // NULL: hydration
    void *context;
    char *node_class;
    VECTOR(char *) names; // to delete
    uint32_t next;
};

static void free_listing(struct template_job *job)
{
    struct listing *listing = (struct listing *)job;
    for (uint32_t i = 0; i < listing->names.count; i++)
        free(listing->names.items[i]);
    vector_free(&listing->names);
    free(listing->node_class);
}

static struct listing *begin_listing(struct launch_templates *templates, const char *node_class)
{
    struct listing *listing = template_job_begin(templates, sizeof *listing);
    listing->job.free_parts = free_listing;
    listing->node_class = memory_copy_string(node_class);
    return listing;
}

static void start_listing(struct listing *listing, aws_page page, aws_done done)
{
    struct launch_templates *templates = listing->job.templates;
    json_t *filters = json_pack("[{s:s, s:[s]}]", "Name", "tag:" TAG_CLUSTER_NAME, "Values",
                                templates->options.cluster->name);
    if (listing->node_class != NULL)
        json_array_append_new(filters, json_pack("{s:s, s:[s]}", "Name", "tag:" TAG_NODE_CLASS,
                                                 "Values", listing->node_class));
    listing->job.call = aws_client_start(
        templates->options.client,
        &(struct aws_request){
            .action = EC2_DESCRIBE_LAUNCH_TEMPLATES,
            .parameters = json_pack("{s:o, s:i}", "Filters", filters, "MaxResults", PAGE_SIZE),
            .all_pages = true,
            .page = page,
            .done = done,
            .context = listing});
}

static bool adopt_page(void *context, const json_t *reply)
{
    struct launch_templates *templates = ((struct listing *)context)->job.templates;
    size_t index;
    json_t *template;
    json_array_foreach (json_object_get(reply, "LaunchTemplates"), index, template) {
        const char *name = json_string_value(json_object_get(template, "LaunchTemplateName"));
        const char *id = json_string_value(json_object_get(template, "LaunchTemplateId"));
        if (name == NULL || id == NULL || map_get(templates->entries, name) != NULL)
            continue;
        struct template_entry *entry = memory_allocate(sizeof *entry);
        entry->templates = templates;
        entry->name = memory_copy_string(name);
        entry->id = memory_copy_string(id);
        entry->state = TEMPLATE_KNOWN;
        entry->launched = true;
        entry->used_at = loop_monotonic_ns(templates->options.loop);
        map_set(templates->entries, name, entry);
    }
    return true;
}

static void on_adopted(void *context, const struct aws_result *result)
{
    struct listing *listing = context;
    struct launch_templates *templates = listing->job.templates;
    listing->job.call = NULL;
    if (result->error.kind != ERROR_NONE)
        log_error("listing launch templates of earlier runs", "s:error", result->error.message);
    if (map_count(templates->entries) > 0 && !timer_is_running(templates->sweep))
        timer_start(templates->sweep, MINUTE);
    template_job_end(&listing->job);
}

void launch_templates_hydrate(struct launch_templates *templates)
{
    assert(templates->options.cluster->name != NULL);
    start_listing(begin_listing(templates, NULL), adopt_page, on_adopted);
}

// --- deletion with the NodeClass -----------------------------------------------------------------
static bool name_page(void *context, const json_t *reply)
{
    struct listing *listing = context;
    size_t index;
    json_t *template;
    json_array_foreach (json_object_get(reply, "LaunchTemplates"), index, template) {
        const char *name = json_string_value(json_object_get(template, "LaunchTemplateName"));
        if (name != NULL)
            vector_push(&listing->names, memory_copy_string(name));
    }
    return true;
}

static void delete_next(struct listing *listing);

static void finish(struct listing *listing, const struct error *error)
{
    listing->done(listing->context, error);
    template_job_end(&listing->job);
}

static void on_deleted(void *context, const struct aws_result *result)
{
    struct listing *listing = context;
    struct launch_templates *templates = listing->job.templates;
    listing->job.call = NULL;
    // AWN-714: it may have expired meanwhile.
    bool gone = result->fault == AWS_FAULT_NOT_FOUND &&
                !templates->options.settings->compatibility_upstream;
    if (result->error.kind != ERROR_NONE && !gone) {
        finish(listing, &result->error);
        return;
    }
    launch_templates_forget(templates, listing->names.items[listing->next]);
    listing->next++;
    delete_next(listing);
}

static void delete_next(struct listing *listing)
{
    struct launch_templates *templates = listing->job.templates;
    static const struct error none = {0};
    if (listing->next == listing->names.count) {
        if (templates->user_data_bytes != NULL)
            metric_remove_matching(templates->user_data_bytes, "nodeclass", listing->node_class);
        finish(listing, &none);
        return;
    }
    listing->job.call = aws_client_start(
        templates->options.client,
        &(struct aws_request){.action = EC2_DELETE_LAUNCH_TEMPLATE,
                              .parameters = json_pack("{s:s}", "LaunchTemplateName",
                                                      listing->names.items[listing->next]),
                              .done = on_deleted,
                              .context = listing});
}

static void on_names(void *context, const struct aws_result *result)
{
    struct listing *listing = context;
    listing->job.call = NULL;
    if (result->error.kind != ERROR_NONE)
        finish(listing, &result->error);
    else
        delete_next(listing);
}

void launch_templates_delete_all(struct launch_templates *templates, const char *node_class,
                                 launch_templates_deleted done, void *context)
{
    assert(node_class != NULL);
    assert(done != NULL);
    struct listing *listing = begin_listing(templates, node_class);
    listing->done = done;
    listing->context = context;
    start_listing(listing, name_page, on_names);
}
