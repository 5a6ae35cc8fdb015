// The right of the controller to do each thing that its features need (API-220 to 226), asked of
// the API server's authorizer.
#pragma once

#include "cli/preflight/report.h"
#include "kube/client.h"
#include "model/reading/settings.h"

// `account`: "NAMESPACE:NAME" of the controller's ServiceAccount; NULL: the rights of the caller.
// The loop runs until all have been answered.
void check_rights(struct kube_client *client, struct loop *loop, const struct settings *settings,
                  const char *namespace, const char *account, struct preflight_report *report);
