#include "kube/resource_version.h"

#include <stddef.h>
#include <stdint.h>

static bool version_number(const char *text, uint64_t *number)
{
    if (text == NULL || text[0] == '\0')
        return false;
    *number = 0;
    for (; *text != '\0'; text++) {
        uint64_t digit = (uint64_t)(*text - '0');
        if (*text < '0' || *text > '9' || __builtin_mul_overflow(*number, UINT64_C(10), number) ||
            __builtin_add_overflow(*number, digit, number))
            return false;
    }
    return true;
}

bool resource_version_is_newer(const char *version, const char *than)
{
    uint64_t a, b;
    return version_number(version, &a) && version_number(than, &b) && a > b;
}
