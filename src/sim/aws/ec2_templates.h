// Launch templates of the account.
#pragma once

#include "sim/aws/account_internal.h"

// The template of a LaunchTemplateSpecification; NULL: the call is refused.
const struct account_template *account_template_find(struct account_call *call,
                                                     const json_t *specification);
void account_template_free(void *account_template);
