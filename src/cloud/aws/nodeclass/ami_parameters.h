// SSM parameters of AMI aliases, and the requirements of their images (AWN-166, 167).
#pragma once

#include <jansson.h>

#include "cloud/aws/families/ami_family.h"

// A bit for each set of requirements (AWN-167).
enum ami_variant {
    AMI_STANDARD = 1,
    AMI_NVIDIA = 2,
    AMI_NEURON = 4,
    AMI_WINDOWS = 8,
};
#define AMI_PARAMETERS_MAX 5
struct ami_parameter {
    const char *path; // arena memory
    uint32_t variants;
};
// Returns the number of parameters of the alias; `kubernetes`: "1.35".
uint32_t ami_parameters_of(const struct ami_alias *alias, const char *kubernetes,
                           struct arena *arena, struct ami_parameter out[AMI_PARAMETERS_MAX]);
// The requirements of an image as the status has them (AWN-175); `variant` 0: the architecture
// alone; `build`: of Windows.
json_t *ami_requirements(const char *architecture, uint32_t variant, const char *build);
