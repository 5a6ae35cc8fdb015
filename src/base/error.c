#include "base/error.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

// One byte more than fits, so that error_store() sees whether it cuts a character in two.
#define FORMATTED_MAX (sizeof((struct error *)NULL)->message + 1)

static void error_store(struct error *error, const char *text, size_t length);
static size_t formatted_length(int wanted);

// The arguments may point into error->message, so the text is made elsewhere first.
bool error_set(struct error *error, enum error_kind kind, const char *format, ...)
{
    assert(kind > ERROR_NONE);
    assert(kind <= ERROR_INTERNAL);
    assert(format != NULL);
    if (error == NULL)
        return false;
    char text[FORMATTED_MAX];
    va_list arguments;
    va_start(arguments, format);
    int wanted = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    error->kind = kind;
    error->path_length = 0;
    error_store(error, text, formatted_length(wanted));
    return false;
}

// "<formatted><separator><message>". Returns the bytes of the formatted part.
static size_t put_before(struct error *error, const char *separator, const char *format,
                         va_list arguments) PRINTF_LIKE(3, 0);
static size_t put_before(struct error *error, const char *separator, const char *format,
                         va_list arguments)
{
    char text[FORMATTED_MAX + 2 + sizeof error->message];
    int wanted = vsnprintf(text, FORMATTED_MAX, format, arguments);
    size_t length = formatted_length(wanted);
    size_t rest = strnlen(error->message, sizeof error->message - 1);
    memcpy(text + length, separator, 2);
    memcpy(text + length + 2, error->message, rest);
    error_store(error, text, length + 2 + rest);
    error->path_length = 0;
    return length;
}

bool error_prefix(struct error *error, const char *format, ...)
{
    assert(format != NULL);
    if (error == NULL)
        return false;
    assert(error->kind != ERROR_NONE);
    va_list arguments;
    va_start(arguments, format);
    put_before(error, ", ", format, arguments);
    va_end(arguments);
    return false;
}

bool error_locate(struct error *error, const char *path_format, ...)
{
    assert(path_format != NULL);
    if (error == NULL)
        return false;
    assert(error->kind != ERROR_NONE);
    va_list arguments;
    va_start(arguments, path_format);
    size_t length = put_before(error, ": ", path_format, arguments);
    va_end(arguments);
    error->path_length = length < sizeof error->message ? (uint16_t)length : 0;
    return false;
}

static size_t formatted_length(int wanted)
{
    size_t length = wanted < 0 ? 0 : (size_t)wanted;
    return length < FORMATTED_MAX ? length : FORMATTED_MAX - 1;
}

// Cuts at the end of a character if the text is too long, so that the message stays valid UTF-8.
static void error_store(struct error *error, const char *text, size_t length)
{
    if (length >= sizeof error->message) {
        length = sizeof error->message - 1;
        while (length > 0 && ((unsigned char)text[length] & 0xC0) == 0x80)
            length--;
    }
    assert(length < sizeof error->message);
    memcpy(error->message, text, length);
    error->message[length] = '\0';
    text_repair(error->message);
}

const char *error_kind_name(enum error_kind kind)
{
    switch (kind) {
    case ERROR_NONE:
        return "None";
    case ERROR_INVALID:
        return "Invalid";
    case ERROR_NOT_FOUND:
        return "NotFound";
    case ERROR_ALREADY_EXISTS:
        return "AlreadyExists";
    case ERROR_CONFLICT:
        return "Conflict";
    case ERROR_GONE:
        return "Gone";
    case ERROR_UNAUTHORIZED:
        return "Unauthorized";
    case ERROR_FORBIDDEN:
        return "Forbidden";
    case ERROR_TOO_MANY_REQUESTS:
        return "TooManyRequests";
    case ERROR_UNAVAILABLE:
        return "Unavailable";
    case ERROR_TIMEOUT:
        return "Timeout";
    case ERROR_INSUFFICIENT_CAPACITY:
        return "InsufficientCapacity";
    case ERROR_NODE_CLASS_NOT_READY:
        return "NodeClassNotReady";
    case ERROR_INTERNAL:
        return "Internal";
    }
    return "Unknown";
}
