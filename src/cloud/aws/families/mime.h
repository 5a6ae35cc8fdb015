// Archives of user data parts: MIME multipart messages (RFC 2046), as cloud-init reads them.
#pragma once

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "model/schema/object.h"

#define MIME_PARTS_MAX    256
#define MIME_HEADERS_MAX  64 // of one part
#define MIME_SCRIPT       "text/x-shellscript; charset=\"us-ascii\""
#define MIME_NODE_CONFIG  "application/node.eks.aws"
#define MIME_CONTENT_TYPE "Content-Type"

struct mime_header {
    const char *name, *value; // name in the usual form: "Content-Type"
};
struct mime_part {
    LIST(struct mime_header) headers; // sorted by name
    const char *body;
};
struct mime_parts {
    struct mime_part *items;
    uint32_t count, capacity;
};

// Whether a text says of itself that it is such a message (AWN-276).
bool mime_is_message(const char *text);
// Adds the message's parts, in arena memory. Carriage returns are left out throughout. An archive
// may end right after an opening delimiter.
bool mime_read(struct mime_parts *parts, const char *text, struct arena *arena,
               struct error *error) MUST_USE;
// Adds a part with one header.
void mime_add(struct mime_parts *parts, struct arena *arena, const char *content_type,
              const char *body);
// AWN-275: the archive, with boundary "//".
void mime_write(const struct mime_parts *parts, struct text *text);
