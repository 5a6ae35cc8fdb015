// Shared by the sources of launch_templates.h: templates known, and the launches that wait.
#pragma once

#include "base/map.h"
#include "base/vector.h"
#include "cloud/aws/nodeclass/launch_templates_options.h"

enum template_state {
    TEMPLATE_ENSURING, // looked up or created
    TEMPLATE_KNOWN,
    TEMPLATE_DELETING, // launches that want it wait and create it again
};
struct template_waiter;
struct template_entry {
    struct launch_templates *templates;
    char *name, *id;
    char *node_class; // NULL: adopted
    enum template_state state;
    int64_t used_at; // monotonic
    struct aws_call *call;
    json_t *parameters; // of CreateLaunchTemplate, while it is ensured
    uint32_t user_data_bytes;
    bool once;
    bool launched; // wanted by another than a validation, or adopted
    VECTOR(struct template_waiter *) waiters;
};
struct template_job; // an ensure, hydration or deletion under way

struct launch_templates {
    struct launch_templates_options options;
    struct map *entries; // by name -> struct template_entry
    struct timer *sweep;
    struct metric *user_data_bytes;
    struct template_job *jobs; // all under way
};

// The first member of each kind of job.
struct template_job {
    struct launch_templates *templates;
    struct template_job *next, *previous;
    struct aws_call *call;
    void (*free_parts)(struct template_job *job); // NULL: none
};
void *template_job_begin(struct launch_templates *templates, size_t size);
void template_job_end(struct template_job *job); // frees it; cancels a call under way

void template_entry_start(struct template_entry *entry);
void template_entry_free(struct template_entry *entry); // not in the map any more
