// Writes a kubeconfig file that points clients at a served cluster, and removes it afterwards.
#pragma once

#include <sys/types.h>

#include "base/error.h"

struct kubeconfig_file { // zero-initialised: none
    char *path;
    dev_t device;
    ino_t inode;
};

// Writes a new file of mode 0600, never through a link. An existing file is an error unless an
// earlier call of this user wrote it. `token` may be NULL.
bool kubeconfig_write(struct kubeconfig_file *written, const char *path, const char *server,
                      const char *token, struct error *error) MUST_USE;
// Removes the file if it is still the one written.
void kubeconfig_remove(struct kubeconfig_file *written);
