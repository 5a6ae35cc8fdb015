// URLs in messages.
#pragma once

#include "base/text.h"

// Adds the public part of a server's URL: scheme, host and port. User and password are left out.
// Path, query and fragment may hold tokens, so they become "/...". Text that is no URL is treated
// the same way, so nothing before an "@" is ever shown.
void url_show(struct text *out, const char *url);
