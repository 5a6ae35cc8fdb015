// Heads of HTTP requests: read line by line, never beyond the limit.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "web/http_head.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct http_head head = {0};
    char *text = malloc(size + 1);
    memcpy(text, data, size);
    text[size] = '\0';
    int status = HTTP_HEAD_MORE;
    for (size_t at = 0; at < size && status == HTTP_HEAD_MORE;) {
        char *end = memchr(text + at, '\n', size - at);
        size_t length = end != NULL ? (size_t)(end - text) - at : size - at;
        text[at + length] = '\0';
        status = http_head_add_line(&head, text + at, length);
        at += length + 1;
    }
    if (status == HTTP_HEAD_COMPLETE && (head.method == NULL || head.target == NULL))
        abort();
    (void)http_head_find(&head, "Connection");
    http_head_clear(&head);
    free(text);
    return 0;
}
