#include "cloud/aws/nodeclass/launch_templates.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/metrics.h"
#include "base/text.h"
#include "cloud/aws/nodeclass/launch_template_content.h"
#include "cloud/aws/nodeclass/launch_templates_internal.h"

#define USER_DATA_BYTES_WARN 14745 // 90 % of EC2's limit (AWN-270)

// One launch: done once all its templates are there.
struct ensure {
    struct template_job job;
    launch_templates_done done;
    void *context;
    struct arena *arena;
    struct timer *start; // `done` is never called before launch_templates_ensure() has returned
    struct launch_template_groups groups;
    struct launch_template *items;
    uint32_t waiting;
    struct error error;
    char *aws_text;
    enum aws_fault fault;
};
struct template_waiter {
    struct ensure *ensure;
};

static void entry_done(struct template_entry *entry, const struct aws_result *failure);

struct launch_templates *launch_templates_create(const struct launch_templates_options *options)
{
    assert(options->client != NULL);
    assert(options->settings != NULL);
    struct launch_templates *templates = memory_allocate(sizeof *templates);
    templates->options = *options;
    templates->entries = map_create();
    templates->sweep = timer_create_on(options->loop, launch_templates_sweep, templates);
    if (options->metrics != NULL)
        templates->user_data_bytes = metrics_register(
            options->metrics,
            &(struct metric_options){.name = "karpenter_ec2nodeclasses_userdata_bytes",
                                     .help = "Bytes of the user data of the last launch template "
                                             "of an EC2NodeClass, before base64.",
                                     .type = METRIC_GAUGE,
                                     .labels = {"nodeclass"}});
    return templates;
}

void *template_job_begin(struct launch_templates *templates, size_t size)
{
    assert(size >= sizeof(struct template_job));
    struct template_job *job = memory_allocate(size);
    job->templates = templates;
    job->next = templates->jobs;
    if (job->next != NULL)
        job->next->previous = job;
    templates->jobs = job;
    return job;
}

void template_job_end(struct template_job *job)
{
    if (job->previous != NULL)
        job->previous->next = job->next;
    else
        job->templates->jobs = job->next;
    if (job->next != NULL)
        job->next->previous = job->previous;
    if (job->call != NULL)
        aws_call_cancel(job->call);
    if (job->free_parts != NULL)
        job->free_parts(job);
    free(job);
}

void template_entry_free(struct template_entry *entry)
{
    if (entry->call != NULL)
        aws_call_cancel(entry->call);
    for (uint32_t i = 0; i < entry->waiters.count; i++)
        free(entry->waiters.items[i]);
    vector_free(&entry->waiters);
    json_decref(entry->parameters);
    free(entry->name);
    free(entry->id);
    free(entry->node_class);
    free(entry);
}

static void free_entry(void *entry)
{
    template_entry_free(entry);
}

void launch_templates_destroy(struct launch_templates *templates)
{
    if (templates == NULL)
        return;
    while (templates->jobs != NULL)
        template_job_end(templates->jobs);
    map_destroy(templates->entries, free_entry);
    timer_destroy(templates->sweep);
    free(templates);
}

// --- a template ----------------------------------------------------------------------------------
static void keep_id(struct template_entry *entry, const json_t *template)
{
    const char *id = json_string_value(json_object_get(template, "LaunchTemplateId"));
    free(entry->id);
    entry->id = memory_copy_string(id);
}

static void on_created(void *context, const struct aws_result *result)
{
    struct template_entry *entry = context;
    entry->call = NULL;
    // AWN-713: another controller with the same content was faster.
    bool exists = result->fault == AWS_FAULT_ALREADY_EXISTS ||
                  text_equal(result->code, "InvalidLaunchTemplateName.AlreadyExistsException");
    if (result->error.kind == ERROR_NONE)
        keep_id(entry, json_object_get(result->reply, "LaunchTemplate"));
    else if (!exists) {
        entry_done(entry, result);
        return;
    }
    log_debug("created launch template", "s:launch-template-name", entry->name, "s:id", entry->id,
              "o:EC2NodeClass", text_or_empty(entry->node_class));
    entry_done(entry, NULL);
}

