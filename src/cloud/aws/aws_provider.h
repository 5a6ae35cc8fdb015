// The provider aws in the table (cloud/providers.h): so far only its instance types, for plans. It
// does not run against a cluster yet, so --provider does not offer it.
#pragma once

#include "cloud/port/provider.h"

extern const struct cloud_provider aws_provider;
