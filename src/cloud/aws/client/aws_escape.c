#include "cloud/aws/client/aws_escape.h"

static int hex_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static bool is_plain(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '.' || c == '_' || c == '~';
}

void aws_escape(struct text *out, const char *text, bool keep_slashes)
{
    static const char digits[] = "0123456789ABCDEF";
    for (; *text != '\0'; text++) {
        if (is_plain(*text) || (keep_slashes && *text == '/')) {
            text_add_char(out, *text);
            continue;
        }
        unsigned char byte = (unsigned char)*text;
        text_add_char(out, '%');
        text_add_char(out, digits[byte >> 4]);
        text_add_char(out, digits[byte & 15]);
    }
}

bool aws_unescape(char *text, bool form)
{
    char *out = text;
    for (; *text != '\0'; text++) {
        if (*text != '%') {
            *out++ = form && *text == '+' ? ' ' : *text;
            continue;
        }
        int high = hex_value(text[1]);
        int low = high < 0 ? -1 : hex_value(text[2]);
        if (low < 0 || high * 16 + low == 0)
            return false;
        *out++ = (char)(high * 16 + low);
        text += 2;
    }
    *out = '\0';
    return true;
}
