// Which instance types stand behind a provider's name.
#pragma once

#include "model/schema/karpenter.h"

// "kwok": the generic catalog of the kwok provider; "sim": EC2's types, built in. `path`, if not
// NULL or empty, is a file that takes its place (KWK-4). One reference, owned by the caller.
const struct instance_type_catalog *catalog_of_provider(const char *provider, const char *path,
                                                        struct error *error) MUST_USE;

// Where the built-in types and prices of a provider come from, to follow their number: "of EC2,
// ...".
const char *catalog_text_of_provider(const char *provider);
