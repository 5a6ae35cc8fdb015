// Values by the table of their kind: what YAML reads as another type, misspelt words (GUI-9),
// fields that do not exist (GUI-15).
#pragma once

#include "cli/convert/conversion.h"

// Changes the spec of the product's object in place.
void mend_by_type(struct source *source, struct product *product);
