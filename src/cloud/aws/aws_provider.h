// The provider aws in the table (cloud/providers.h): EC2 instances for EC2NodeClasses.

#pragma once

#include "cloud/port/provider.h"

extern const struct cloud_provider aws_provider;
