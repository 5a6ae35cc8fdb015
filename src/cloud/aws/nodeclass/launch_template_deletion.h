// The end of launch templates: expiry (AWN-361), adoption of leftovers (AWN-362), deletion with
// their NodeClass (AWN-372).
#pragma once

#include "base/error.h"

struct launch_templates;

// AWN-362: adopts what earlier lives have left. At the beginning of leadership.
void launch_templates_hydrate(struct launch_templates *templates);
// AWN-363: forgets templates that EC2 no longer knows.
void launch_templates_forget(struct launch_templates *templates, const char *name);
// AWN-713: a validation has no use for the template any more: it goes, unless a launch uses it.
void launch_templates_release(struct launch_templates *templates, const char *name);
// AWN-372: deletes all templates of a NodeClass.
typedef void (*launch_templates_deleted)(void *context, const struct error *error);
void launch_templates_delete_all(struct launch_templates *templates, const char *node_class,
                                 launch_templates_deleted done, void *context);
void launch_templates_sweep(void *templates); // the timer's function