static void create(struct template_entry *entry)
{
    struct launch_templates *templates = entry->templates;
    if (templates->user_data_bytes != NULL)
        metric_set(templates->user_data_bytes, entry->user_data_bytes, entry->node_class);
    if (entry->user_data_bytes >= USER_DATA_BYTES_WARN)
        log_error("user data is close to EC2's limit of 16384 bytes", "o:EC2NodeClass",
                  entry->node_class, "i:bytes", (int64_t)entry->user_data_bytes);
    entry->call =
        aws_client_start(templates->options.client,
                         &(struct aws_request){.action = EC2_CREATE_LAUNCH_TEMPLATE,
                                               .parameters = json_incref(entry->parameters),
                                               .done = on_created,
                                               .context = entry});
}

static void on_described(void *context, const struct aws_result *result)
{
    struct template_entry *entry = context;
    entry->call = NULL;
    if (result->fault == AWS_FAULT_NOT_FOUND) {
        create(entry);
        return;
    }
    if (result->error.kind != ERROR_NONE) {
        entry_done(entry, result);
        return;
    }
    const json_t *list = json_object_get(result->reply, "LaunchTemplates");
    if (json_array_size(list) == 0) {
        create(entry);
        return;
    }
    if (json_array_size(list) > 1) {
        struct aws_result failure = {.fault = AWS_FAULT_OTHER, .code = "", .message = ""};
        error_set(&failure.error, ERROR_INTERNAL, "EC2 knows %zu launch templates named %s",
                  json_array_size(list), entry->name);
        entry_done(entry, &failure);
        return;
    }
    keep_id(entry, json_array_get(list, 0));
    entry_done(entry, NULL);
}

// AWN-360.
void template_entry_start(struct template_entry *entry)
{
    assert(entry->call == NULL);
    assert(entry->parameters != NULL);
    entry->state = TEMPLATE_ENSURING;
    entry->call =
        aws_client_start(entry->templates->options.client,
                         &(struct aws_request){
                             .action = EC2_DESCRIBE_LAUNCH_TEMPLATES,
                             .parameters = json_pack("{s:[s]}", "LaunchTemplateNames", entry->name),
                             .once = entry->once,
                             .done = on_described,
                             .context = entry});
}

// --- a launch ------------------------------------------------------------------------------------
static void free_ensure(struct template_job *job)
{
    struct ensure *ensure = (struct ensure *)job;
    timer_destroy(ensure->start);
    launch_template_groups_free(&ensure->groups);
    arena_destroy(ensure->arena);
    free(ensure->aws_text);
}

static void ensure_end(void *context)
{
    struct ensure *ensure = context;
    assert(ensure->waiting == 0);
    bool failed = ensure->error.kind != ERROR_NONE;
    struct launch_templates_result result = {.error = ensure->error,
                                             .aws_text = ensure->aws_text,
                                             .fault = ensure->fault,
                                             .items = failed ? NULL : ensure->items,
                                             .count = failed ? 0 : ensure->groups.count};
    ensure->done(ensure->context, &result);
    template_job_end(&ensure->job);
}

// Ends the launch in its own turn.
static void ensure_end_soon(struct ensure *ensure)
{
    if (ensure->start == NULL)
        ensure->start = timer_create_on(ensure->job.templates->options.loop, ensure_end, ensure);
    timer_start(ensure->start, 0);
}

static void note_failure(struct ensure *ensure, const struct aws_result *failure)
{
    if (ensure->error.kind != ERROR_NONE)
        return;
    ensure->error = failure->error;
    ensure->fault = failure->fault;
    if (!text_is_empty(failure->code)) {
        struct text text = {0};
        text_format(&text, "%s: %s", failure->code, text_or_empty(failure->message));
        ensure->aws_text = text_take(&text);
    }
}

static void entry_done(struct template_entry *entry, const struct aws_result *failure)
{
    struct launch_templates *templates = entry->templates;
    entry->state = TEMPLATE_KNOWN;
    entry->used_at = loop_monotonic_ns(templates->options.loop);
    json_decref(entry->parameters);
    entry->parameters = NULL;
    for (uint32_t i = 0; i < entry->waiters.count; i++) {
        struct ensure *ensure = entry->waiters.items[i]->ensure;
        free(entry->waiters.items[i]);
        if (failure != NULL)
            note_failure(ensure, failure);
        if (--ensure->waiting == 0)
            ensure_end_soon(ensure);
    }
    entry->waiters.count = 0;
    if (failure != NULL) {
        map_remove(templates->entries, entry->name);
        template_entry_free(entry);
    } else if (!timer_is_running(templates->sweep)) {
        timer_start(templates->sweep, MINUTE);
    }
}

