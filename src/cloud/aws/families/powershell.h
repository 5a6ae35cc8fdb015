// User data of Windows: a PowerShell script (AWN-310).
#pragma once

#include "cloud/aws/families/node_registration.h"

const char *powershell_render(const struct user_data_options *options,
                              const struct node_registration *registration, struct arena *arena);
