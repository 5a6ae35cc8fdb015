#include "cloud/aws/watcher/node_watcher.h"

#include <assert.h>
#include <stdlib.h>

#include "base/duration.h"
#include "base/log.h"
#include "base/memory.h"
#include "cloud/aws/credentials/instance_metadata.h"
#include "cloud/aws/watcher/metadata_announcements.h"

#define PASSES_TO_REPEAT 60 // what stands is written again so often: the Node may have lost it

struct node_watcher {
    struct node_watcher_options options;
    struct instance_metadata *metadata;
    struct timer *next;
    int what;                                  // enum node_announcement that is being read
    int64_t found[NODE_ANNOUNCEMENTS_COUNT];   // 0: none is announced
    int64_t written[NODE_ANNOUNCEMENTS_COUNT]; // as the Node has it; < 0: unknown
    bool known[NODE_ANNOUNCEMENTS_COUNT];      // it was read once
    uint32_t passes;                           // since the last repetition
    bool pass_failed;                          // an answer of this pass cannot be used
    bool metadata_failed, kube_failed;         // told
};

static void begin_pass(void *context);

struct node_watcher *node_watcher_create(const struct node_watcher_options *options,
                                         struct error *error)
{
    assert(options->interval_ns > 0);
    assert(options->node_name != NULL);
    struct instance_metadata *metadata =
        instance_metadata_create(options->loop, options->http, &options->environment, error);
    if (metadata == NULL)
        return NULL;
    struct node_watcher *watcher = memory_allocate(sizeof *watcher);
    watcher->options = *options;
    watcher->metadata = metadata;
    for (int i = 0; i < NODE_ANNOUNCEMENTS_COUNT; i++)
        watcher->written[i] = -1;
    watcher->next = timer_create_on(options->loop, begin_pass, watcher);
    timer_start(watcher->next, 0);
    return watcher;
}

void node_watcher_destroy(struct node_watcher *watcher)
{
    if (watcher == NULL)
        return;
    kube_cancel(watcher->options.kube, watcher);
    instance_metadata_destroy(watcher->metadata);
    timer_destroy(watcher->next);
    free(watcher);
}

static void end_pass(struct node_watcher *watcher)
{
    timer_start(watcher->next, watcher->options.interval_ns);
}

// --- the Node ------------------------------------------------------------------------------------

static const char *remedy_of(const struct error *error)
{
    if (error->kind == ERROR_FORBIDDEN || error->kind == ERROR_UNAUTHORIZED)
        return "the ServiceAccount needs the permission to patch Nodes";
    return error->kind == ERROR_NOT_FOUND
               ? "is NODE_NAME the name of the Node (fieldRef spec.nodeName)?"
               : NULL;
}

static void patched(void *context, const struct kube_result *result)
{
    struct node_watcher *watcher = context;
    bool failed = result->error.kind != ERROR_NONE;
    for (int i = 0; i < NODE_ANNOUNCEMENTS_COUNT && !failed; i++)
        if (watcher->known[i])
            watcher->written[i] = watcher->found[i];
    if (failed && !watcher->kube_failed)
        log_error("the Node cannot be annotated", "o:Node", watcher->options.node_name, "s:error",
                  result->error.message, "s:remedy", remedy_of(&result->error));
    watcher->kube_failed = failed;
    end_pass(watcher);
}

// A patch of the annotations that differ, or NULL. An absent one becomes null, which removes it.
static json_t *patch_of(const struct node_watcher *watcher)
{
    json_t *annotations = json_object();
    for (int i = 0; i < NODE_ANNOUNCEMENTS_COUNT; i++) {
        const char *key = node_announcement_key((enum node_announcement)i);
        char text[INSTANT_TEXT_MAX];
        if (!watcher->known[i] || watcher->found[i] == watcher->written[i])
            continue;
        instant_format(watcher->found[i], text);
        json_object_set_new(annotations, key,
                            watcher->found[i] != 0 ? json_string(text) : json_null());
    }
    if (json_object_size(annotations) > 0)
        return json_pack("{s:{s:o}}", "metadata", "annotations", annotations);
    json_decref(annotations);
    return NULL;
}

static void write_annotations(struct node_watcher *watcher)
{
    json_t *patch = patch_of(watcher);
    if (patch == NULL) {
        end_pass(watcher);
        return;
    }
    struct kube_target node = {KIND_NODE, NULL, watcher->options.node_name, NULL};
    kube_patch(watcher->options.kube, &node, PATCH_MERGE, patch, patched, watcher);
    json_decref(patch);
}

// --- the metadata service ------------------------------------------------------------------------

static void note_failure(struct node_watcher *watcher, const struct error *error)
{
    if (!watcher->metadata_failed)
        log_error("announcements of EC2 cannot be read", "s:path",
                  metadata_announcement_path((enum node_announcement)watcher->what), "s:error",
                  error->message);
    watcher->metadata_failed = watcher->pass_failed = true;
}

static void take(struct node_watcher *watcher, enum node_announcement what, int64_t instant)
{
    char text[INSTANT_TEXT_MAX];
    if (instant != 0 && instant != watcher->found[what]) {
        instant_format(instant, text);
        log_info("EC2 announces an interruption", "o:Node", watcher->options.node_name,
                 "s:announcement", node_announcement_key(what), "s:time", text);
    }
    watcher->found[what] = instant;
    watcher->known[what] = true;
}

static void answered(void *context, const char *body, size_t length, const struct error *error)
{
    struct node_watcher *watcher = context;
    enum node_announcement what = (enum node_announcement)watcher->what;
    struct error problem = {0};
    int64_t instant = 0;
    bool good = body != NULL ? metadata_announcement_read(what, body, length, &instant, &problem)
                             : error->kind == ERROR_NOT_FOUND; // nothing is announced
    if (good) {
        take(watcher, what, instant);
    } else {
        note_failure(watcher, body != NULL ? &problem : error);
    }
    // A service that does not answer is not asked for the rest.
    watcher->what++;
    if (watcher->what == NODE_ANNOUNCEMENTS_COUNT || (!good && body == NULL)) {
        watcher->metadata_failed = watcher->pass_failed;
        write_annotations(watcher);
        return;
    }
    instance_metadata_read(watcher->metadata,
                           metadata_announcement_path((enum node_announcement)watcher->what),
                           answered, watcher);
}

static void begin_pass(void *context)
{
    struct node_watcher *watcher = context;
    watcher->what = 0;
    watcher->pass_failed = false;
    if (++watcher->passes == PASSES_TO_REPEAT) {
        watcher->passes = 0;
        for (int i = 0; i < NODE_ANNOUNCEMENTS_COUNT; i++)
            if (watcher->found[i] != 0)
                watcher->written[i] = -1;
    }
    instance_metadata_read(watcher->metadata, metadata_announcement_path(NODE_SPOT_INTERRUPTION),
                           answered, watcher);
}
