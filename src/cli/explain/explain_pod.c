// adze explain pod: one pod of the plan (SCH-520).
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/quantity.h"
#include "base/text.h"
#include "cli/explain/explain.h"
#include "cli/input/progress.h"
#include "cli/output/columns.h"
#include "cli/output/document.h"
#include "cli/output/explain_print.h"
#include "cli/output/terminal.h"
#include "engine/engine.h"
#include "model/reading/pod.h"
#include "model/schema/condition_types.h"
#include "model/snapshot/plan_encode.h"
#include "model/snapshot/plan_explanation.h"

#define NAMES_SHOWN 3

struct subject {
    const struct pod *pod;
    const struct snapshot *snapshot;
    char *name; // "namespace/name"
    const struct plan *plan;
    const struct plan_unschedulable *refused; // NULL: placed, or needs no place
};

// --- finding the pod -----------------------------------------------------------------------------

static const struct pod *pod_at(const struct snapshot *snapshot, uint32_t index)
{
    return (const struct pod *)snapshot->objects[KIND_POD].items[index];
}

static char *name_of(const struct pod *pod) // the caller frees
{
    struct text text = {0};
    text_format(&text, "%s/%s", pod->meta.namespace, pod->meta.name);
    return text_take(&text);
}

// Adds pods whose names begin with the text (it may be a workload's), else pods with similar names.
static void add_near_names(const struct snapshot *snapshot, const char *asked, struct text *out)
{
    uint32_t count = snapshot->objects[KIND_POD].count, begins = 0;
    bool qualified = strchr(asked, '/') != NULL;
    const char **names = memory_allocate_array(count + 1, sizeof *names), *near[NAMES_SHOWN];
    for (uint32_t i = 0; i < count; i++)
        names[i] = qualified ? name_of(pod_at(snapshot, i))
                             : memory_copy_string(pod_at(snapshot, i)->meta.name);
    qsort(names, count, sizeof *names, text_compare);
    for (uint32_t i = 0; i < count && begins < NAMES_SHOWN; i++)
        if (text_starts_with(names[i], asked) && names[i][strlen(asked)] == '-')
            near[begins++] = names[i];
    size_t shown = begins > 0 ? begins : text_nearest(asked, names, count, near, NAMES_SHOWN);
    for (size_t i = 0; i < shown; i++)
        text_format(out, "%s%s", i == 0 ? "; did you mean " : " or ", near[i]);
    text_add(out, shown > 0 ? "?" : "");
    for (uint32_t i = 0; i < count; i++)
        free((char *)(uintptr_t)names[i]);
    free(names);
}

static bool is_asked(const struct pod *pod, const char *asked)
{
    const char *slash = strchr(asked, '/');
    if (pod->meta.name == NULL || pod->meta.namespace == NULL)
        return false;
    if (slash == NULL)
        return strcmp(pod->meta.name, asked) == 0;
    size_t length = (size_t)(slash - asked);
    return strlen(pod->meta.namespace) == length &&
           strncmp(pod->meta.namespace, asked, length) == 0 &&
           strcmp(pod->meta.name, slash + 1) == 0;
}

static const struct pod *find_pod(const struct snapshot *snapshot, const char *asked,
                                  struct error *error)
{
    const struct pod *found = NULL;
    for (uint32_t i = 0; i < snapshot->objects[KIND_POD].count; i++) {
        const struct pod *pod = pod_at(snapshot, i);
        if (!is_asked(pod, asked))
            continue;
        if (found != NULL) {
            error_set(error, ERROR_INVALID, "pod %s is in several namespaces: say %s/%s or %s/%s",
                      asked, found->meta.namespace, asked, pod->meta.namespace, asked);
            return NULL;
        }
        found = pod;
    }
    if (found != NULL)
        return found;
    struct text near = {0};
    add_near_names(snapshot, asked, &near);
    error_set(error, ERROR_INVALID, "there is no pod %s%s", asked,
              near.data != NULL && near.length > 0 ? near.data : " among those that were read");
    text_free(&near);
    return NULL;
}

// --- pods that are not part of the plan ----------------------------------------------------------

