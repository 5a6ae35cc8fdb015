#include "web/http_head.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/memory.h"
#include "base/text.h"

#define BAD_REQUEST       400
#define HEAD_TOO_LARGE    431
#define VERSION_NOT_KNOWN 505

static int add_request_line(struct http_head *head, const char *line);
static int add_header(struct http_head *head, const char *line);
static char *copy_bytes(const char *data, size_t length);
static bool is_token(const char *text, size_t length);
static bool lists_token(const char *list, const char *token);

int http_head_add_line(struct http_head *head, const char *line, size_t length)
{
    assert(line != NULL);
    head->bytes += length + 2;
    if (head->bytes > HTTP_HEAD_BYTES_MAX)
        return HEAD_TOO_LARGE;
    if (strlen(line) != length)
        return BAD_REQUEST;
    for (const char *at = line; *at != '\0'; at++)
        if (((unsigned char)*at < ' ' && *at != '\t') || *at == '\x7f')
            return BAD_REQUEST;
    if (length == 0) // empty lines before a request are skipped
        return head->method == NULL ? HTTP_HEAD_MORE : HTTP_HEAD_COMPLETE;
    return head->method == NULL ? add_request_line(head, line) : add_header(head, line);
}

// METHOD SP TARGET SP HTTP/1.x
static int add_request_line(struct http_head *head, const char *line)
{
    assert(head->method == NULL);
    const char *target = strchr(line, ' ');
    const char *version = target != NULL ? strchr(target + 1, ' ') : NULL;
    if (version == NULL || version == target + 1 || !is_token(line, (size_t)(target - line)))
        return BAD_REQUEST;
    if (strncmp(version + 1, "HTTP/", 5) != 0)
        return BAD_REQUEST;
    if (strcmp(version + 1, "HTTP/1.1") != 0 && strcmp(version + 1, "HTTP/1.0") != 0)
        return VERSION_NOT_KNOWN;
    head->is_last = strcmp(version + 1, "HTTP/1.0") == 0;
    head->method = copy_bytes(line, (size_t)(target - line));
    head->target = copy_bytes(target + 1, (size_t)(version - target - 1));
    return HTTP_HEAD_MORE;
}

// Continuation lines are obsolete; they are refused as names with blanks.
static int add_header(struct http_head *head, const char *line)
{
    assert(head->method != NULL);
    const char *colon = strchr(line, ':');
    if (colon == NULL || !is_token(line, (size_t)(colon - line)))
        return BAD_REQUEST;
    const char *value = colon + 1 + strspn(colon + 1, " \t");
    size_t length = strlen(value);
    while (length > 0 && (value[length - 1] == ' ' || value[length - 1] == '\t'))
        length--;
    struct http_header header = {copy_bytes(line, (size_t)(colon - line)),
                                 copy_bytes(value, length)};
    vector_push(&head->headers, header);
    if (strcasecmp(header.name, "Transfer-Encoding") == 0 ||
        (strcasecmp(header.name, "Content-Length") == 0 && strcmp(header.value, "0") != 0))
        head->has_body = true;
    if (strcasecmp(header.name, "Connection") == 0 && lists_token(header.value, "close"))
        head->is_last = true;
    return HTTP_HEAD_MORE;
}

static char *copy_bytes(const char *data, size_t length)
{
    char *copy = memory_allocate(length + 1);
    memcpy(copy, data, length);
    return copy;
}

static bool is_token(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        char c = text[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        if (!letter && strchr("!#$%&'*+-.^_`|~", c) == NULL)
            return false;
    }
    return length > 0;
}

static bool lists_token(const char *list, const char *token)
{
    for (const char *at = list; *at != '\0';) {
        at += strspn(at, " \t,");
        size_t length = strcspn(at, " \t,");
        if (length == strlen(token) && strncasecmp(at, token, length) == 0)
            return true;
        at += length;
    }
    return false;
}

const char *http_head_find(const struct http_head *head, const char *name)
{
    assert(name != NULL);
    vector_for_each (header, &head->headers)
        if (strcasecmp(header->name, name) == 0)
            return header->value;
    return NULL;
}

void http_head_clear(struct http_head *head)
{
    vector_for_each (header, &head->headers) {
        free(header->name);
        free(header->value);
    }
    vector_free(&head->headers);
    free(head->method);
    free(head->target);
    *head = (struct http_head){0};
}
