// Columns of the storage kinds.
#pragma once

#include "sim/printing/cells.h"

extern const struct printer printers_claims[], printers_volumes[], printers_storage_classes[],
    printers_csi_nodes[], printers_attachments[];
