// IAM's instance profiles. Any role exists but the environment's missingRoles.
#pragma once

void account_profile_free(void *account_profile);
