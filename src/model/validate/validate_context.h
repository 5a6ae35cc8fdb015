// Every mistake in a SnapshotContext (FMT-9), where reading it stops at the first.
#pragma once

#include <jansson.h>

#include "model/validate/findings.h"

void validate_snapshot_context(const json_t *document, struct findings *findings);
