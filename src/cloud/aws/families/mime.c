#include "cloud/aws/families/mime.h"

#include <assert.h>
#include <ctype.h>
#include <string.h>
#include <strings.h>

#define BOUNDARY           "//"
#define BOUNDARY_BYTES_MAX 200 // RFC 2046 allows 70
#define SPACE              " \t\r\n\v\f"

struct reader {
    const char *place; // the next line
    struct arena *arena;
    struct error *error;
    const char *delimiter; // "--" and the boundary
};

static bool read_headers(struct reader *reader, struct mime_part *part, bool *ended);
static bool read_boundary(struct reader *reader, const struct mime_part *message);
static bool read_parts(struct reader *reader, struct mime_parts *parts);
static bool read_body(struct reader *reader, struct mime_part *part);

bool mime_is_message(const char *text)
{
    assert(text != NULL);
    text += strspn(text, SPACE);
    return text_starts_with(text, "MIME-Version:") || text_starts_with(text, "Content-Type:");
}

// A copy without carriage returns and without the white space that begins the text.
static const char *plain_copy(const char *text, struct arena *arena)
{
    char *copy = arena_copy_string(arena, text + strspn(text, SPACE));
    size_t length = 0;
    for (const char *c = copy; *c != '\0'; c++)
        if (*c != '\r')
            copy[length++] = *c;
    copy[length] = '\0';
    return copy;
}

bool mime_read(struct mime_parts *parts, const char *text, struct arena *arena, struct error *error)
{
    assert(parts != NULL && text != NULL && arena != NULL);
    struct reader reader = {.place = plain_copy(text, arena), .arena = arena, .error = error};
    struct mime_part message = {0};
    bool ended;
    if (read_headers(&reader, &message, &ended) && read_boundary(&reader, &message) &&
        read_parts(&reader, parts))
        return true;
    return error_prefix(error, "spec.userData is no valid MIME archive");
}

static bool fail(const struct reader *reader, const char *text)
{
    return error_set(reader->error, ERROR_INVALID, "%s", text);
}

// --- headers -------------------------------------------------------------------------------------
static const char *line_end(const char *line)
{
    return line + strcspn(line, "\n");
}

static const char *next_line(const char *line)
{
    const char *end = line_end(line);
    return *end == '\n' ? end + 1 : end;
}

// "content-type" as "Content-Type".
static const char *canonical_name(struct arena *arena, const char *name, size_t length)
{
    char *copy = arena_copy_bytes(arena, name, length);
    bool begin = true;
    for (char *c = copy; *c != '\0'; c++) {
        *c = (char)(begin ? toupper((unsigned char)*c) : tolower((unsigned char)*c));
        begin = *c == '-';
    }
    return copy;
}

static bool is_name(const char *name, size_t length)
{
    if (length == 0)
        return false;
    for (size_t i = 0; i < length; i++)
        if (!isalnum((unsigned char)name[i]) &&
            (name[i] == '\0' || strchr("!#$%&'*+-.^_`|~", name[i]) == NULL))
            return false;
    return true;
}

static void add_trimmed(struct text *text, const char *from, const char *end)
{
    while (from < end && strchr(SPACE, *from) != NULL)
        from++;
    while (end > from && strchr(SPACE, end[-1]) != NULL)
        end--;
    text_add_bytes(text, from, (size_t)(end - from));
}

// One header with the lines that continue it.
static bool read_header(struct reader *reader, struct mime_header *header)
{
    const char *line = reader->place, *end = line_end(line);
    const char *colon = memchr(line, ':', (size_t)(end - line));
    size_t length = colon != NULL ? (size_t)(colon - line) : 0;
    if (!is_name(line, length))
        return error_set(reader->error, ERROR_INVALID,
                         "\"%.*s\" is no header (Name: value); an empty line ends the headers of a "
                         "part",
                         (int)(end - line < 60 ? end - line : 60), line);
    struct text value = {0};
    add_trimmed(&value, colon + 1, end);
    for (reader->place = next_line(line); *reader->place == ' ' || *reader->place == '\t';
         reader->place = next_line(reader->place)) {
        text_add_char(&value, ' ');
        add_trimmed(&value, reader->place, line_end(reader->place));
    }
    header->name = canonical_name(reader->arena, line, length);
    header->value = arena_copy_string(reader->arena, text_or_empty(value.data));
    text_free(&value);
    return true;
}

