#include "sim/apiserver/api_path.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "sim/apiserver/api_internal.h"

// One segment, decoded; NULL if it is empty, too long or contains characters that no name has.
static char *decode_segment(const char *text, size_t length)
{
    if (length == 0 || length > 512)
        return NULL;
    CLEANUP_FREE char *copy = memory_allocate(length + 1);
    memcpy(copy, text, length);
    size_t decoded_length;
    char *decoded = evhttp_uridecode(copy, 0, &decoded_length);
    if (decoded == NULL)
        return NULL;
    bool good = strlen(decoded) == decoded_length && decoded_length > 0 &&
                strchr(decoded, '/') == NULL && strcmp(decoded, ".") != 0 &&
                strcmp(decoded, "..") != 0;
    char *segment = good ? memory_copy_string(decoded) : NULL;
    free(decoded);
    return segment;
}

static bool split(const char *text, struct api_path *path)
{
    if (text == NULL || text[0] != '/')
        return false;
    text++;
    while (text[0] != '\0') {
        size_t length = strcspn(text, "/");
        if (path->count == API_SEGMENTS_MAX)
            return false;
        char *segment = decode_segment(text, length);
        if (segment == NULL)
            return false;
        path->segments[path->count++] = segment;
        text += length;
        if (text[0] == '/')
            text++;
    }
    return true;
}

// "/namespaces/x/pods" is a collection in a namespace, "/namespaces/x/status" a subresource of the
// namespace.
static bool is_namespace_subresource(const char *segment)
{
    return strcmp(segment, "status") == 0 || strcmp(segment, "finalize") == 0;
}

static bool find_resource(struct api_path *path, uint32_t first)
{
    char **rest = path->segments + first;
    uint32_t count = path->count - first;
    if (count >= 3 && strcmp(rest[0], "namespaces") == 0 && !is_namespace_subresource(rest[2])) {
        path->namespace = rest[1];
        rest += 2;
        count -= 2;
    }
    if (count > 3)
        return false;
    path->plural = count > 0 ? rest[0] : NULL;
    path->name = count > 1 ? rest[1] : NULL;
    path->subresource = count > 2 ? rest[2] : NULL;
    return true;
}

bool api_path_parse(const char *text, struct api_path *path)
{
    memset(path, 0, sizeof *path);
    bool good = split(text, path);
    if (good && path->count >= 3 && strcmp(path->segments[0], "api") == 0) {
        path->group = "";
        path->version = path->segments[1];
        good = find_resource(path, 2);
    } else if (good && path->count >= 4 && strcmp(path->segments[0], "apis") == 0) {
        path->group = path->segments[1];
        path->version = path->segments[2];
        good = find_resource(path, 3);
    }
    if (!good)
        api_path_clear(path);
    return good;
}

void api_path_clear(struct api_path *path)
{
    for (uint32_t i = 0; i < path->count; i++)
        free(path->segments[i]);
    memset(path, 0, sizeof *path);
}