// The reason why the planner ignores the pod (SCH-21), for messages.
static char *why_not_planned(const struct pod *pod) // the caller frees
{
    struct text text = {0};
    if (pod_is_terminal(pod))
        text_add(&text, "it has ended");
    else if (!text_is_empty(pod->spec.node_name))
        text_format(&text, "it is on node %s", pod->spec.node_name);
    else if (!text_is_empty(pod->status.nominated_node_name))
        text_format(&text, "kube-scheduler makes room for it on node %s",
                    pod->status.nominated_node_name);
    else if (pod->spec.scheduling_gates.count > 0)
        text_add(&text, "its scheduling gates are closed: kube-scheduler does not look at it yet");
    else if (pod->meta.deletion_timestamp != 0)
        text_add(&text, "it is being deleted");
    else if (pod_owned_by_daemon_set(pod))
        text_add(&text, "it belongs to a DaemonSet: nodes are made for other pods, and it goes "
                        "where they are");
    else if (pod_owned_by_node(pod))
        text_add(&text, "it belongs to its node");
    else
        text_add(&text, "kube-scheduler has not yet said that it finds no place for it "
                        "(condition PodScheduled, reason Unschedulable), or it is not this "
                        "scheduler's");
    return text_take(&text);
}

// --- the table -----------------------------------------------------------------------------------

static void print_requests(const struct pod *pod)
{
    CLEANUP_ARENA struct arena *scratch = arena_create(1024);
    struct resource_map requests = pod_requests(scratch, pod);
    struct text text = {0};
    list_for_each (request, &requests) {
        char amount[QUANTITY_TEXT_MAX];
        if (strcmp(request->name, "pods") == 0)
            continue;
        quantity_format(request->name, request->value, amount);
        text_format(&text, "%s%s %s", text.length > 0 ? ", " : "asks for ", amount, request->name);
    }
    if (text.length > 0)
        print_wrapped(stdout, text.data, 0, text_width());
    text_free(&text);
}

// The NodePool's own reason for delayed launches (LIF-440), or NULL.
static const char *launches_wait(const struct snapshot *snapshot, const char *name)
{
    for (uint32_t i = 0; i < snapshot->objects[KIND_NODE_POOL].count; i++) {
        const struct object *pool = snapshot->objects[KIND_NODE_POOL].items[i];
        const struct condition *condition = condition_find(
            &((const struct node_pool *)pool)->status.conditions, CONDITION_LAUNCH_BACK_OFF);
        if (text_equal(pool->meta.name, name) && condition != NULL &&
            text_equal(condition->status, "True"))
            return condition->message;
    }
    return NULL;
}

static void print_waiting(const struct subject *subject, const char *pool)
{
    const char *why = launches_wait(subject->snapshot, pool);
    if (why == NULL)
        return;
    print_paragraph(2, "- launches of NodePool %s wait: %s", pool, why);
}

static void print_refused(const struct subject *subject)
{
    const struct plan_unschedulable *refused = subject->refused;
    printf("%s has no place\n", subject->name);
    print_requests(subject->pod);
    list_for_each (reason, &refused->reasons) {
        if (reason->node_pool == NULL && refused->reasons.count > 1)
            continue; // the summary of existing nodes is more specific
        CLEANUP_FREE char *text = explain_short_reason(reason);
        print_wrapped(stdout, text, 2, text_width());
        if (reason->node_pool != NULL)
            print_waiting(subject, reason->node_pool);
    }
    putchar('\n');
    if (refused->explanation != NULL)
        explain_print(refused->explanation, 0);
}

static void print_choice(const struct subject *subject)
{
    const struct plan_choice *choice = subject->plan->choice;
    if (choice->placement != NULL)
        print_paragraph(0, "%s goes to %s, which is there already", subject->name,
                        choice->placement->name);
    else
        print_paragraph(0, "%s goes to a new node of NodePool %s: %s, $%.4f an hour", subject->name,
                        choice->claim->node_pool->meta.name,
                        choice->claim->types.count > 0
                            ? choice->claim->types.items[0].instance_type->name
                            : "no type",
                        price_to_double(choice->claim->price));
    print_requests(subject->pod);
    for (uint32_t i = 0; i < choice->why.count; i++)
        print_paragraph(2, "- %s", choice->why.items[i]);
    const struct string_list *given_up = &choice->explanation->given_up;
    for (uint32_t i = 0; i < given_up->count; i++)
        print_paragraph(2, "- a preference was given up: %s", given_up->items[i]);
    if (choice->claim != NULL)
        print_waiting(subject, choice->claim->node_pool->meta.name);
    putchar('\n');
    print_paragraph(0, "$%.4f an hour is what this pod adds to the plan here; %s",
                    price_to_double(choice->extra_price),
                    choice->alternatives.count > 0 ? "elsewhere it would add"
                                                   : "no other place takes it");
    list_for_each (alternative, &choice->alternatives)
        print_paragraph(2, "$%.4f %s", price_to_double(alternative->extra_price),
                        alternative->what);
}

