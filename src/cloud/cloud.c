#include "cloud/cloud.h"

#include <ctype.h>
#include <stdio.h>

void cloud_node_class_label(const char *group, const char *kind, char *out, size_t size)
{
    int length = snprintf(out, size, "%s/%s", group, kind);
    for (int i = 0; i < length && (size_t)i < size; i++)
        out[i] = (char)tolower((unsigned char)out[i]);
}
