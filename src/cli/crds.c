// adze crds: the CustomResourceDefinitions, made from the types' tables.
#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"
#include "cli/input/command.h"
#include "model/manifest/yaml_write.h"
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

static void print_yaml(const json_t *definitions)
{
    size_t index;
    json_t *definition;
    json_array_foreach (definitions, index, definition) {
        struct text text = {0};
        yaml_write(definition, &text);
        printf("---\n%s", text.data);
        text_free(&text);
    }
}

// A single definition is printed alone, several as a List.
static void print_json(const json_t *definitions)
{
    json_t *list =
        json_pack("{s:s,s:s,s:O}", "apiVersion", "v1", "kind", "List", "items", definitions);
    json_dumpf(json_array_size(definitions) == 1 ? json_array_get(definitions, 0) : list, stdout,
               JSON_INDENT(2));
    putchar('\n');
    json_decref(list);
}

static int run(int argc, char **argv)
{
    static const struct option options[] = {
        {"core", no_argument, NULL, 'c'}, {"output", required_argument, NULL, 'o'}, {0}};
    struct crd_options crd_options = {0};
    const char *format = "yaml";
    int option;
    optind = 1;
    opterr = 0;
    while ((option = getopt_long(argc, argv, "o:", options, NULL)) != -1)
        switch (option) {
        case 'c':
            crd_options.core = true;
            break;
        case 'o':
            format = optarg;
            break;
        default:
            return command_usage_error(&command_crds, "unknown or incomplete option %s",
                                       argv[optind - 1]);
        }
    bool as_json = strcmp(format, "json") == 0;
    if (!as_json && strcmp(format, "yaml") != 0)
        return command_usage_error(&command_crds, "-o takes yaml or json, not %s", format);
    const char *unknown = unknown_name(argv + optind, argc - optind);
    if (unknown != NULL)
        return command_usage_error(&command_crds,
                                   "%s is none of nodepools, nodeclaims, nodeoverlays, "
                                   "capacitybuffers, ec2nodeclasses, kwoknodeclasses",
                                   unknown);
    json_t *definitions = encode_all(argv + optind, argc - optind, &crd_options);
    if (as_json)
        print_json(definitions);
    else
        print_yaml(definitions);
    json_decref(definitions);
    return 0;
}

const struct command command_crds = {
    .name = "crds",
    .arguments = "[--core] [-o yaml|json] [NAME]...",
    .summary = "print the CustomResourceDefinitions",
    .help = "  --core               without the AWS provider's rules and kind\n"
            "  -o, --output FORMAT  yaml (default) or json\n"
            "\n"
            "NAME is a kind, a plural or a short name; without one all are printed.\n"
            "\n"
            "  adze crds | kubectl apply --server-side -f -\n",
    .run = run,
};
