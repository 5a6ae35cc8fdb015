#include "cli/commands.h"

#include <stdio.h>
#include <string.h>

#include "cli/input/options.h"

#define COMMANDS_MAX 64

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

int command_unknown(const char *name)
{
    const char *names[COMMANDS_MAX];
    struct text text = {0};
    size_t count = 0;
    for (const struct command *const *at = commands; *at != NULL && count < COMMANDS_MAX; at++)
        names[count++] = (*at)->name;
    option_add_meant(&text, name, names, count, "");
    fprintf(stderr, "adze: there is no command \"%s\"%s (`adze help` lists them)\n", name,
            text_or_empty(text.data));
    text_free(&text);
    return EXIT_BAD_INPUT;
}
