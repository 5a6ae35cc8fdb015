#include "cli/output/terminal.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text.h"
#include "cli/input/output_style.h"

#define TEXT_WIDTH_MAX 110

struct filter {
    int descriptor;
    bool is_terminal;
    struct text waiting; // the beginning of a character
};

static size_t length_of(const unsigned char *at, size_t left, uint32_t *code);
static bool is_hostile(uint32_t code);

// --- escaping ------------------------------------------------------------------------------------
// The filter itself. Adds `data`, escaped, to `out` and returns the number of bytes consumed. Up to
// three bytes of an incomplete character may be left over (none if `is_end`).
static size_t terminal_escape(struct text *out, const char *data, size_t length, bool is_terminal,
                              bool is_end)
{
    size_t at = 0;
    while (at < length) {
        const unsigned char *byte = (const unsigned char *)data + at;
        if (*byte < 0x80) {
            bool control = (*byte < ' ' && *byte != '\n' && *byte != '\t') || *byte == 0x7f;
            if (control)
                text_format(out, "\\u%04x", *byte);
            else
                text_add_char(out, (char)*byte);
            at++;
            continue;
        }
        uint32_t code = 0;
        size_t size = length_of(byte, length - at, &code);
        if (size == 0 && !is_end)
            break; // the character is incomplete
        bool valid = size > 0 && code != UINT32_MAX;
        if (is_terminal && !valid)
            text_add(out, "\\ufffd");
        else if (is_terminal && is_hostile(code))
            text_format(out, "\\u%04x", code);
        else
            text_add_bytes(out, data + at, valid ? size : 1);
        at += valid ? size : 1;
    }
    return at;
}

void terminal_add_line(struct text *out, const char *text)
{
    for (const char *at = text; *at != '\0'; at++)
        if (*at == '\n' || *at == '\r' || *at == '\t')
            text_format(out, "\\%c", *at == '\n' ? 'n' : *at == '\r' ? 'r' : 't');
        else
            text_add_char(out, *at);
}

// Length of the character that begins there; 0: incomplete; code UINT32_MAX: not UTF-8.
static size_t length_of(const unsigned char *at, size_t left, uint32_t *code)
{
    size_t size = *at >= 0xf0 && *at < 0xf5   ? 4
                  : *at >= 0xe0 && *at < 0xf0 ? 3
                  : *at >= 0xc2 && *at < 0xe0 ? 2
                                              : 1;
    *code = size == 1 ? UINT32_MAX : *at & (0xffu >> (size + 1));
    for (size_t i = 1; i < size; i++) {
        if (i == left)
            return 0;
        if ((at[i] & 0xc0) != 0x80) {
            *code = UINT32_MAX;
            return 1;
        }
        *code = *code << 6 | (at[i] & 0x3f);
    }
    return size;
}

static bool is_hostile(uint32_t code)
{
    return (code >= 0x80 && code <= 0x9f) ||     // C1: U+009B has the effect of ESC [
           (code >= 0x202a && code <= 0x202e) || // bidirectional embeddings and overrides
           (code >= 0x2066 && code <= 0x2069) || code == 0x200e || code == 0x200f ||
           code == 0x061c || code == 0x2028 || code == 0x2029;
}

// --- standard output and standard error ----------------------------------------------------------
#ifdef __GLIBC__
static ssize_t write_all(int descriptor, const char *data, size_t length)
{
    for (size_t done = 0; done < length;) {
        ssize_t count = write(descriptor, data + done, length - done);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            return -1;
        done += (size_t)count;
    }
    return (ssize_t)length;
}

// The C library treats 0 as a failure.
static ssize_t filter_write(void *cookie, const char *data, size_t length)
{
    struct filter *filter = cookie;
    struct text out = {0};
    text_add_bytes(&filter->waiting, data, length);
    size_t taken = terminal_escape(&out, filter->waiting.data, filter->waiting.length,
                                   filter->is_terminal, false);
    struct text rest = {0};
    text_add_bytes(&rest, filter->waiting.data + taken, filter->waiting.length - taken);
    text_free(&filter->waiting);
    filter->waiting = rest;
    bool good = write_all(filter->descriptor, out.data, out.length) >= 0;
    int why = errno;
    text_free(&out);
    errno = why;
    return good ? (ssize_t)length : 0;
}

static FILE *protected(int descriptor, int buffering)
{
    static struct filter filters[3]; // of the process, by descriptor
    struct filter *filter = &filters[descriptor];
    filter->descriptor = descriptor;
    filter->is_terminal = isatty(descriptor) == 1;
    FILE *stream = fopencookie(filter, "w", (cookie_io_functions_t){.write = filter_write});
    if (stream == NULL)
        abort();
    setvbuf(stream, NULL, buffering, 1 << 16);
    return stream;
}

void terminal_protect(void)
{
    fflush(stdout);
    stdout = protected(STDOUT_FILENO, isatty(STDOUT_FILENO) == 1 ? _IOLBF : _IOFBF);
    stderr = protected(STDERR_FILENO, _IOLBF);
}
#else
void terminal_protect(void) {}
#endif

// --- looks ---------------------------------------------------------------------------------------

static bool has_colors(int descriptor)
{
    const char *no_color = getenv("NO_COLOR"), *kind = getenv("TERM");
    if (output_style()->color != COLOR_AUTO)
        return output_style()->color == COLOR_ALWAYS;
    return isatty(descriptor) == 1 && text_is_empty(no_color) &&
           (kind == NULL || strcmp(kind, "dumb") != 0);
}

// Past the filter, which would make the escape visible.
static void write_sequence(FILE *stream, const char *sequence)
{
    int descriptor = stream == stderr ? STDERR_FILENO : STDOUT_FILENO;
    if ((stream != stdout && stream != stderr) || !has_colors(descriptor))
        return;
    fflush(stream);
    ssize_t written = write(descriptor, sequence, strlen(sequence));
    (void)written; // a failure has nowhere to be reported
}

void terminal_print(FILE *stream, enum terminal_color color, const char *text)
{
    static const char *const sequences[] = {"\033[1m",  "\033[2m",  "\033[31m",
                                            "\033[32m", "\033[33m", "\033[1;31m"};
    write_sequence(stream, sequences[color]);
    fputs(text, stream);
    write_sequence(stream, "\033[0m");
}

int terminal_width(void)
{
    struct winsize size;
    bool known = isatty(STDOUT_FILENO) == 1 && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0;
    return known && size.ws_col > OUTPUT_WIDTH ? size.ws_col : OUTPUT_WIDTH;
}

int text_width(void)
{
    int width = terminal_width();
    return width < TEXT_WIDTH_MAX ? width : TEXT_WIDTH_MAX;
}