// Up to and with the empty line. `ended`: the text was over before it.
static bool read_headers(struct reader *reader, struct mime_part *part, bool *ended)
{
    struct mime_header headers[MIME_HEADERS_MAX];
    uint32_t count = 0;
    *ended = false;
    while (*reader->place != '\n' && *reader->place != '\0') {
        struct mime_header header;
        if (count == MIME_HEADERS_MAX)
            return fail(reader, "a part has too many headers");
        if (!read_header(reader, &header))
            return false;
        uint32_t place = count++; // sorted; equal names keep their order
        while (place > 0 && strcmp(headers[place - 1].name, header.name) > 0) {
            headers[place] = headers[place - 1];
            place--;
        }
        headers[place] = header;
    }
    *ended = *reader->place == '\0';
    if (!*ended)
        reader->place++;
    part->headers.items =
        arena_allocate_array(reader->arena, count + 1, sizeof *part->headers.items);
    if (count > 0)
        memcpy(part->headers.items, headers, count * sizeof *headers);
    part->headers.count = count;
    return true;
}

static const char *header_value(const struct mime_part *part, const char *name)
{
    list_for_each (header, &part->headers)
        if (strcmp(header->name, name) == 0)
            return header->value;
    return NULL;
}

// --- the boundary --------------------------------------------------------------------------------
// The value of a parameter, `name=value` or `name="value"`, at `place`; NULL: it isn't well formed.
static const char *parameter_value(struct arena *arena, const char **place)
{
    struct text text = {0};
    const char *c = *place;
    bool quoted = *c == '"', closed = !quoted;
    for (c += quoted; *c != '\0'; c++) {
        if (quoted && *c == '"') {
            closed = true;
            c++;
            break;
        }
        if (!quoted && (*c == ';' || strchr(SPACE, *c) != NULL))
            break;
        if (quoted && *c == '\\' && c[1] != '\0')
            c++;
        text_add_char(&text, *c);
    }
    *place = c + strspn(c, SPACE);
    const char *value = closed && text.length > 0 ? arena_copy_string(arena, text.data) : NULL;
    text_free(&text);
    return value;
}

// The parameter `boundary` of a content type; NULL: none.
static const char *find_boundary(struct arena *arena, const char *content_type)
{
    const char *place = strchr(content_type, ';');
    while (place != NULL && *place == ';') {
        place += 1 + strspn(place + 1, SPACE);
        size_t length = strcspn(place, "=;" SPACE);
        const char *name = place;
        place += length;
        place += strspn(place, SPACE);
        if (*place != '=')
            return NULL;
        place += 1 + strspn(place + 1, SPACE);
        const char *value = parameter_value(arena, &place);
        if (length == strlen("boundary") && strncasecmp(name, "boundary", length) == 0)
            return value;
    }
    return NULL;
}

static bool read_boundary(struct reader *reader, const struct mime_part *message)
{
    const char *content_type = header_value(message, MIME_CONTENT_TYPE);
    if (content_type == NULL)
        return fail(reader, "it has no header Content-Type before its first empty line");
    if (strncasecmp(content_type, "multipart/", strlen("multipart/")) != 0)
        return error_set(reader->error, ERROR_INVALID,
                         "its Content-Type is %.100s, which must be multipart/mixed", content_type);
    const char *boundary = find_boundary(reader->arena, content_type);
    if (boundary == NULL || strlen(boundary) > BOUNDARY_BYTES_MAX)
        return fail(reader,
                    "its Content-Type has no boundary; write Content-Type: multipart/mixed; "
                    "boundary=\"BOUNDARY\"");
    reader->delimiter = arena_format(reader->arena, "--%s", boundary);
    return true;
}

