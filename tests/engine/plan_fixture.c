#include "engine/plan_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "engine/engine.h"
#include "model/snapshot/plan_encode.h"
#include "model/snapshot/snapshot_complete.h"
#include "model/snapshot/snapshot_read.h"

static void add_type(struct text *text, const char *name, const char *arch, int cpu, int memory_gi,
                     const char *more_capacity, double surcharge)
{
    text_format(text,
                "  - name: %s\n"
                "    requirements:\n"
                "    - {key: kubernetes.io/arch, operator: In, values: [%s]}\n"
                "    - {key: kubernetes.io/os, operator: In, values: [linux]}\n"
                "    - {key: topology.kubernetes.io/zone, operator: In, values: [a, b, c]}\n"
                "    - {key: karpenter.sh/capacity-type, operator: In, values: [on-demand, spot]}\n"
                "    - {key: example.com/size, operator: In, values: ['%d']}\n"
                "    capacity: {cpu: '%d', memory: %dGi, pods: '%d'%s}\n"
                "    overhead: {kubeReserved: {cpu: 100m, memory: 100Mi}}\n"
                "    offerings:\n",
                name, arch, cpu, cpu, memory_gi, 10 * cpu, more_capacity);
    for (int i = 0; i < 5; i++)
        text_format(text,
                    "    - {price: %.4f, available: true, requirements: ["
                    "{key: topology.kubernetes.io/zone, operator: In, values: [%c]}, "
                    "{key: karpenter.sh/capacity-type, operator: In, values: [%s]}]}\n",
                    (i < 3 ? 0.05 : 0.02) * cpu + surcharge, 'a' + i % 3,
                    i < 3 ? "on-demand" : "spot");
}

static void add_catalog(struct text *text)
{
    text_add(text, "apiVersion: adze/v1\nkind: InstanceTypeCatalog\nmetadata: {name: types}\n"
                   "spec:\n  instanceTypes:\n");
    add_type(text, "small", "amd64", 2, 4, "", 0);
    add_type(text, "medium", "amd64", 4, 8, "", 0);
    add_type(text, "large", "amd64", 16, 32, "", 0);
    add_type(text, "arm", "arm64", 4, 8, "", 0.001);
    add_type(text, "gpu", "amd64", 8, 16, ", example.com/gpu: '2'", 1);
    text_add(text, "---\n");
}

static const struct plan_options with_reasons = {.explain = EXPLAIN_REASONS};

static struct plan_fixture plan_text(struct text *text, const struct plan_options *options)
{
    struct plan_fixture fixture = {.snapshot = snapshot_create(), .text = text_take(text)};
    struct error error = {0};
    if (!snapshot_read_text(fixture.snapshot, fixture.text, strlen(fixture.text), "test", true,
                            &error) ||
        !snapshot_complete(fixture.snapshot, &error))
        fail_msg("%s", error.message);
    fixture.plan = engine_plan(fixture.snapshot, options, &error);
    if (fixture.plan == NULL)
        fail_msg("%s", error.message);
    return fixture;
}

struct plan_fixture plan_as_given(const char *documents)
{
    struct text text = {0};
    text_add(&text, documents);
    return plan_text(&text, &with_reasons);
}

struct plan_fixture plan_yaml_bare_with(const char *documents, const char *extra_settings,
                                        const struct plan_options *options)
{
    struct text text = {0};
    const char *settings = extra_settings != NULL ? extra_settings : "";
    text_format(&text,
                "{apiVersion: adze/v1, kind: SnapshotContext, metadata: {name: context}, "
                "spec: {time: '2026-01-01T00:00:00Z', settings: {%s%s%s%s%s}}}\n---\n%s",
                strstr(settings, "PACKING_POLICY") == NULL ? "PACKING_POLICY: Greedy, " : "",
                strstr(settings, "NODE_COST") == NULL ? "NODE_COST: '0', " : "",
                strstr(settings, "COST_PER_POD") == NULL ? "DISRUPTION_COST_PER_POD: '0', " : "",
                strstr(settings, "LAUNCH_COST") == NULL ? "LAUNCH_COST: '0', " : "", settings,
                documents);
    return plan_text(&text, options);
}

