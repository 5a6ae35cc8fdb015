#include "cli/commands.h"

#include <string.h>

const struct command *const commands[] = {
    &command_controller, &command_demo,      &command_plan,         &command_explain,
    &command_budgets,    &command_cost,      &command_snapshot,     &command_validate,
    &command_convert,    &command_preflight, &command_crds,         &command_iam,
    &command_doctor,     &command_manifests, &command_node_watcher, &command_bench,
    &command_completion, &command_man,       &command_version,      NULL,
};

const struct command *command_find(const char *name)
{
    for (const struct command *const *at = commands; *at != NULL; at++)
        if (strcmp((*at)->name, name) == 0)
            return *at;
    return NULL;
}
