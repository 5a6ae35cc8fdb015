#include "engine/disruption/disrupt_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char * or (const char *text, const char *otherwise)
{
    return text != NULL ? text : otherwise;
}

void add_pool(struct text *world, struct test_pool pool)
{
    text_format(world,
                "{apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: %s, uid: uid-%s}, "
                "spec: {%sdisruption: {%s}, template: {spec: {%snodeClassRef: {group: g, kind: "
                "Class, name: c}}}}%s}\n---\n",
                or (pool.name, "pool"), or (pool.name, "pool"), or (pool.spec, ""),
                or (pool.disruption, "budgets: [{nodes: 100%}], consolidateAfter: 0s, "
                                     "consolidationPolicy: WhenEmptyOrUnderutilized"),
                or (pool.template, ""),
                pool.not_ready ? ", status: {conditions: [{type: Ready, status: 'False', reason: "
                                 "r, message: m, lastTransitionTime: '2025-12-01T00:00:00Z'}]}"
                               : "");
}

static void add_condition(struct text *world, const char *type, const char *since)
{
    text_format(world,
                "{type: %s, status: 'True', reason: r, message: '', lastTransitionTime: '%s'}, ",
                type, since);
}

static void add_labels(struct text *world, const struct test_node *node)
{
    text_format(world,
                "node.kubernetes.io/instance-type: %s, topology.kubernetes.io/zone: %s, "
                "karpenter.sh/capacity-type: %s, kubernetes.io/arch: amd64, kubernetes.io/os: "
                "linux, ",
                or (node->type, "large"), or (node->zone, "a"),
                or (node->capacity_type, "on-demand"));
    if (!node->unmanaged)
        text_format(world, "karpenter.sh/nodepool: %s, karpenter.sh/registered: 'true', ",
                    or (node->pool, "pool"));
    if (!node->unmanaged && !node->uninitialized)
        text_add(world, "karpenter.sh/initialized: 'true', ");
}

static void add_claim(struct text *world, const struct test_node *node)
{
    static const char *const conditions[] = {"Launched", "Registered", "Initialized",
                                             "Consolidatable"};
    text_format(
        world,
        "{apiVersion: karpenter.sh/v1, kind: NodeClaim, metadata: {%sname: claim-%s, uid: "
        "claim-uid-%s, creationTimestamp: '2025-12-01T00:00:00Z', annotations: {%s}, labels: {",
        node->deleting ? "deletionTimestamp: '2025-12-31T00:00:00Z', " : "", node->name, node->name,
        or (node->claim_annotations, ""));
    add_labels(world, node);
    text_format(world,
                "}}, spec: {nodeClassRef: {group: g, kind: Class, name: c}%s%s}, status: "
                "{providerID: 'p:%s', allocatable: {cpu: %s, memory: 64Gi, pods: '100'}%s%s, "
                "conditions: [",
                node->claim_spec != NULL ? ", " : "", or (node->claim_spec, ""), node->name,
                or (node->cpu, "15900m"), node->claim_status != NULL ? ", " : "",
                or (node->claim_status, ""));
    for (size_t i = 0; i < ARRAY_LENGTH(conditions); i++)
        if (!text_equal(node->no_condition, conditions[i]))
            add_condition(world, conditions[i], "2025-12-01T00:00:00Z");
    if (node->drifted != NULL)
        add_condition(world, "Drifted", node->drifted);
    text_add(world, "]}}\n---\n");
}

void add_node(struct text *world, struct test_node node)
{
    if (!node.unmanaged)
        add_claim(world, &node);
    text_format(world,
                "{apiVersion: v1, kind: Node, metadata: {name: %s, uid: uid-%s, annotations: {%s}, "
                "labels: {kubernetes.io/hostname: %s, ",
                node.name, node.name, or (node.annotations, ""), node.name);
    add_labels(world, &node);
    text_format(world,
                "}}, spec: {providerID: 'p:%s', taints: [%s]}, status: {allocatable: {cpu: %s, "
                "memory: 64Gi, pods: '100'}, capacity: {cpu: %s, memory: 64Gi, pods: '100'}, "
                "conditions: [{type: Ready, status: '%s', reason: r, lastTransitionTime: "
                "'2025-12-01T00:00:00Z'}]}}\n---\n",
                node.name, or (node.taints, ""), or (node.cpu, "15900m"), or (node.cpu, "15900m"),
                node.not_ready ? "False" : "True");
}

void add_pod(struct text *world, struct test_pod pod)
{
    const char *owner = or (pod.owner, "ReplicaSet");
    text_format(
        world,
        "{apiVersion: v1, kind: Pod, metadata: {%sname: %s, uid: uid-%s, labels: {%s}, "
        "annotations: {%s}, ownerReferences: [{apiVersion: %s, kind: %s, name: %s, uid: "
        "%s, controller: true}]}, spec: {%s%s%s%s containers: [{name: c, image: i, "
        "resources: {requests: {cpu: '%s'}}}]}, status: {%s}}\n---\n",
        or (pod.meta, ""), pod.name, pod.name, or (pod.labels, ""), or (pod.annotations, ""),
        strcmp(owner, "Node") == 0  ? "v1"
        : strcmp(owner, "Job") == 0 ? "batch/v1"
                                    : "apps/v1",
        owner, or (pod.owner_name, "owner"), or (pod.owner_name, "o"), or (pod.spec, ""),
        pod.node != NULL ? "nodeName: " : "", or (pod.node, ""), pod.node != NULL ? "," : "",
        or (pod.cpu, "1"), or (pod.status, pod.node != NULL ? "phase: Running" : "phase: Pending"));
}

// --- DIS-770 -------------------------------------------------------------------------------------