// Takes the content's parameters over.
static void want(struct ensure *ensure, struct launch_template_content *content,
                 const struct launch_template_request *request)
{
    struct launch_templates *templates = ensure->job.templates;
    struct template_entry *entry = map_get(templates->entries, content->name);
    if (entry != NULL && entry->state == TEMPLATE_KNOWN) {
        entry->launched = entry->launched || !request->validation;
        entry->used_at = loop_monotonic_ns(templates->options.loop);
        json_decref(content->parameters);
        return;
    }
    bool is_new = entry == NULL;
    if (is_new) {
        entry = memory_allocate(sizeof *entry);
        entry->templates = templates;
        entry->name = memory_copy_string(content->name);
        map_set(templates->entries, content->name, entry);
    }
    entry->launched = entry->launched || !request->validation;
    if (entry->parameters == NULL) {
        entry->parameters = content->parameters;
        entry->user_data_bytes = content->user_data_bytes;
        entry->once = request->once;
        free(entry->node_class);
        entry->node_class = memory_copy_string(request->node_class->meta.name);
    } else {
        json_decref(content->parameters);
    }
    struct template_waiter *waiter = memory_allocate(sizeof *waiter);
    waiter->ensure = ensure;
    vector_push(&entry->waiters, waiter);
    ensure->waiting++;
    if (is_new)
        template_entry_start(entry);
}

static bool check_request(const struct launch_template_request *request, struct error *error)
{
    const struct ec2_node_class *node_class = request->node_class;
    if (node_class->status.security_groups.count == 0)
        return error_set(error, ERROR_INTERNAL, "EC2NodeClass/%s: no security groups in the status",
                         node_class->meta.name);
    if (node_class->status.amis.count == 0)
        return error_set(error, ERROR_INTERNAL, "EC2NodeClass/%s: no AMIs in the status",
                         node_class->meta.name);
    return true;
}

static bool make_templates(struct ensure *ensure, const struct launch_template_request *request,
                           const struct kubelet_config *kubelet)
{
    const struct launch_templates_options *options = &ensure->job.templates->options;
    struct launch_template_split split = {
        .settings = options->settings,
        .infos = options->types != NULL ? ec2_types_infos(options->types) : NULL,
        .kubelet = kubelet};
    if (!launch_template_groups_make(&ensure->groups, ensure->arena, request, &split,
                                     &ensure->error))
        return false;
    uint32_t count = ensure->groups.count;
    ensure->items = arena_allocate_array(ensure->arena, count, sizeof *ensure->items);
    struct launch_template_content *contents =
        arena_allocate_array(ensure->arena, count, sizeof *contents);
    uint32_t made = 0;
    for (; made < count; made++) {
        struct launch_template_group *group = &ensure->groups.items[made];
        struct launch_template_input input = {.request = request,
                                              .group = group,
                                              .kubelet = kubelet,
                                              .cluster = options->cluster,
                                              .settings = options->settings};
        if (!launch_template_content_make(&contents[made], ensure->arena, &input, &ensure->error))
            break;
        ensure->items[made] = (struct launch_template){.name = contents[made].name,
                                                       .image_id = group->ami->id,
                                                       .reservation_id = group->reservation_id,
                                                       .types = group->types.items,
                                                       .types_count = group->types.count};
    }
    for (uint32_t i = 0; i < made; i++) {
        if (made == count)
            want(ensure, &contents[i], request);
        else
            json_decref(contents[i].parameters);
    }
    return made == count;
}

void launch_templates_ensure(struct launch_templates *templates,
                             const struct launch_template_request *request,
                             launch_templates_done done, void *context)
{
    assert(request->node_class != NULL);
    assert(done != NULL);
    struct ensure *ensure = template_job_begin(templates, sizeof *ensure);
    ensure->job.free_parts = free_ensure;
    ensure->done = done;
    ensure->context = context;
    ensure->arena = arena_create(4096);
    struct kubelet_config kubelet;
    // AWN-364: an object that cannot be read fails the launch.
    if (check_request(request, &ensure->error) &&
        kubelet_config_read(&kubelet, ensure->arena, request->node_class->spec.kubelet,
                            &ensure->error)) {
        (void)!make_templates(ensure, request, &kubelet);
        kubelet_config_free(&kubelet);
    }
    assert(ensure->waiting > 0 || ensure->error.kind != ERROR_NONE || ensure->groups.count > 0);
    if (ensure->waiting == 0)
        ensure_end_soon(ensure);
}
