// Shared by the stories (test_stories_*.c): pools, workloads, small catalogs, and counts.
#pragma once

#include "simulation/cluster_view.h"

struct story_pool {            // NULL members have the noted default
    const char *name;          // "default"
    const char *policy;        // WhenEmptyOrUnderutilized
    const char *after;         // consolidateAfter: 0s
    const char *budgets;       // YAML's flow style: [{nodes: '100%'}]
    const char *expire_after;  // Never
    const char *labels;        // of the template, as "a: b"
    const char *requirements;  // instance-cpu less than 9
    const char *spec;          // a further member, as "weight: 5"
    const char *template_spec; // further members of the template's spec, as "taints: [...], "
};
void story_pool(struct scenario *scenario, const struct story_pool *pool);

struct story_app {    // a Deployment; its pods are labelled app: NAME
    const char *name; // must be given
    uint32_t replicas;
    const char *cpu;         // must be given
    const char *memory;      // 64Mi
    const char *spec;        // further members of the pods' spec, as "nodeSelector: {a: b}, "
    const char *annotations; // of the pods, as "a: b"
};
void story_app(struct scenario *scenario, const struct story_app *app);

struct story_type {
    const char *name;
    uint32_t cpu, memory_gib;
    double price; // on demand, in each zone
};
// Replaces the catalog, before scenario_begin(): linux on amd64 in two zones, on demand only.
void story_catalog(struct scenario *scenario, const struct story_type *types, uint32_t count);

uint32_t story_nodes(struct scenario *scenario);
uint64_t story_launches(struct scenario *scenario);
uint32_t story_running_of(struct scenario *scenario, const char *app); // ready pods
// Nodes whose label has the value.
uint32_t story_nodes_labelled(struct scenario *scenario, const char *key, const char *value);
