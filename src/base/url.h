// URLs in messages.
#pragma once

#include "base/text.h"

// Adds what people may see of a server's URL: scheme, host and port. User and password are left
// out, and of path, query and fragment, where tokens stand as well, there is only "/...". Whatever
// is no URL is treated alike, so that nothing before an "@" is ever shown.
void url_show(struct text *out, const char *url);
