// --provider NAME and its help text, from the table of providers.
#pragma once

#include "cli/input/command.h"

struct cloud_provider;

// Whether --provider offers the instance types of `name` (NULL: not given); otherwise prints the
// error and sets *status.
bool provider_is_offered(const struct command *command, const char *name, int *status);
// The provider of that name if it runs against a cluster; otherwise prints the error, sets *status
// and gives NULL.
const struct cloud_provider *provider_to_run(const struct command *command, const char *name,
                                             int *status);
// The providers whose instance types --provider offers; help text that the caller frees.
char *providers_offered_help(void);
// The providers that run against a cluster; the same.
char *providers_running_help(void);
