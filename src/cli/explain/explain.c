// adze explain: why a pod is pending, or why it goes to its node; why a node stays.
#include "cli/explain/explain.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "cli/input/command.h"
#include "cli/input/provider_options.h"

static const struct explain_noun *const nouns[] = {&explain_noun_pod, &explain_noun_node,
                                                   &explain_noun_budget};

static int unknown_noun(const char *name)
{
    struct text text = {0};
    const char *names[ARRAY_LENGTH(nouns)];
    for (size_t i = 0; i < ARRAY_LENGTH(nouns); i++)
        names[i] = nouns[i]->name;
    for (size_t i = 0; i < ARRAY_LENGTH(nouns); i++)
        text_format(&text, "%s%s %s", i > 0 ? ", " : "", nouns[i]->name, nouns[i]->arguments);
    if (name != NULL)
        option_add_meant(&text, name, names, ARRAY_LENGTH(nouns), "");
    int status =
        name == NULL
            ? command_usage_error(&command_explain, "what is to be explained: %s", text.data)
            : command_usage_error(&command_explain, "%s cannot be explained; this can: %s", name,
                                  text.data);
    text_free(&text);
    return status;
}

static const struct explain_noun *find_noun(const char *name)
{
    for (size_t i = 0; i < ARRAY_LENGTH(nouns); i++)
        if (strcmp(nouns[i]->name, name) == 0 ||
            (nouns[i]->plural != NULL && strcmp(nouns[i]->plural, name) == 0))
            return nouns[i];
    return NULL;
}

static bool read_arguments(int argc, char **argv, struct input_options *input, int *status)
{
    static const struct option options[] = {INPUT_OPTIONS, {0}};
    int option;
    optind = 1;
    opterr = 0;
    while ((option = getopt_long(argc, argv, INPUT_OPTIONS_SHORT, options, NULL)) != -1)
        if (!input_take_option(input, option)) {
            *status = option_refused(&command_explain, argv, options);
            return false;
        }
    return input_check_options(&command_explain, input, status);
}

static int explain(const struct explain_noun *noun, char *const *names, struct input_options *input)
{
    struct error error = {0};
    struct snapshot *snapshot = snapshot_create();
    int status = input_read(input, snapshot, &error) ? noun->run(input, snapshot, names)
                                                     : command_failed(&command_explain, &error);
    snapshot_destroy(snapshot);
    return status;
}

static int run(int argc, char **argv)
{
    struct input_options input = {
        .common = {.format = "table"}, .admission = true, .explains = true};
    int status = 0;
    if (read_arguments(argc, argv, &input, &status)) {
        const char *name = optind < argc ? argv[optind] : NULL;
        const struct explain_noun *noun = name != NULL ? find_noun(name) : NULL;
        if (noun == NULL)
            status = unknown_noun(name);
        else if (!noun->many && optind + 2 != argc)
            status = command_usage_error(&command_explain, "%s takes one name: %s", noun->name,
                                         noun->arguments);
        else
            status = explain(noun, argv + optind + 1, &input);
    }
    input_free(&input);
    return status;
}

const struct command command_explain = {
    .name = "explain",
    .arguments = "pod NAMESPACE/NAME|NAME, node [NAME]... or budget NODEPOOL "
                 "[-f FILE|DIR|-]... [-o FORMAT]",
    .summary = "why a pod is pending or goes where it goes, why a node stays; changes nothing",
    .help = INPUT_HELP
    "\n"
    "For a pod without a place: what existing nodes have against it, how many instance types\n"
    "of each NodePool every check leaves, the type that comes nearest, and which single\n"
    "change would help. For one with a place: why this node, and what the next best would\n"
    "cost more.\n"
    "\n"
    "For a node: the rule that keeps it from being disrupted now, with the blocker's name and\n"
    "numbers, or what is done with it. Without a name: for all nodes.\n"
    "\n"
    "For the disruption budgets of a NodePool: what each allows, and when it counts next, in\n"
    "UTC and in local time.\n"
    "\n"
    "Exit status: 0 the pod has or gets a place, 3 it has none, 2 bad input (such as a pod\n"
    "or file that is not there), 1 it failed (a file or cluster that cannot be read).\n"
    "\n"
    "  adze explain pod inflate-0 -f examples/inflate.yaml\n"
    "  adze explain pod default/web-5d8c7 -o json\n"
    "  adze explain node ip-10-0-1-23\n"
    "  adze explain nodes -f cluster.json\n"
    "  adze explain budget default\n",
    .more_help = providers_offered_help,
    .run = run,
};
