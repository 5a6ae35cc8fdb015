// AWSNodeTemplate (v1alpha1), and the inline provider of a Provisioner, to EC2NodeClass (MIG
// section 3).
#pragma once

#include "cli/convert/conversion.h"

void node_template_convert(struct source *source);
// Takes the reference.
void inline_provider_convert(struct source *source, const char *name, json_t *provider);
