#include "cloud/aws/controllers/console_text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

#define ENCODED_BYTES_MAX ((size_t)1 << 17) // EC2 keeps 64 KiB of output
#define SECRET_LENGTH_MIN 32
#define LINE_BYTES_MAX    200

static int digit_of(char c)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *at = c != '\0' ? strchr(digits, c) : NULL;
    return at != NULL ? (int)(at - digits) : -1;
}

// Ends at the first character that is none of Base64; line breaks are skipped.
static char *decode(const char *base64)
{
    size_t length = strnlen(base64, ENCODED_BYTES_MAX), used = 0;
    char *out = memory_allocate(length / 4 * 3 + 4);
    uint32_t bits = 0;
    int count = 0;
    for (size_t i = 0; i < length; i++) {
        int digit = digit_of(base64[i]);
        if (isspace((unsigned char)base64[i]))
            continue;
        if (digit < 0)
            break;
        bits = bits << 6 | (uint32_t)digit;
        count += 6;
        if (count >= 8) {
            count -= 8;
            char byte = (char)(bits >> count & 0xff);
            out[used++] = byte != '\0' ? byte : ' ';
        }
    }
    out[used] = '\0';
    return out;
}

// Escape sequences (colours, cursor) go, other control characters and bytes above ASCII are blanks.
static void clean(char *text)
{
    char *to = text;
    for (const char *from = text; *from != '\0'; from++) {
        if (*from == '\033') {
            if (from[1] == '[')
                for (from++; from[1] != '\0' && !isalpha((unsigned char)from[1]);)
                    from++;
            if (from[1] != '\0')
                from++;
            continue;
        }
        *to++ = *from == '\n' || *from == '\r'   ? '\n'
                : (*from >= ' ' && *from <= '~') ? *from
                                                 : ' ';
    }
    *to = '\0';
}

static bool is_key_character(char c)
{
    return isalnum((unsigned char)c) || strchr("+/=_-.~%", c) != NULL;
}

// Access keys, session tokens, bearer tokens: long words of digits and letters.
static bool is_secret(const char *word, size_t length)
{
    bool digit = false, upper = false, lower = false;
    if (length >= 16 && (strncmp(word, "AKIA", 4) == 0 || strncmp(word, "ASIA", 4) == 0))
        return true;
    for (size_t i = 0; i < length; i++) {
        digit = digit || isdigit((unsigned char)word[i]);
        upper = upper || isupper((unsigned char)word[i]);
        lower = lower || islower((unsigned char)word[i]);
    }
    return length >= SECRET_LENGTH_MIN && digit && (upper || lower);
}

static void add_line(struct text *out, const char *line, size_t length)
{
    size_t start = out->length;
    for (size_t i = 0; i < length && out->length - start < LINE_BYTES_MAX;) {
        size_t word = 0;
        while (i + word < length && line[i + word] != '\0' && is_key_character(line[i + word]))
            word++;
        if (word == 0)
            text_add_char(out, line[i++]);
        else if (is_secret(line + i, word))
            text_add(out, "***");
        else
            text_format(out, "%.*s", (int)(word < LINE_BYTES_MAX ? word : LINE_BYTES_MAX),
                        line + i);
        i += word;
    }
}

// The beginning of the last line that ends at or before `end`; `length`: without blanks around.
static const char *last_line(const char *text, const char *end, size_t *length)
{
    while (end > text && isspace((unsigned char)end[-1]))
        end--;
    const char *start = end;
    while (start > text && start[-1] != '\n')
        start--;
    while (start < end && *start == ' ')
        start++;
    *length = (size_t)(end - start);
    return start;
}

void console_text_add(struct text *out, const char *base64)
{
    char *plain CLEANUP_FREE = decode(text_or_empty(base64));
    const char *lines[CONSOLE_LINES_MAX], *end;
    size_t lengths[CONSOLE_LINES_MAX], count = 0, start = out->length;
    clean(plain);
    end = plain + strlen(plain);
    while (count < CONSOLE_LINES_MAX) {
        lines[count] = last_line(plain, end, &lengths[count]);
        if (lengths[count] == 0)
            break;
        end = lines[count++];
    }
    while (count-- > 0 && out->length - start < CONSOLE_BYTES_MAX) {
        if (out->length > start)
            text_add(out, " | ");
        add_line(out, lines[count], lengths[count]);
    }
}
