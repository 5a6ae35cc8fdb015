// IAM's instance profiles. Any role exists but the environment's missingRoles.
#pragma once

#include <jansson.h>

struct aws_account;

void account_profile_free(void *account_profile);
// As GetInstanceProfile shows it; NULL: there is none of that name.
const json_t *account_profile_shown(const struct aws_account *account, const char *name);
