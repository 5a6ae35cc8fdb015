#include "cli/convert/base64.h"

#include <ctype.h>
#include <stdint.h>
#include <string.h>

static int digit(char c)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *at = c != '\0' ? strchr(digits, c) : NULL;
    return at != NULL ? (int)(at - digits) : -1;
}

bool base64_decode(const char *text, struct text *out)
{
    uint32_t bits = 0, count = 0, padding = 0;
    if (strlen(text) > BASE64_TEXT_MAX)
        return false;
    for (; *text != '\0'; text++) {
        if (isspace((unsigned char)*text))
            continue;
        int value = *text == '=' ? 0 : digit(*text);
        padding += *text == '=';
        if (value < 0 || (padding > 0 && *text != '=') || padding > 2)
            return false;
        bits = (bits << 6 | (uint32_t)value) & 0xffffff;
        if (++count % 4 != 0)
            continue;
        for (uint32_t i = 0; i < 3 - padding; i++) {
            char byte = (char)(bits >> (16 - 8 * i) & 0xff);
            if (byte == '\0')
                return false;
            text_add_char(out, byte);
        }
    }
    return count > 0 && count % 4 == 0;
}
