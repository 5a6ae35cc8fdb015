// adze explain node: why a node stays now, or how it is disrupted (DIS-770).
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/quantity.h"
#include "base/text.h"
#include "cli/explain/explain.h"
#include "cli/explain/explain_drift.h"
#include "cli/input/progress.h"
#include "cli/output/blocked_print.h"
#include "cli/output/columns.h"
#include "cli/output/document.h"
#include "cli/output/explain_print.h"
#include "cli/output/terminal.h"
#include "engine/engine.h"
#include "model/reading/pod.h"
#include "model/snapshot/plan_encode.h"
#include "model/snapshot/verdict_rules.h"

#define NAMES_SHOWN 3

struct subject {
    const char *name;
    const struct node *node;               // NULL: only a NodeClaim
    const struct plan_verdict *verdict;    // the reason why it stays, or
    const struct plan_disruption *command; // the command that disrupts it
    const char *untracked;                 // or the reason why it is not considered
};

// --- finding the node ----------------------------------------------------------------------------

static const struct node *find_node(const struct snapshot *snapshot, const char *name)
{
    for (uint32_t i = 0; i < snapshot->objects[KIND_NODE].count; i++) {
        const struct node *node = (const struct node *)snapshot->objects[KIND_NODE].items[i];
        if (text_equal(node->meta.name, name))
            return node;
    }
    return NULL;
}

// The name of the Node of a NodeClaim of that name; the name itself if there is none.
static const char *node_name_of(const struct snapshot *snapshot, const char *name)
{
    for (uint32_t i = 0; i < snapshot->objects[KIND_NODE_CLAIM].count; i++) {
        const struct node_claim *claim =
            (const struct node_claim *)snapshot->objects[KIND_NODE_CLAIM].items[i];
        const char *provider = claim->status.provider_id;
        if (!text_equal(claim->meta.name, name) || provider == NULL || provider[0] == '\0')
            continue;
        for (uint32_t n = 0; n < snapshot->objects[KIND_NODE].count; n++) {
            const struct node *node = (const struct node *)snapshot->objects[KIND_NODE].items[n];
            if (text_equal(node->spec.provider_id, provider))
                return node->meta.name;
        }
    }
    return name;
}

static void no_such_node(const struct snapshot *snapshot, const char *name, struct error *error)
{
    uint32_t nodes = snapshot->objects[KIND_NODE].count;
    uint32_t claims = snapshot->objects[KIND_NODE_CLAIM].count, count = 0;
    const char **names = memory_allocate_array(nodes + claims + 1, sizeof *names);
    const char *near[NAMES_SHOWN];
    for (uint32_t i = 0; i < nodes; i++)
        names[count++] = snapshot->objects[KIND_NODE].items[i]->meta.name;
    for (uint32_t i = 0; i < claims; i++)
        names[count++] = snapshot->objects[KIND_NODE_CLAIM].items[i]->meta.name;
    size_t shown = text_nearest(name, names, count, near, NAMES_SHOWN);
    struct text text = {0};
    for (size_t i = 0; i < shown; i++)
        text_format(&text, "%s%s", i == 0 ? "; did you mean " : " or ", near[i]);
    text_add(&text, shown > 0 ? "?" : " among those that were read");
    error_set(error, ERROR_INVALID, "there is no node %s%s", name, text.data);
    text_free(&text);
    free(names);
}

static bool find_subject(const struct snapshot *snapshot, const struct plan *plan,
                         const char *asked, struct subject *subject, struct error *error)
{
    const char *name = node_name_of(snapshot, asked);
    *subject = (struct subject){.name = name, .node = find_node(snapshot, name)};
    list_for_each (verdict, &plan->verdicts)
        if (strcmp(verdict->name, name) == 0)
            subject->verdict = verdict;
    list_for_each (command, &plan->disruptions)
        if (string_list_has(&command->candidates, name))
            subject->command = command;
    if (subject->verdict != NULL || subject->command != NULL)
        return true;
    if (subject->node == NULL) {
        no_such_node(snapshot, asked, error);
        return false;
    }
    subject->untracked = "nothing is decided about it yet: it is a NodePool's, but has no provider "
                         "ID or no instance type, or its provider ID is another Node's";
    return true;
}

