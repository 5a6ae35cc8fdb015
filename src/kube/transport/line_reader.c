#include "kube/transport/line_reader.h"

#include <assert.h>
#include <string.h>

#include "kube/transport/managed_fields.h"
#include "kube/transport/transient_json.h"

static void line_reader_compact(struct line_reader *reader);
static bool is_blank(const char *text, size_t length);

void line_reader_feed(struct line_reader *reader, const char *data, size_t length)
{
    line_reader_compact(reader);
    text_add_bytes(&reader->input, data, length);
}

enum line_result line_reader_next(struct line_reader *reader, json_t **value, struct error *error)
{
    assert(reader->position <= reader->input.length);
    assert(reader->searched <= reader->input.length);
    size_t line_bytes_max = reader->line_bytes_max != 0 ? reader->line_bytes_max : LINE_BYTES_MAX;
    while (reader->position < reader->input.length) {
        size_t from = reader->searched > reader->position ? reader->searched : reader->position;
        char *begin = reader->input.data + reader->position;
        const char *end = NULL;
        if (from < reader->input.length)
            end = memchr(reader->input.data + from, '\n', reader->input.length - from);
        size_t length =
            end != NULL ? (size_t)(end - begin) : reader->input.length - reader->position;
        if (length > line_bytes_max) {
            error_set(error, ERROR_INTERNAL, "an event is longer than %zu bytes", line_bytes_max);
            return LINE_FAILED;
        }
        if (end == NULL) {
            reader->searched = reader->input.length;
            return LINE_NEED_MORE;
        }
        reader->position += length + 1;
        if (is_blank(begin, length))
            continue;
        length = managed_fields_cut(begin, length);
        json_error_t why;
        *value = transient_json(begin, length, &why);
        if (*value != NULL && json_is_object(*value))
            return LINE_VALUE;
        json_decref(*value);
        // The parser's own text quotes the input, which may be a secret: the message has only the
        // position.
        error_set(error, ERROR_INTERNAL, "an event is not a JSON object (at byte %d of %zu)",
                  *value != NULL ? 0 : why.position, length);
        *value = NULL;
        return LINE_FAILED;
    }
    return LINE_NEED_MORE;
}

// Drops the read bytes when they outnumber the rest, so that a byte moves once at most on average.
// Also releases a buffer that one huge line has grown.
static void line_reader_compact(struct line_reader *reader)
{
    if (reader->position == 0 || reader->position * 2 < reader->input.length)
        return;
    size_t left = reader->input.length - reader->position;
    assert(left <= reader->position);
    if (left == 0 && reader->input.capacity > 256 * 1024) {
        text_free(&reader->input);
        reader->input = (struct text){0};
    } else {
        memmove(reader->input.data, reader->input.data + reader->position, left);
        reader->input.length = left;
        reader->input.data[left] = '\0';
    }
    reader->searched =
        reader->searched > reader->position ? reader->searched - reader->position : 0;
    reader->position = 0;
}

bool line_reader_has_rest(const struct line_reader *reader)
{
    return reader->position < reader->input.length &&
           !is_blank(reader->input.data + reader->position,
                     reader->input.length - reader->position);
}

void line_reader_free(struct line_reader *reader)
{
    text_free(&reader->input);
    *reader = (struct line_reader){.line_bytes_max = reader->line_bytes_max};
}

static bool is_blank(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (text[i] != ' ' && text[i] != '\t' && text[i] != '\r' && text[i] != '\n')
            return false;
    return true;
}
