// The provider kwok in the table (cloud/providers.h).
#pragma once

#include "cloud/port/provider.h"

extern const struct cloud_provider kwok_provider;
