// The controller's checks of an EC2NodeClass's kubelet object (AWN-231 to 235, 429).
#pragma once

#include "model/validate/validation.h"

void advise_kubelet(struct validation *validation, const json_t *kubelet, const char *family);
