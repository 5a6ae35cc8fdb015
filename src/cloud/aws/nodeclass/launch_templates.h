// Launch templates (AWN-340 to 372): content, name, creation on demand, expiry, clean-up.
//
// The name is a function of the content (AWN-341), so that equal launches share a template.
#pragma once

#include "cloud/aws/nodeclass/launch_template_deletion.h"
#include "cloud/aws/nodeclass/launch_template_request.h"
#include "cloud/aws/nodeclass/launch_templates_options.h"

struct launch_templates;
struct launch_templates *launch_templates_create(const struct launch_templates_options *options);
void launch_templates_destroy(struct launch_templates *templates);

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
