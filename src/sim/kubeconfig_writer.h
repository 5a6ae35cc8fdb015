// Writes a kubeconfig file that points clients at a served cluster.
#pragma once

#include "base/error.h"

// Mode 0600, replaced in one step. token may be NULL.
bool kubeconfig_write(const char *path, const char *server, const char *token,
                      struct error *error) MUST_USE;
