// Splits a stream that arrives in pieces into newline-delimited JSON values. Holds at most one
// unfinished line beside the bytes not yet read.
#pragma once

#include <jansson.h>

#include "base/error.h"
#include "base/text.h"

struct line_reader { // zero-initialised is empty; free with line_reader_free()
    struct text input;
    size_t position;       // of the first byte not yet read
    size_t searched;       // no newline before this
    size_t line_bytes_max; // 0: 16 MiB
};

#define LINE_BYTES_MAX ((size_t)16 << 20)

void line_reader_feed(struct line_reader *reader, const char *data, size_t length);
enum line_result { LINE_VALUE, LINE_NEED_MORE, LINE_FAILED };
// LINE_VALUE: *value belongs to the caller. LINE_FAILED: the line is too long or not a JSON object
// (ERROR_INTERNAL); the reader must not be used again. Empty lines are skipped.
enum line_result line_reader_next(struct line_reader *reader, json_t **value, struct error *error);
// Whether bytes of an unterminated line are left.
bool line_reader_has_rest(const struct line_reader *reader);
void line_reader_free(struct line_reader *reader);
