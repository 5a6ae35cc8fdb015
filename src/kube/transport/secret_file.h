// Files and texts of credentials: reads them whole, checks PEM before OpenSSL parses it, and wipes
// them from memory.
#pragma once

#include <stddef.h>

#include "base/error.h"

// The whole file, at most 4 MiB; NULL with an error that names it (ERROR_NOT_FOUND if absent).
char *secret_file_read(const char *path, size_t *length, struct error *error) MUST_USE;
// `place` ("FILE: users[0].user.client-key") begins the message.
bool secret_check_certificates(const char *pem, const char *place, struct error *error) MUST_USE;
bool secret_check_key(const char *pem, const char *place, struct error *error) MUST_USE;
// Wipes, frees and sets to NULL.
void secret_wipe(char **secret);
