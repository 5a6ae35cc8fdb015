// Files and texts of credentials: reading them whole, checking PEM before OpenSSL needs it, wiping
// them from memory.
#pragma once

#include <stddef.h>

#include "base/error.h"

// The whole file, at most 4 MiB; NULL with an error that names it (ERROR_NOT_FOUND if absent).
char *secret_file_read(const char *path, size_t *length, struct error *error) MUST_USE;
// `place` ("FILE: users[0].user.client-key") begins the message.
bool secret_check_certificates(const char *pem, const char *place, struct error *error) MUST_USE;
bool secret_check_key(const char *pem, const char *place, struct error *error) MUST_USE;
// Wipes, frees and forgets.
void secret_wipe(char **secret);
