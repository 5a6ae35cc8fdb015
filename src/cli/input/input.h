// The input of plan and explain: manifests, a saved snapshot or a live cluster, with the instance
// types; and the options for input and output.
#pragma once

#include <jansson.h>

#include "base/vector.h"
#include "cli/input/cluster_options.h"
#include "cli/input/command.h"
#include "cli/input/live_snapshot.h"
#include "cli/input/options.h"
#include "cli/input/plan_settings.h"
#include "cli/input/region.h"
#include "model/snapshot/snapshot.h"

struct input_options {
    struct file_options common; // -f, -o, --color
    struct live_options live;
    const char *catalog;
    struct plan_settings settings; // --set, --settings
    bool strict;
    // Whether what an API server or the controller would refuse is refused, unless `force`
    // (manifest_check.h). Without: it is read as far as it goes.
    // `explains`: objects that an API server would refuse are only told of.
    bool admission, force, explains;
    struct region region; // after input_read(): of built-in types
    // After input_read(): the provider whose built-in instance types these are; NULL: others.
    const struct cloud_provider *built_in;
    // After input_read(), for messages. Lines: the source of the instance types, then what was
    // assumed; what of the input has no effect (left_out.h); both for the head of a table.
    char *assumptions, *left_out, *catalog_text;
};

#define INPUT_OPTIONS_SHORT FILE_OPTIONS_SHORT CLUSTER_OPTIONS_SHORT

// Rows of getopt_long()'s table; their values are above those of ASCII, except 'f' and 'o'.
enum {
    INPUT_STRICT = 256,
    INPUT_CATALOG,
    INPUT_REGION,
    INPUT_PROVIDER,
    INPUT_SET,
    INPUT_SETTINGS,
    INPUT_FORCE,
    INPUT_OPTIONS_END,
};
#define INPUT_OPTIONS                                                         \
    FILE_OPTIONS, HEADERS_OPTION, {"snapshot", required_argument, NULL, 'f'}, \
        {"strict", no_argument, NULL, INPUT_STRICT},                          \
        {"catalog", required_argument, NULL, INPUT_CATALOG},                  \
        {"region", required_argument, NULL, INPUT_REGION}, CLUSTER_OPTIONS,   \
        {"set", required_argument, NULL, INPUT_SET},                          \
        {"settings", required_argument, NULL, INPUT_SETTINGS},                \
        {"force", no_argument, NULL, INPUT_FORCE},                            \
    {                                                                         \
        "provider", required_argument, NULL, INPUT_PROVIDER                   \
    }
#define INPUT_HELP                                                                               \
    "  -f, --file FILE      manifests or a saved snapshot (YAML or JSON; a directory; - for\n"   \
    "                       standard input); may be repeated. Without it: the live cluster.\n"   \
    "      --snapshot FILE  the same as --file\n"                                                \
    "  -o, --output FORMAT  table (default), wide, name, json, yaml or jsonpath=TEMPLATE\n"      \
    "      --no-headers     tables without their titles\n"                                       \
    "      --color WHEN     auto (default: on a terminal), always or never\n"                    \
    "      --strict         refuse unknown fields, and kinds left out of which pods come\n"      \
    "      --catalog FILE   the instance types on offer, in place of the input's and the "       \
    "built-in\n"                                                                                 \
    "                       ones: an InstanceTypeCatalog, or the kwok provider's JSON\n"         \
    "      --region NAME    whose built-in instance types, zones and prices; default: the "      \
    "region\n"                                                                                   \
    "                       of the zones that the input names\n"                                 \
    "      --provider NAME  whose built-in instance types, if the input has none (see below);\n" \
    "                       default for a live cluster: what its controller has published\n"     \
    "      --set NAME=VALUE a setting of the controller, such as NODE_COST=0.05; may be\n"       \
    "                       repeated. Default: those of the input or of the cluster's\n"         \
    "                       controller, else of the environment\n"                               \
    "      --settings FILE  settings: lines NAME=VALUE, a ConfigMap, a SnapshotContext or the\n" \
    "                       controller's Deployment\n"                                           \
    "      --force          go on with NodePools and NodeClasses of files that an API server\n"  \
    "                       or the controller would refuse (`adze validate` tells "              \
    "why)\n" CLUSTER_HELP("of pods that are named without one\n")

// Takes one option with optarg; false: not one of these.
bool input_take_option(struct input_options *options, int option);
// Whether the options are compatible; otherwise prints the error and sets *status.
bool input_check_options(const struct command *command, const struct input_options *options,
                         int *status);
void input_free(struct input_options *options);

// Reads everything into the snapshot and completes it for the planner.
bool input_read(struct input_options *options, struct snapshot *snapshot,
                struct error *error) MUST_USE;

// Adds `assumptions` and `leftOut`, lists of texts in byte order; returns the same JSON.
json_t *input_with_notes(const struct input_options *options, json_t *json);