// --- for programs --------------------------------------------------------------------------------

static void encode_waiting(json_t *json, const struct subject *subject, const char *pool)
{
    const char *why = pool != NULL ? launches_wait(subject->snapshot, pool) : NULL;
    if (why == NULL)
        return;
    if (json_object_get(json, "launchesWait") == NULL)
        json_object_set_new(json, "launchesWait", json_object());
    json_object_set_new(json_object_get(json, "launchesWait"), pool, json_string(why));
}

static json_t *encode(const struct subject *subject, const char *why_not)
{
    const struct plan_choice *choice = subject->plan->choice;
    json_t *json = json_object();
    json_object_set_new(json, "apiVersion", json_string("adze/v1"));
    json_object_set_new(json, "kind", json_string("PodExplanation"));
    json_object_set_new(json, "pod", json_string(subject->name));
    if (subject->refused != NULL) {
        json_object_set_new(json, "state", json_string("unschedulable"));
        json_t *refused = plan_unschedulable_encode(subject->refused);
        json_object_update_missing(json, refused);
        json_decref(refused);
        list_for_each (reason, &subject->refused->reasons)
            encode_waiting(json, subject, reason->node_pool);
        if (subject->refused->explanation != NULL)
            plan_explanation_encode(json, subject->refused->explanation);
    } else if (choice != NULL) {
        json_object_set_new(json, "state", json_string("planned"));
        if (choice->claim != NULL) {
            json_object_set_new(json, "newNodeClaim", plan_claim_encode(choice->claim));
            encode_waiting(json, subject, choice->claim->node_pool->meta.name);
        } else
            json_object_set_new(json, "existingNode", json_string(choice->placement->name));
        json_t *chosen = plan_choice_encode(choice);
        json_object_update_missing(json, chosen);
        json_decref(chosen);
    } else {
        json_object_set_new(json, "state", json_string("notPlanned"));
        json_object_set_new(json, "detail", json_string(why_not));
    }
    return json;
}

// --- together ------------------------------------------------------------------------------------

static int answer(const struct input_options *options, struct subject *subject)
{
    CLEANUP_FREE char *why_not = why_not_planned(subject->pod);
    list_for_each (entry, &subject->plan->unschedulable)
        if (entry->pod == subject->pod)
            subject->refused = entry;
    int status = 0;
    if (document_is_wanted(options->common.format)) {
        status = document_print(&command_explain, options->common.format, NULL,
                                encode(subject, why_not));
    } else if (subject->refused != NULL) {
        print_refused(subject);
    } else if (subject->plan->choice != NULL) {
        print_choice(subject);
    } else {
        printf("%s is no part of the plan: %s\n", subject->name, why_not);
    }
    return status == 0 && subject->refused != NULL ? EXIT_UNPLACED : status;
}

// The name with --namespace before it, unless it has one; the caller frees it.
static char *in_namespace(const char *name, const char *namespace)
{
    struct text text = {0};
    if (namespace != NULL && strchr(name, '/') == NULL)
        text_format(&text, "%s/", namespace);
    text_add(&text, name);
    return text_take(&text);
}

static int run(const struct input_options *options, const struct snapshot *snapshot,
               char *const *names)
{
    struct error error = {0};
    CLEANUP_FREE char *asked = in_namespace(names[0], options->live.cluster.namespace);
    struct subject subject = {.pod = find_pod(snapshot, asked, &error), .snapshot = snapshot};
    if (subject.pod == NULL)
        return command_failed(&command_explain, &error);
    subject.name = name_of(subject.pod);
    const struct plan_options plan_options = {.explain = EXPLAIN_FULL, .explain_pod = subject.name};
    progress_begin("planning");
    struct plan *plan = engine_plan(snapshot, &plan_options, &error);
    progress_end();
    subject.plan = plan;
    int status =
        plan != NULL ? answer(options, &subject) : command_failed(&command_explain, &error);
    plan_destroy(plan);
    free(subject.name);
    return status;
}

const struct explain_noun explain_noun_pod = {
    .name = "pod",
    .arguments = "NAMESPACE/NAME|NAME",
    .run = run,
};
