// adze crds: the CustomResourceDefinitions, made from the types' tables.
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"
#include "cli/input/options.h"
#include "cli/output/document.h"
#include "model/tables/crd.h"
#include "model/tables/kinds.h"

static bool is_named(const struct kind *kind, const char *name)
{
    char full[200];
    snprintf(full, sizeof full, "%s.%s", kind->plural, kind->group);
    if (strcasecmp(name, kind->name) == 0 || strcasecmp(name, kind->plural) == 0 ||
        strcasecmp(name, kind->singular) == 0 || strcasecmp(name, full) == 0)
        return true;
    const char *const *short_names = kind->custom_facts->short_names;
    for (; short_names != NULL && *short_names != NULL; short_names++)
        if (strcasecmp(name, *short_names) == 0)
            return true;
    return false;
}

// The named kinds; without names all of them.
static json_t *encode_all(char **names, int count, const struct crd_options *options)
{
    json_t *definitions = json_array();
    for (int id = 0; id < KIND_COUNT; id++) {
        const struct kind *kind = kind_get((enum kind_id)id);
        bool wanted =
            kind->custom && count == 0 && !(options->core && kind->id == KIND_EC2_NODE_CLASS);
        for (int i = 0; kind->custom && i < count && !wanted; i++)
            wanted = is_named(kind, names[i]);
        if (wanted)
            json_array_append_new(definitions, crd_encode(kind, options));
    }
    return definitions;
}

static const char *unknown_name(char **names, int count)
{
    for (int i = 0; i < count; i++) {
        bool known = false;
        for (int id = 0; id < KIND_COUNT && !known; id++) {
            const struct kind *kind = kind_get((enum kind_id)id);
            known = kind->custom && is_named(kind, names[i]);
        }
        if (!known)
            return names[i];
    }
    return NULL;
}

// A single definition is printed alone, several as a List.
static int print(const char *format, json_t *definitions)
{
    bool is_alone = json_array_size(definitions) == 1 && strcmp(format, "json") == 0;
    if (!is_alone)
        return document_print_objects(&command_crds, format, definitions);
    json_t *definition = json_incref(json_array_get(definitions, 0));
    json_decref(definitions);
    return document_print(&command_crds, format, NULL, definition);
}

static int run(int argc, char **argv)
{
    static const char *const formats[] = {"yaml", "name", "json", JSONPATH_FORMAT, NULL};
    static const char *const plurals[] = {
        "nodepools",       "nodeclaims", "nodeoverlays", "capacitybuffers", "ec2nodeclasses",
        "kwoknodeclasses", NULL};
    static const struct option options[] = {
        {"core", no_argument, NULL, 'c'}, {"output", required_argument, NULL, 'o'}, {0}};
    struct crd_options crd_options = {0};
    struct file_options output = {.format = "yaml"};
    int option, status;
    optind = 1;
    opterr = 0;
    while ((option = getopt_long(argc, argv, "o:", options, NULL)) != -1)
        switch (option) {
        case 'c':
            crd_options.core = true;
            break;
        case 'o':
            output.format = optarg;
            break;
        default:
            return option_refused(&command_crds, argv, options);
        }
    if (!file_options_check(&command_crds, &output, formats, &status))
        return status;
    const char *unknown = unknown_name(argv + optind, argc - optind);
    if (unknown != NULL) {
        option_is_one_of(&command_crds, "NAME", unknown, plurals, &status);
        return status;
    }
    return print(output.format, encode_all(argv + optind, argc - optind, &crd_options));
}

const struct command command_crds = {
    .name = "crds",
    .arguments = "[--core] [-o FORMAT] [NAME]...",
    .summary = "print the CustomResourceDefinitions",
    .help = "  --core               without the AWS provider's rules and kind\n"
            "  -o, --output FORMAT  yaml (default), name, json or jsonpath=TEMPLATE\n"
            "\n"
            "NAME is a kind, a plural or a short name; without one all are printed.\n"
            "\n"
            "  adze crds | kubectl apply --server-side -f -\n",
    .run = run,
};
