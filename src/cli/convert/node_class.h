// v1beta1 EC2NodeClass, and the NodeClass of EKS Auto Mode, to v1 (MIG-52).
#pragma once

#include "cli/convert/conversion.h"

void node_class_convert(struct source *source);
void auto_mode_class_convert(struct source *source);
