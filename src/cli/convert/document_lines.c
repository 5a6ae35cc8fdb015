#include "cli/convert/document_lines.h"

#include <assert.h>
#include <ctype.h>
#include <string.h>
#include <strings.h>

bool line_next(const char **at, const char *end, struct line *line)
{
    assert(*at <= end);
    if (*at >= end)
        return false;
    const char *feed = memchr(*at, '\n', (size_t)(end - *at));
    *line = (struct line){*at, (size_t)((feed != NULL ? feed : end) - *at)};
    *at = feed != NULL ? feed + 1 : end;
    return true;
}

struct line line_trimmed(struct line line)
{
    while (line.length > 0 && isspace((unsigned char)line.text[0]))
        line = (struct line){line.text + 1, line.length - 1};
    while (line.length > 0 && isspace((unsigned char)line.text[line.length - 1]))
        line.length--;
    return line;
}

bool line_is(struct line line, const char *text)
{
    return line.length == strlen(text) && memcmp(line.text, text, line.length) == 0;
}

bool line_begins(struct line line, const char *text)
{
    return line.length >= strlen(text) && memcmp(line.text, text, strlen(text)) == 0;
}

bool line_begins_in_any_case(struct line line, const char *text)
{
    return line.length >= strlen(text) && strncasecmp(line.text, text, strlen(text)) == 0;
}