struct plan_fixture plan_yaml_bare(const char *documents, const char *extra_settings)
{
    return plan_yaml_bare_with(documents, extra_settings, &with_reasons);
}

struct plan_fixture plan_yaml(const char *documents, const char *extra_settings)
{
    return plan_yaml_with(documents, extra_settings, &with_reasons);
}

struct plan_fixture plan_yaml_with(const char *documents, const char *extra_settings,
                                   const struct plan_options *options)
{
    struct text text = {0};
    add_catalog(&text);
    text_add(&text, documents);
    struct plan_fixture fixture = plan_yaml_bare_with(text.data, extra_settings, options);
    text_free(&text);
    return fixture;
}

void plan_fixture_free(struct plan_fixture *fixture)
{
    plan_destroy(fixture->plan);
    snapshot_destroy(fixture->snapshot);
    free(fixture->text);
}

const struct plan_claim *claim_of(const struct plan *plan, const char *pod)
{
    list_for_each (claim, &plan->claims)
        list_for_each (item, &claim->pods)
            if (strcmp((*item)->meta.name, pod) == 0)
                return claim;
    return NULL;
}

const char *node_of(const struct plan *plan, const char *pod)
{
    list_for_each (placement, &plan->placements)
        list_for_each (item, &placement->pods)
            if (strcmp((*item)->meta.name, pod) == 0)
                return placement->name;
    return NULL;
}

const struct plan_unschedulable *unplaced(const struct plan *plan, const char *pod)
{
    list_for_each (entry, &plan->unschedulable)
        if (strcmp(entry->pod->meta.name, pod) == 0)
            return entry;
    return NULL;
}

const char *claim_values(const struct plan_claim *claim, const char *key)
{
    static char out[400];
    snprintf(out, sizeof out, "-");
    list_for_each (requirement, &claim->requirements) {
        if (strcmp(requirement->key, key) != 0)
            continue;
        size_t length = 0;
        for (uint32_t i = 0; i < requirement->values.count; i++)
            length += (size_t)snprintf(out + length, sizeof out - length, "%s%s", i > 0 ? "," : "",
                                       requirement->values.items[i]);
        if (requirement->values.count == 0)
            snprintf(out, sizeof out, "%s", requirement->operator);
    }
    return out;
}

bool claim_has_type(const struct plan_claim *claim, const char *type)
{
    list_for_each (item, &claim->types)
        if (strcmp(item->instance_type->name, type) == 0)
            return true;
    return false;
}

const char *spread_over(const struct plan *plan, const char *key)
{
    static char out[400];
    static char names[32][100];
    uint32_t counts[32] = {0}, count = 0;
    list_for_each (claim, &plan->claims) {
        const char *value = claim_values(claim, key);
        uint32_t at = 0;
        while (at < count && strcmp(names[at], value) != 0)
            at++;
        if (at == count)
            snprintf(names[count++], sizeof names[0], "%s", value);
        counts[at] += claim->pods.count;
    }
    size_t length = 0;
    out[0] = '\0';
    for (uint32_t done = 0; done < count; done++) {
        uint32_t best = UINT32_MAX;
        for (uint32_t i = 0; i < count; i++)
            if (counts[i] > 0 && (best == UINT32_MAX || strcmp(names[i], names[best]) < 0))
                best = i;
        length += (size_t)snprintf(out + length, sizeof out - length, "%s%s:%u",
                                   done > 0 ? " " : "", names[best], counts[best]);
        counts[best] = 0;
    }
    return out;
}

char *plan_json(const struct plan *plan)
{
    json_t *json = plan_encode(plan);
    char *text = json_dumps(json, JSON_INDENT(1));
    json_decref(json);
    return text;
}