// --- parts ---------------------------------------------------------------------------------------
enum line {
    LINE_OTHER,
    LINE_OPENING,
    LINE_CLOSING,
};
static enum line line_kind(const struct reader *reader, const char *line)
{
    if (!text_starts_with(line, reader->delimiter))
        return LINE_OTHER;
    const char *rest = line + strlen(reader->delimiter);
    bool closing = rest[0] == '-' && rest[1] == '-';
    rest += closing ? 2 : 0;
    rest += strspn(rest, " \t");
    if (closing)
        return *rest == '\n' || *rest == '\0' ? LINE_CLOSING : LINE_OTHER;
    return *rest == '\n' ? LINE_OPENING : LINE_OTHER;
}

static void push(struct mime_parts *parts, struct arena *arena, struct mime_part part)
{
    if (parts->count == parts->capacity) {
        parts->capacity = parts->capacity == 0 ? 8 : parts->capacity * 2;
        struct mime_part *larger = arena_allocate_array(arena, parts->capacity, sizeof *larger);
        if (parts->count > 0)
            memcpy(larger, parts->items, parts->count * sizeof *larger);
        parts->items = larger;
    }
    parts->items[parts->count++] = part;
}

static bool read_parts(struct reader *reader, struct mime_parts *parts)
{
    enum line kind;
    while ((kind = line_kind(reader, reader->place)) == LINE_OTHER) { // the preamble
        if (*reader->place == '\0')
            return error_set(reader->error, ERROR_INVALID, "no line is its delimiter %.100s",
                             reader->delimiter);
        reader->place = next_line(reader->place);
    }
    while (kind == LINE_OPENING) {
        struct mime_part part = {0};
        bool ended;
        reader->place = next_line(reader->place);
        if (parts->count >= MIME_PARTS_MAX)
            return fail(reader, "it has too many parts");
        if (!read_headers(reader, &part, &ended))
            return false;
        if (ended)
            return true;
        if (!read_body(reader, &part))
            return false;
        push(parts, reader->arena, part);
        kind = line_kind(reader, reader->place);
    }
    return true;
}

// Up to the newline before the next delimiter, which is not part of the body.
static bool read_body(struct reader *reader, struct mime_part *part)
{
    const char *start = reader->place;
    const char *line = start;
    while (line_kind(reader, line) == LINE_OTHER) {
        if (*line == '\0')
            return error_set(reader->error, ERROR_INVALID,
                             "its last part has no end: the line %.100s-- is missing",
                             reader->delimiter);
        line = next_line(line);
    }
    size_t length = line > start ? (size_t)(line - start) - 1 : 0;
    part->body = arena_copy_bytes(reader->arena, start, length);
    reader->place = line;
    return true;
}

// --- writing -------------------------------------------------------------------------------------
void mime_add(struct mime_parts *parts, struct arena *arena, const char *content_type,
              const char *body)
{
    struct mime_part part = {.body = arena_copy_string(arena, body)};
    part.headers.items = arena_allocate(arena, sizeof *part.headers.items);
    part.headers.items[0] = (struct mime_header){MIME_CONTENT_TYPE, content_type};
    part.headers.count = 1;
    push(parts, arena, part);
}

static void add_plain(struct text *text, const char *string)
{
    for (const char *c = string; *c != '\0'; c++)
        if (*c != '\r')
            text_add_char(text, *c);
}

void mime_write(const struct mime_parts *parts, struct text *text)
{
    text_add(text, "MIME-Version: 1.0\n"
                   "Content-Type: multipart/mixed; boundary=\"" BOUNDARY "\"\n\n");
    for (uint32_t i = 0; i < parts->count; i++) {
        const struct mime_part *part = &parts->items[i];
        text_add(text, "--" BOUNDARY "\n");
        list_for_each (header, &part->headers)
            text_format(text, "%s: %s\n", header->name, header->value);
        text_add_char(text, '\n');
        add_plain(text, part->body);
        text_add_char(text, '\n');
    }
    text_add(text, "--" BOUNDARY "--\n");
}
