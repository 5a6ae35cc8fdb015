#include "conformance/aws/replay_account.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "cloud/aws/iam_policy.h"
#include "model/reading/settings_read.h"

#define PATH_BYTES 4200

static const char *const other_files[] = {"instance-types.xml.gz", "offerings.xml.gz",
                                          "prices.json.gz"};

static const char *text_at(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

// --- the environment -----------------------------------------------------------------------------

// A folder with the changed environment.json and links to the rest.
static bool make_folder(struct scenario_account *account, const char *environment,
                        struct error *error)
{
    char path[PATH_BYTES], target[PATH_BYTES], *whole = realpath(environment, NULL);
    account->folder = strdup("/tmp/adze-replay-XXXXXX");
    if (whole == NULL || mkdtemp(account->folder) == NULL) {
        free(whole);
        return error_set(error, ERROR_INTERNAL, "%s: cannot be copied", environment);
    }
    account->folder_is_own = true;
    snprintf(path, sizeof path, "%s/environment.json", account->folder);
    bool done = json_dump_file(account->environment, path, JSON_SORT_KEYS) == 0;
    for (size_t i = 0; done && i < sizeof other_files / sizeof other_files[0]; i++) {
        snprintf(path, sizeof path, "%s/%s", account->folder, other_files[i]);
        snprintf(target, sizeof target, "%s/%s", whole, other_files[i]);
        done = symlink(target, path) == 0;
    }
    free(whole);
    return done || error_set(error, ERROR_INTERNAL, "%s: cannot be filled", account->folder);
}

bool scenario_account_open(struct scenario_account *account, const char *environment,
                           const json_t *settings, struct error *error)
{
    char path[PATH_BYTES];
    json_error_t problem;
    *account = (struct scenario_account){0};
    snprintf(path, sizeof path, "%s/environment.json", environment);
    account->environment = json_load_file(path, 0, &problem);
    if (account->environment == NULL)
        return error_set(error, ERROR_INVALID, "%s: %s", path, problem.text);
    const char *catalogue = text_at(settings, "catalogue"), *pricing = text_at(settings, "pricing");
    account->catalogue = catalogue != NULL && *catalogue != '\0' ? catalogue : NULL;
    account->pricing_fails = pricing != NULL && text_equal(pricing, "fail");
    json_t *cluster = json_object_get(settings, "cluster");
    json_t *version = json_object_get(settings, "version");
    if (cluster == NULL && version == NULL) {
        account->folder = strdup(environment);
        return true;
    }
    if (json_is_object(cluster))
        json_object_set_new(account->environment, "cluster", json_deep_copy(cluster));
    if (json_is_string(version))
        json_object_set(json_object_get(account->environment, "cluster"), "version", version);
    return make_folder(account, environment, error);
}

void scenario_account_close(struct scenario_account *account)
{
    char path[PATH_BYTES];
    if (account->folder_is_own) {
        snprintf(path, sizeof path, "%s/environment.json", account->folder);
        unlink(path);
        for (size_t i = 0; i < sizeof other_files / sizeof other_files[0]; i++) {
            snprintf(path, sizeof path, "%s/%s", account->folder, other_files[i]);
            unlink(path);
        }
        rmdir(account->folder);
    }
    free(account->folder);
    json_decref(account->environment);
}

const char *scenario_account_dns(const struct scenario_account *account, const json_t *settings)
{
    json_t *own = json_object_get(settings, "kubeDNS");
    return own != NULL ? json_string_value(own)
                       : text_at(json_object_get(account->environment, "cluster"), "kubeDNS");
}

// --- settings and faults -------------------------------------------------------------------------

bool scenario_settings(struct settings *settings, const struct scenario_account *account,
                       const json_t *scenario, struct error *error)
{
    const json_t *cluster = json_object_get(account->environment, "cluster");
    const char *const fixed[][2] = {
        {"COMPATIBILITY", "upstream"},
        {"EKS_CONTROL_PLANE", "true"},
        {"INTERRUPTION_QUEUE", "interruptions"},
        {"CLUSTER_NAME", text_at(cluster, "name")},
        {"CLUSTER_ENDPOINT", text_at(cluster, "endpoint")},
        {"CLUSTER_CA_BUNDLE", text_at(cluster, "caBundle")},
    };
    bool done = true;
    settings_defaults(settings);
    for (size_t i = 0; done && i < sizeof fixed / sizeof fixed[0]; i++)
        done = fixed[i][1] == NULL || settings_set(settings, fixed[i][0], fixed[i][1], error);
    const char *name;
    json_t *value;
    json_object_foreach (json_object_get(scenario, "env"), name, value)
        done = done && json_is_string(value) &&
               settings_set(settings, name, json_string_value(value), error);
    return done;
}

json_t *scenario_policy(const struct scenario_account *account, const struct settings *settings)
{
    struct error error = {0};
    const char *queue = settings->interruption_queue;
    return iam_policy_create(
        &(struct iam_policy_options){.partition = "aws",
                                     .region = text_at(account->environment, "region"),
                                     .account = text_at(account->environment, "account"),
                                     .cluster = settings->cluster_name,
                                     .node_roles = "*",
                                     .ssm_parameters = "*",
                                     .interruption_queue = queue,
                                     .zonal_shift = settings->enable_zonal_shift,
                                     .isolated_vpc = settings->isolated_vpc,
                                     .upstream = settings->compatibility_upstream},
        &error);
}

static void add_fault(struct aws_account *account, const json_t *fault)
{
    const json_t *times = json_object_get(fault, "times"), *dry = json_object_get(fault, "dryRun");
    const char *action = text_at(fault, "action"), *code = text_at(fault, "code");
    const char *message = text_at(fault, "message");
    if (action == NULL || code == NULL)
        return;
    char *copies[] = {strdup(action), strdup(code), strdup(message != NULL ? message : "")};
    struct aws_account_fault added = {
        .action = copies[0],
        .code = copies[1],
        .message = copies[2],
        .status = (int)json_integer_value(json_object_get(fault, "status")),
        .times = json_is_integer(times) ? json_integer_value(times) : -1,
        .dry_run = dry == NULL ? -1 : json_is_true(dry),
        .pools = json_object_get(fault, "pools"),
    };
    aws_account_add_fault(account, &added);
    for (size_t i = 0; i < sizeof copies / sizeof copies[0]; i++)
        free(copies[i]);
}

void scenario_faults(struct aws_account *account, const json_t *faults)
{
    json_t *fault;
    size_t i;
    json_array_foreach (faults, i, fault)
        add_fault(account, fault);
}
