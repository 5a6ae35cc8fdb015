// adze bench: time the engine on generated workloads (FMT-15).
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "cli/bench_options.h"
#include "cli/input/command.h"
#include "model/snapshot/snapshot_encode.h"

struct subject {
    const char *name;
    bool (*run)(const struct bench_options *options, struct error *error) MUST_USE;
    const char *mix; // the default ones
    uint32_t runs;
};
static const struct subject subjects[] = {
    {"schedule", bench_schedule, "diverse", 3},
    {"price", bench_price, "mixed", 1},
    {"disrupt", bench_disrupt, "settled", 3},
    {"adversarial", bench_adversarial, "constrained", 3},
};

static const struct subject *subject_find(const char *name)
{
    for (size_t i = 0; i < ARRAY_LENGTH(subjects); i++)
        if (strcmp(subjects[i].name, name) == 0)
            return &subjects[i];
    return NULL;
}

static bool parse_count(const char *option, const char *text, uint32_t minimum, uint32_t maximum,
                        uint32_t *value, struct error *error)
{
    int64_t number;
    if (!text_parse_int64(text, &number) || number < minimum || number > maximum)
        return error_set(error, ERROR_INVALID, "--%s takes a number from %u to %u, not \"%s\"",
                         option, minimum, maximum, text);
    *value = (uint32_t)number;
    return true;
}

static bool parse_seed(const char *text, uint64_t *seed, struct error *error)
{
    int64_t number;
    if (!text_parse_int64(text, &number) || number < 0)
        return error_set(error, ERROR_INVALID, "--seed takes a number from 0, not \"%s\"", text);
    *seed = (uint64_t)number;
    return true;
}

static bool parse_mix(const char *name, const struct bench_mix **mix, struct error *error)
{
    *mix = bench_mix_find(name);
    if (*mix != NULL)
        return true;
    struct text names = {0};
    for (const struct bench_mix *const *known = bench_mixes(); *known != NULL; known++)
        text_join(&names, ", ", (*known)->name);
    error_set(error, ERROR_INVALID, "there is no mix \"%s\"; there are: %s", name, names.data);
    text_free(&names);
    return false;
}

static bool parse_policy(const char *name, enum packing_policy *policy, struct error *error)
{
    static const enum packing_policy policies[] = {PACKING_GREEDY, PACKING_LOWEST_PRICE};
    for (size_t i = 0; i < ARRAY_LENGTH(policies); i++)
        if (strcmp(name, bench_policy_name(policies[i])) == 0) {
            *policy = policies[i];
            return true;
        }
    return error_set(error, ERROR_INVALID, "--policy takes Greedy or LowestPrice, not \"%s\"",
                     name);
}

static bool parse_prices(const char *name, bool *list_prices, struct error *error)
{
    *list_prices = strcmp(name, "list") == 0;
    return *list_prices || strcmp(name, "effective") == 0 ||
           error_set(error, ERROR_INVALID, "--prices takes list or effective, not \"%s\"", name);
}

static const struct option long_options[] = {
    {"pods", required_argument, NULL, 'p'},   {"types", required_argument, NULL, 't'},
    {"mix", required_argument, NULL, 'm'},    {"policy", required_argument, NULL, 'P'},
    {"prices", required_argument, NULL, 'l'}, {"nodes", required_argument, NULL, 'n'},
    {"seed", required_argument, NULL, 's'},   {"pods-per-node", required_argument, NULL, 'k'},
    {"seeds", required_argument, NULL, 'S'},  {"repeat", required_argument, NULL, 'r'},
    {"output", required_argument, NULL, 'o'}, {"dump", required_argument, NULL, 'd'},
    {"growth", no_argument, NULL, 'g'},       {0},
};

static bool apply_option(struct bench_options *options, int option, const char *argument,
                         struct error *error)
{
    struct bench_workload *workload = &options->workload;
    switch (option) {
    case 'p':
        options->pods_given = true;
        return parse_count("pods", argument, 0, BENCH_PODS_MAX, &workload->pods, error);
    case 't':
        return parse_count("types", argument, 1, BENCH_TYPES_MAX, &workload->types, error);
    case 'm':
        options->mix_given = true;
        return parse_mix(argument, &workload->mix, error);
    case 'P':
        return parse_policy(argument, &workload->policy, error);
    case 'l':
        options->prices_given = true;
        return parse_prices(argument, &workload->list_prices, error);
    case 'n':
        return parse_count("nodes", argument, 0, BENCH_NODES_MAX, &workload->nodes, error);
    case 'k':
        return parse_count("pods-per-node", argument, 1, BENCH_PODS_PER_NODE_MAX,
                           &workload->pods_per_node, error);
    case 's':
        return parse_seed(argument, &workload->seed, error);
    case 'S':
        return parse_count("seeds", argument, 1, BENCH_SEEDS_MAX, &options->seeds, error);
    case 'r':
        return parse_count("repeat", argument, 1, BENCH_RUNS_MAX, &options->runs, error);
    case 'o':
        return bench_format_parse(argument, &options->format) ||
               error_set(error, ERROR_INVALID, "-o takes table, json or csv, not \"%s\"", argument);
    case 'd':
        options->dump_path = argument;
        return true;
    default:
        options->growth = true;
        return true;
    }
}