static uint32_t count_about(const struct plan *plan, const char *name)
{
    uint32_t count = 0;
    list_for_each (verdict, &plan->verdicts)
        count += strcmp(verdict->name, name) == 0;
    list_for_each (command, &plan->disruptions)
        count += string_list_has(&command->candidates, name);
    return count;
}

static bool has_node(const struct snapshot *snapshot, const struct node_claim *claim)
{
    for (uint32_t i = 0; i < snapshot->objects[KIND_NODE].count; i++) {
        const struct node *node = (const struct node *)snapshot->objects[KIND_NODE].items[i];
        if (text_equal(node->spec.provider_id, claim->status.provider_id))
            return true;
    }
    return false;
}

static void check_verdicts(const struct plan_fixture *fixture)
{
    const struct snapshot *snapshot = fixture->snapshot;
    uint32_t counted = 0;
    for (uint32_t i = 0; i < snapshot->objects[KIND_NODE].count; i++) {
        const char *name = snapshot->objects[KIND_NODE].items[i]->meta.name;
        if (count_about(fixture->plan, name) != 1)
            fail_msg("node %s: %u verdicts and commands", name, count_about(fixture->plan, name));
    }
    for (uint32_t i = 0; i < snapshot->objects[KIND_NODE_CLAIM].count; i++) {
        const struct node_claim *claim =
            (const struct node_claim *)snapshot->objects[KIND_NODE_CLAIM].items[i];
        if (!has_node(snapshot, claim))
            assert_int_equal(count_about(fixture->plan, claim->meta.name), 1);
    }
    list_for_each (verdict, &fixture->plan->verdicts) {
        assert_true(verdict->rule[0] != '\0' && verdict->message[0] != '\0');
        assert_true(verdict == fixture->plan->verdicts.items ||
                    strcmp(verdict[-1].name, verdict->name) < 0);
    }
    list_for_each (count, &fixture->plan->verdict_counts)
        counted += count->nodes;
    assert_int_equal(counted, fixture->plan->verdicts.count);
}

void assert_verdict_at(const struct plan *plan, const char *node, const char *rule,
                       const char *part, const char *file, int line)
{
    list_for_each (verdict, &plan->verdicts) {
        if (strcmp(verdict->name, node) != 0)
            continue;
        if (strcmp(verdict->rule, rule) != 0 || strstr(verdict->message, part) == NULL)
            print_error("%s: %s: %s\n", node, verdict->rule, verdict->message);
        _assert_string_equal(verdict->rule, rule, file, line);
        _assert_true(strstr(verdict->message, part) != NULL, part, file, line);
        return;
    }
    print_error("no verdict about %s\n", node);
    _fail(file, line);
}

enum disruption_method method_of(const char *name)
{
    enum disruption_method method = METHOD_ANY;
    assert_true(name == NULL || disruption_method_parse(name, &method));
    return method;
}

struct plan_fixture disrupt(struct text *world, const char *method, const char *settings)
{
    const struct plan_options options = {
        .disrupt = true, .verdicts = true, .methods = disruption_methods_of(method_of(method))};
    struct plan_fixture fixture = plan_yaml_with(world->data, settings, &options);
    text_free(world);
    check_verdicts(&fixture);
    return fixture;
}

struct plan_fixture disrupt_running(struct text *world, const char *method, const char *settings,
                                    const struct disruption_inputs *inputs)
{
    const struct plan_options options = {
        .disrupt = true, .methods = disruption_methods_of(method_of(method)), .inputs = inputs};
    struct plan_fixture fixture = plan_yaml_with(world->data, settings, &options);
    text_free(world);
    return fixture;
}

struct plan_fixture disrupt_bare(struct text *world, const char *method, const char *settings)
{
    const struct plan_options options = {
        .disrupt = true, .verdicts = true, .methods = disruption_methods_of(method_of(method))};
    struct plan_fixture fixture = plan_yaml_bare_with(world->data, settings, &options);
    text_free(world);
    check_verdicts(&fixture);
    return fixture;
}

static void describe(struct text *text, const struct plan_disruption *command)
{
    text_format(text, "%s%s/%s:", text->length > 0 ? "; " : "",
                disruption_reason_name(command->reason),
                consolidation_type_name(command->consolidation));
    list_for_each (name, &command->candidates)
        text_format(text, " %s", *name);
    list_for_each (claim, &command->replacements) {
        text_add(text, " -> ");
        for (uint32_t i = 0; i < claim->types.count; i++)
            text_format(text, "%s%s", i > 0 ? "," : "", claim->types.items[i].instance_type->name);
        text_format(text, " %s", claim_values(claim, LABEL_CAPACITY_TYPE));
        text_format(text, " %s", claim_values(claim, LABEL_ZONE));
    }
}

void describe_disruptions(const struct plan *plan, struct text *text)
{
    list_for_each (command, &plan->disruptions)
        describe(text, command);
}

void assert_disrupts_at(const struct plan *plan, const char *expected, const char *file, int line)
{
    struct text text = {0};
    assert_true(plan->has_disruptions);
    describe_disruptions(plan, &text);
    _assert_string_equal(text.data != NULL ? text.data : "", expected, file, line);
    text_free(&text);
}

const char *note_about(const struct plan *plan, const char *node)
{
    list_for_each (note, &plan->notes)
        if (note->object != NULL && text_equal(note->object->meta.name, node))
            return note->message;
    return NULL;
}

const char *verdict_about(const struct plan *plan, const char *node)
{
    static char text[1024];
    const char *found = NULL;
    list_for_each (verdict, &plan->verdicts)
        if (verdict->node != NULL && text_equal(verdict->node->meta.name, node)) {
            snprintf(text, sizeof text, "%s: %s", verdict->rule, verdict->message);
            found = text;
        }
    return found;
}