// --- the text ------------------------------------------------------------------------------------

static void add_label(struct text *text, const char *before, const struct string_map *labels,
                      const char *key)
{
    const char *value = string_map_get(labels, key);
    if (value != NULL)
        text_format(text, "%s%s%s", text->length > 0 ? ", " : "", before, value);
}

static void print_context(const struct snapshot *snapshot, const struct subject *subject)
{
    struct text text = {0};
    uint32_t pods = 0;
    const struct object *object = (const struct object *)subject->node;
    if (object == NULL)
        object = (const struct object *)subject->verdict->claim;
    for (uint32_t i = 0; i < snapshot->objects[KIND_POD].count; i++) {
        const struct pod *pod = (const struct pod *)snapshot->objects[KIND_POD].items[i];
        pods += subject->node != NULL && !pod_is_terminal(pod) &&
                text_equal(pod->spec.node_name, subject->name);
    }
    add_label(&text, "NodePool ", &object->meta.labels, LABEL_NODE_POOL);
    add_label(&text, "", &object->meta.labels, LABEL_INSTANCE_TYPE);
    add_label(&text, "", &object->meta.labels, LABEL_ZONE);
    add_label(&text, "", &object->meta.labels, LABEL_CAPACITY_TYPE);
    text_format(&text, "%s%" PRIu32 " pod%s", text.length > 0 ? "; " : "", pods,
                pods == 1 ? "" : "s");
    print_wrapped(stdout, text.data, 2, text_width());
    text_free(&text);
}

static void print_subject(const struct snapshot *snapshot, const struct subject *subject)
{
    if (subject->command != NULL)
        printf("%s goes\n", subject->name);
    else if (subject->verdict != NULL)
        print_paragraph(0, "%s stays: %s, %s", subject->name, subject->verdict->rule,
                        verdict_rule_words(subject->verdict->rule));
    else
        printf("%s stays\n", subject->name);
    print_context(snapshot, subject);
    if (subject->command != NULL)
        disruption_print(subject->command);
    else
        print_wrapped(stdout,
                      subject->verdict != NULL ? subject->verdict->message : subject->untracked, 2,
                      text_width());
    explain_drift_print(snapshot, subject->name);
}

// Whether consolidation could still gain anything (DIS-745).
static void print_repack(const struct plan *plan)
{
    if (plan->repack.target > 0)
        print_paragraph(0,
                        "nodes that may be consolidated cost $%.4f an hour, in a new plan of "
                        "their pods $%.4f",
                        price_to_double(plan->repack.price), price_to_double(plan->repack.target));
}

static void print_all(const struct plan *plan)
{
    print_heading("DISRUPTIONS");
    if (plan->disruptions.count == 0)
        printf("none\n");
    list_for_each (command, &plan->disruptions)
        disruption_print(command);
    print_repack(plan);
    putchar('\n');
    verdicts_print(plan);
}

// --- for programs --------------------------------------------------------------------------------

static json_t *encode_command(const char *name, const struct plan_disruption *command)
{
    json_t *json = json_object();
    json_object_set_new(json, "name", json_string(name));
    json_object_set_new(json, "state", json_string("goes"));
    json_object_set_new(json, "command", plan_disruption_encode(command));
    return json;
}

static json_t *encode_subject(const struct snapshot *snapshot, const struct subject *subject)
{
    json_t *json;
    if (subject->command != NULL) {
        json = encode_command(subject->name, subject->command);
        explain_drift_encode(json, snapshot, subject->name);
        return json;
    }
    if (subject->verdict != NULL) {
        json = plan_verdict_encode(subject->verdict);
    } else {
        json = json_object();
        json_object_set_new(json, "name", json_string(subject->name));
        json_object_set_new(json, "message", json_string(subject->untracked));
    }
    json_object_set_new(json, "state", json_string("stays"));
    explain_drift_encode(json, snapshot, subject->name);
    return json;
}

