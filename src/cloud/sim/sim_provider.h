// The provider sim in the table (cloud/providers.h). Its cloud needs a simulated world, so it does
// not run against a cluster; the simulation creates it (sim_cloud_create()).
#pragma once

#include "cloud/port/provider.h"

extern const struct cloud_provider sim_provider;
