// An EC2NodeClass of v1 as people paste it (GUI-5, GUI-6, GUI-14).
#pragma once

#include "cli/convert/conversion.h"

// Changes the object of the product in place.
void mend_node_class(struct source *source, struct product *product);
