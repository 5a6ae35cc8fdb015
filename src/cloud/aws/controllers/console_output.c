#include "cloud/aws/controllers/console_output.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/nanoseconds.h"
#include "cloud/aws/controllers/aws_operations.h"
#include "cloud/aws/controllers/console_text.h"
#include "cloud/aws/controllers/periodic.h"
#include "cloud/aws/nodeclass/refusal.h"
#include "model/schema/condition_types.h"
#include "reconcile/events.h"

#define CONTROLLER   "nodeclaim.console"
#define INTERVAL_NS  MINUTE
#define CALLS_MAX    5 // in a pass: when nothing registers, a few tell enough
#define PATIENCE_MAX (5 * MINUTE)

struct console_output {
    struct manager *manager;
    const struct aws_controllers_environment *environment;
    struct periodic *periodic;
    struct map *told;        // UIDs of NodeClaims
    uint32_t calls;          // in this pass
    char claim[254], id[40]; // of the call under way
};

static bool begin(void *context, struct operation_about *about);
static bool go_on(void *context, struct operation_about *about);

struct console_output *console_output_create(struct manager *manager,
                                             const struct aws_controllers_environment *environment)
{
    if (manager->settings->compatibility_upstream)
        return NULL;
    struct console_output *console = memory_allocate(sizeof *console);
    console->manager = manager;
    console->environment = environment;
    console->told = map_create();
    console->periodic =
        periodic_create(manager, &(struct periodic_options){.name = CONTROLLER,
                                                            .interval_ns = INTERVAL_NS,
                                                            .begin = begin,
                                                            .go_on = go_on,
                                                            .context = console});
    return console;
}

void console_output_destroy(struct console_output *console)
{
    if (console == NULL)
        return;
    periodic_destroy(console->periodic);
    map_destroy(console->told, NULL);
    free(console);
}

// --- the event -----------------------------------------------------------------------------------

static void add_console(struct text *message, const struct aws_result *result)
{
    struct text lines = {0};
    console_text_add(&lines, json_string_value(json_object_get(result->reply, "Output")));
    if (result->fault == AWS_FAULT_UNAUTHORIZED) {
        text_add(message, "; its console output cannot be read");
        refusal_explain(aws_action_permission(EC2_GET_CONSOLE_OUTPUT), result->message, message);
    } else if (lines.length > 0) {
        text_format(message, "; the last lines of its console: %s", lines.data);
    } else if (result->error.kind == ERROR_NONE) {
        text_add(message, "; its console is empty so far");
    }
    text_free(&lines);
}

static enum operation_outcome answered(void *context, const struct aws_result *result)
{
    struct console_output *console = context;
    const struct object *claim =
        mirror_get(console->manager->mirror, KIND_NODE_CLAIM, NULL, console->claim);
    if (claim == NULL || object_is_deleting(claim))
        return OPERATION_NOTED;
    struct text message = {0};
    text_format(
        &message,
        "Instance %s was launched and has not joined the cluster: see that its role may "
        "join (access entry or aws-auth), that it reaches the API server, and its user data",
        console->id);
    add_console(&message, result);
    publish_keyed(console->manager, claim, EVENT_NODE_NOT_REGISTERED, claim->meta.uid, "%s",
                  message.data);
    text_free(&message);
    return OPERATION_NOTED;
}

// --- the pass ------------------------------------------------------------------------------------

// Launched long ago, and no Node yet.
static bool is_overdue(const struct console_output *console, const struct node_claim *claim)
{
    int64_t patience = console->manager->settings->registration_timeout / 3;
    patience = patience < PATIENCE_MAX ? patience : PATIENCE_MAX;
    const struct condition *launched =
        condition_find(&claim->status.conditions, CONDITION_LAUNCHED);
    const struct condition *registered =
        condition_find(&claim->status.conditions, CONDITION_REGISTERED);
    if (object_is_deleting((const struct object *)claim) || launched == NULL ||
        !text_equal(launched->status, "True") ||
        (registered != NULL && text_equal(registered->status, "True")))
        return false;
    return ns_subtract(manager_now(console->manager), launched->last_transition_time) >= patience;
}

static bool read_console(struct console_output *console, struct operation_about *about,
                         const struct node_claim *claim)
{
    const char *slash = strrchr(text_or_empty(claim->status.provider_id), '/');
    if (slash == NULL || !text_starts_with(slash + 1, "i-") ||
        strlen(slash + 1) >= sizeof console->id ||
        strlen(claim->meta.name) >= sizeof console->claim)
        return false;
    snprintf(console->id, sizeof console->id, "%s", slash + 1);
    snprintf(console->claim, sizeof console->claim, "%s", claim->meta.name);
    about->doing = "reading a console";
    struct aws_request request = {.action = EC2_GET_CONSOLE_OUTPUT,
                                  .parameters = json_pack("{s:s}", "InstanceId", console->id),
                                  .once = true};
    start_aws_call(about, console->environment->client, &request, answered, console);
    return true;
}

// One call after the other.
static bool go_on(void *context, struct operation_about *about)
{
    struct console_output *console = context;
    struct mirror_iterator iterator = {0};
    for (const struct object *object;
         (object = mirror_next(console->manager->mirror, KIND_NODE_CLAIM, &iterator)) != NULL;) {
        const struct node_claim *claim = (const struct node_claim *)object;
        const char *uid = text_or_empty(object->meta.uid);
        if (map_get(console->told, uid) != NULL || !is_overdue(console, claim))
            continue;
        if (console->calls++ >= CALLS_MAX)
            return false;
        map_set(console->told, uid, console);
        if (read_console(console, about, claim))
            return true;
    }
    return false;
}

static void forget_others(struct console_output *console)
{
    struct mirror_iterator iterator = {0};
    struct map *kept = map_create();
    for (const struct object *object;
         (object = mirror_next(console->manager->mirror, KIND_NODE_CLAIM, &iterator)) != NULL;)
        if (map_get(console->told, text_or_empty(object->meta.uid)) != NULL)
            map_set(kept, text_or_empty(object->meta.uid), console);
    map_destroy(console->told, NULL);
    console->told = kept;
}

static bool begin(void *context, struct operation_about *about)
{
    struct console_output *console = context;
    console->calls = 0;
    forget_others(console);
    return go_on(console, about);
}
