// The lines of a watch, cut into pieces in two ways: both must give the same values.
#include <stdint.h>
#include <stdlib.h>

#include "kube/transport/line_reader.h"

#define LINE_BYTES 4096

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// All values as one list; `failed`: the result at the end.
static json_t *read_in_pieces(const char *data, size_t size, size_t piece, bool *failed)
{
    struct line_reader reader = {.line_bytes_max = LINE_BYTES};
    json_t *values = json_array();
    enum line_result result = LINE_NEED_MORE;
    for (size_t at = 0; at < size && result != LINE_FAILED; at += piece) {
        struct error error = {0};
        json_t *value;
        line_reader_feed(&reader, data + at, size - at < piece ? size - at : piece);
        while ((result = line_reader_next(&reader, &value, &error)) == LINE_VALUE)
            json_array_append_new(values, value);
        if ((result == LINE_FAILED) != (error.kind != ERROR_NONE))
            abort();
    }
    *failed = result == LINE_FAILED;
    (void)line_reader_has_rest(&reader);
    line_reader_free(&reader);
    return values;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    bool failed, failed_again;
    json_t *values = read_in_pieces((const char *)data, size, size + 1, &failed);
    json_t *again = read_in_pieces((const char *)data, size, 7, &failed_again);
    if (failed != failed_again || !json_equal(values, again))
        abort();
    json_decref(values);
    json_decref(again);
    return 0;
}