static bool parse_options(int argc, char **argv, struct bench_options *options, struct error *error)
{
    int option;
    optind = 1;
    opterr = 0;
    while ((option = getopt_long(argc, argv, "o:", long_options, NULL)) != -1) {
        if (option == '?')
            return error_set(error, ERROR_INVALID, "unknown or incomplete option %s",
                             argv[optind - 1]);
        if (!apply_option(options, option, optarg, error))
            return false;
    }
    return optind == argc ||
           error_set(error, ERROR_INVALID, "unexpected argument %s", argv[optind]);
}

static bool write_dump(const struct bench_options *options, struct error *error)
{
    struct snapshot *snapshot = bench_workload_create(&options->workload, error);
    if (snapshot == NULL)
        return false;
    json_t *list = snapshot_encode(snapshot);
    bool to_stdout = strcmp(options->dump_path, "-") == 0;
    FILE *file = to_stdout ? stdout : fopen(options->dump_path, "we");
    bool written = file != NULL && json_dumpf(list, file, JSON_COMPACT) == 0 &&
                   fputc('\n', file) != EOF && fflush(file) == 0;
    if (file != NULL && !to_stdout)
        written = fclose(file) == 0 && written;
    json_decref(list);
    snapshot_destroy(snapshot);
    return written || error_set(error, ERROR_INTERNAL, "cannot write %s: %m", options->dump_path);
}

static int run(int argc, char **argv)
{
    const struct subject *subject = argc > 1 ? subject_find(argv[1]) : NULL;
    if (subject == NULL)
        return command_usage_error(&command_bench,
                                   "say what to measure: schedule, price, disrupt or adversarial");
    struct error error = {0};
    struct bench_options options = {
        .workload = {.mix = bench_mix_find(subject->mix),
                     .pods = 10000,
                     .types = 400,
                     .pods_per_node = 10,
                     .seed = 42,
                     .policy = PACKING_LOWEST_PRICE},
        .runs = subject->runs,
        .seeds = 1,
        .format = BENCH_TABLE,
    };
    if (options.workload.mix->add_cluster != NULL) { // a running cluster without pending pods
        options.workload.pods = 0;
        options.workload.nodes = 1000;
    }
    if (subject->run == bench_adversarial)
        options.workload.pods = 500;
    if (!parse_options(argc - 1, argv + 1, &options, &error))
        return command_usage_error(&command_bench, "%s", error.message);
    bool done =
        options.dump_path != NULL ? write_dump(&options, &error) : subject->run(&options, &error);
    if (!done)
        fprintf(stderr, "adze bench: %s\n", error.message);
    return done ? 0 : 1;
}

bool bench_rows_print(const struct bench_options *options, bench_add_row add_row,
                      bench_add_growth add_growth, struct error *error)
{
    json_t *rows = json_array();
    bool done = options->growth ? add_growth(rows, options, error)
                                : add_row(rows, &options->workload, options->runs, error);
    if (done)
        bench_report_print(stdout, rows, options->format);
    json_decref(rows);
    return done;
}

const struct command command_bench = {
    .name = "bench",
    .arguments = "schedule|price|disrupt|adversarial [options]",
    .summary = "time the engine on generated workloads, and compare what its plans cost",
    .help =
        "  schedule             time from the snapshot in memory to the finished plan\n"
        "  price                price an hour with either packing policy, and a bound that no plan "
        "can\n"
        "                       beat; without --mix and --pods: web, batch, memory-heavy, mixed "
        "and\n"
        "                       constrained, 200 to 3,000 pods\n"
        "  disrupt              time of a whole pass over a running cluster: the pending pods, "
        "then the\n"
        "                       next disruption, for which every node is a candidate\n"
        "  adversarial          the same as schedule, with one more pod that is written to be "
        "costly:\n"
        "                       affinity terms, spreads, volumes, ... by the thousand\n"
        "\n"
        "  --pods N             pending pods (10000; disrupt 0; adversarial 500)\n"
        "  --mix NAME           diverse, preferences: synthetic instance types; web, batch,\n"
        "                       memory-heavy, mixed, constrained: all types of EC2 (diverse);\n"
        "                       disrupt: settled (nothing can be gained), loose, drifting "
        "(settled)\n"
        "  --types N            synthetic instance types (400)\n"
        "  --nodes N            existing nodes, with about ten pods each (0; disrupt 1000)\n"
        "  --pods-per-node N    of the nodes of disrupt, on average (10)\n"
        "  --policy NAME        Greedy or LowestPrice (LowestPrice)\n"
        "  --prices KIND        list: without what EC2's types cost beside their list price "
        "(volumes,\n"
        "                       burst credits, interruptions; NODE_COST counts); effective: with\n"
        "                       it (effective; price: both)\n"
        "  --seed N             of the workload (42)\n"
        "  --seeds N            price: so many workloads of each kind, from --seed on (1)\n"
        "  --repeat N           times to plan; the median is reported (3; price 1)\n"
        "  --growth             schedule: 100 to 100,000 pods, then 0 to 10,000 existing nodes;\n"
        "                       disrupt: 100 to 10,000 nodes\n"
        "  --dump FILE          write the workload as input of `adze plan` instead (-: to "
        "standard\n"
        "                       output)\n"
        "  -o table|json|csv    (table)\n"
        "\n"
        "  adze bench schedule --pods 20000 --policy Greedy\n"
        "  adze bench price --mix web --pods 500 --seeds 10\n"
        "  adze bench schedule --mix constrained --pods 300 --dump w.json; adze plan -f w.json\n",
    .run = run,
};
