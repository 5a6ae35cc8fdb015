// The AWS account and the controller's settings of a replayed scenario.
#pragma once

#include <jansson.h>
#include <stdbool.h>

#include "model/reading/settings.h"
#include "sim/aws/aws_account.h"

struct scenario_account {
    json_t *environment;   // environment.json, with the scenario's cluster
    char *folder;          // holds it and the other files of the environment
    bool folder_is_own;    // temporary, to be removed
    const char *catalogue; // NULL: every instance type
    bool pricing_fails;
};

// Reads the environment and applies the scenario's settings to it: version, cluster.
bool scenario_account_open(struct scenario_account *account, const char *environment,
                           const json_t *settings, struct error *error) MUST_USE;
void scenario_account_close(struct scenario_account *account);
// The address of the Service kube-dns; NULL: there is no such Service.
const char *scenario_account_dns(const struct scenario_account *account, const json_t *settings);
// The settings of the recordings, then the scenario's own.
bool scenario_settings(struct settings *settings, const struct scenario_account *account,
                       const json_t *scenario, struct error *error) MUST_USE;
// The policy that `adze iam` prints for the settings (AWN-620): each call of the scenario passes
// it.
json_t *scenario_policy(const struct scenario_account *account, const struct settings *settings);
void scenario_faults(struct aws_account *account, const json_t *faults);
