// The head of an HTTP/1 request: its first line and its headers, read line by line, bounded.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/vector.h"

#define HTTP_HEAD_BYTES_MAX (16 * 1024)

struct http_header {
    char *name, *value;
};
struct http_head { // zero-initialised is empty; free with http_head_clear()
    char *method, *target;
    VECTOR(struct http_header) headers;
    size_t bytes;  // of all lines
    bool has_body; // the headers announce one
    bool is_last;  // the client closes after this answer
};

// HTTP_HEAD_MORE: lines are missing. HTTP_HEAD_COMPLETE: this was the empty line at the end. Any
// other value is the HTTP status of the refusal. `line` is without its end, NUL-terminated, and may
// have NULs within `length`.
enum { HTTP_HEAD_MORE = 0, HTTP_HEAD_COMPLETE = 200 };
int http_head_add_line(struct http_head *head, const char *line, size_t length);
// The first header of that name, whatever its case; NULL: none.
const char *http_head_find(const struct http_head *head, const char *name);
void http_head_clear(struct http_head *head);
