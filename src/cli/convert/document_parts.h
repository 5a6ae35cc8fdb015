// The manifests in texts of other kinds: code fences of a guide, here-documents of a shell or of
// Terraform.
#pragma once

#include "cli/convert/document_text.h"

// Appends the documents in a text's fences and here-documents, each with its line; those of a block
// in another language (```bash, ```hcl) only out of its here-documents, unless it is a manifest all
// the same. False, and nothing is added: there are none.
bool documents_extract(const char *text, size_t length, struct raw_documents *out);
