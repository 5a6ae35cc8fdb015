// Launch templates (AWN-340 to 372): content, name, creation on demand, expiry, clean-up.
//
// The name is a function of the content (AWN-341), so that equal launches share a template.
#pragma once

#include "cloud/aws/client/aws_client.h"
#include "cloud/aws/families/cluster_facts.h"
#include "cloud/aws/types/ec2_types.h"
#include "cloud/aws/types/placement_group.h"
#include "model/reading/settings.h"
#include "model/schema/ec2_node_class.h"

struct launch_templates;
struct launch_templates_options { // borrowed
    struct loop *loop;
    struct aws_client *client;
    const struct settings *settings;
    const struct cluster_facts *cluster;
    struct metrics *metrics; // NULL: none
    // For kubelet expressions; NULL: they are resolved without facts about network interfaces.
    const struct ec2_types *types;
};
struct launch_templates *launch_templates_create(const struct launch_templates_options *options);
void launch_templates_destroy(struct launch_templates *templates);
// AWN-362: adopts what earlier lives have left. At the beginning of leadership.
void launch_templates_hydrate(struct launch_templates *templates);

struct launch_template_request { // borrowed until `done`
    const struct ec2_node_class *node_class;
    const struct node_claim *claim; // labels, taints, requirements, requests, annotations
    const struct instance_type *const *types;
    uint32_t types_count;
    const char *capacity_type, *tenancy;
    json_t *tags;                        // borrowed: {"key": "value"} (AWN-460)
    const struct placement_group *group; // NULL: none
    bool once;                           // validation: not retried (AWN-437)
};
// AWN-340: one for each combination of what types differ in.
struct launch_template {
    const char *name, *image_id;
    const char *reservation_id; // NULL: not reserved
    const struct instance_type *const *types;
    uint32_t types_count;
};
struct launch_templates_result {
    struct error error;
    // The AWS error, if it is one: "<code>: <message>" for launch_failure_of(); else NULL.
    const char *aws_text;
    enum aws_fault fault;
    const struct launch_template *items; // borrowed until the callback returns
    uint32_t count;
};
typedef void (*launch_templates_done)(void *context, const struct launch_templates_result *result);
// Builds and ensures the templates. `done` is called once, never before this function has returned.
void launch_templates_ensure(struct launch_templates *templates,
                             const struct launch_template_request *request,
                             launch_templates_done done, void *context);
// AWN-363: forgets templates that EC2 no longer knows.
void launch_templates_forget(struct launch_templates *templates, const char *name);
// AWN-372: deletes all templates of a NodeClass.
typedef void (*launch_templates_deleted)(void *context, const struct error *error);
void launch_templates_delete_all(struct launch_templates *templates, const char *node_class,
                                 launch_templates_deleted done, void *context);