static json_t *encode_list(json_t *nodes, const struct plan *plan)
{
    json_t *json = json_object(), *rules = json_array();
    list_for_each (count, &plan->verdict_counts)
        json_array_append_new(
            rules, json_pack("{s:s, s:I}", "rule", count->rule, "nodes", (json_int_t)count->nodes));
    json_object_set_new(json, "apiVersion", json_string("adze/v1"));
    json_object_set_new(json, "kind", json_string("NodeExplanationList"));
    json_object_set_new(json, "nodes", nodes);
    json_object_set_new(json, "rules", rules);
    if (plan->repack.target > 0)
        json_object_set_new(json, "repack",
                            json_pack("{s:f, s:f}", "pricePerHour",
                                      price_to_double(plan->repack.price), "targetPerHour",
                                      price_to_double(plan->repack.target)));
    return json;
}

static json_t *encode_all(const struct snapshot *snapshot, const struct plan *plan)
{
    json_t *nodes = json_array();
    list_for_each (command, &plan->disruptions)
        list_for_each (name, &command->candidates) {
            const struct subject subject = {.name = *name, .command = command};
            json_array_append_new(nodes, encode_subject(snapshot, &subject));
        }
    list_for_each (verdict, &plan->verdicts) {
        const struct subject subject = {.name = verdict->name, .verdict = verdict};
        json_array_append_new(nodes, encode_subject(snapshot, &subject));
    }
    return encode_list(nodes, plan);
}

static json_t *encode_subjects(const struct snapshot *snapshot, const struct subject *subjects,
                               size_t count, const struct plan *plan)
{
    if (count == 1) {
        json_t *json = json_object(), *node = encode_subject(snapshot, &subjects[0]);
        json_object_set_new(json, "apiVersion", json_string("adze/v1"));
        json_object_set_new(json, "kind", json_string("NodeExplanation"));
        json_object_update_missing(json, node);
        json_decref(node);
        return json;
    }
    json_t *nodes = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(nodes, encode_subject(snapshot, &subjects[i]));
    return encode_list(nodes, plan);
}

// --- together ------------------------------------------------------------------------------------

// -o name.
static const char node_names[] = "{range .nodes[*]}node/{.name}{\"\\n\"}{end}";

static int answer(const struct input_options *options, const struct snapshot *snapshot,
                  const struct plan *plan, char *const *names)
{
    bool table = !document_is_wanted(options->common.format);
    size_t count = 0;
    while (names[count] != NULL)
        count++;
    struct subject *subjects = memory_allocate_array(count + 1, sizeof *subjects);
    int status = 0;
    for (size_t i = 0; i < count && status == 0; i++) {
        struct error error = {0};
        if (!find_subject(snapshot, plan, names[i], &subjects[i], &error))
            status = command_failed(&command_explain, &error);
    }
    if (status == 0 && !table)
        status = document_print(&command_explain, options->common.format,
                                count == 1 ? "node/{.name}\n" : node_names,
                                count == 0 ? encode_all(snapshot, plan)
                                           : encode_subjects(snapshot, subjects, count, plan));
    else if (status == 0 && count == 0)
        print_all(plan);
    for (size_t i = 0; i < count && status == 0 && table; i++)
        print_subject(snapshot, &subjects[i]);
    free(subjects);
    return status;
}

static int run(const struct input_options *options, const struct snapshot *snapshot,
               char *const *names)
{
    struct error error = {0};
    const struct plan_options plan_options = {.disrupt = true, .verdicts = true};
    progress_begin("planning");
    struct plan *plan = engine_plan(snapshot, &plan_options, &error);
    progress_end();
    if (plan == NULL)
        return command_failed(&command_explain, &error);
    int status = answer(options, snapshot, plan, names);
    plan_destroy(plan);
    return status;
}

const struct explain_noun explain_noun_node = {
    .name = "node",
    .plural = "nodes",
    .arguments = "[NAME]...",
    .many = true,
    .run = run,
};
