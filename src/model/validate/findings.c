#include "model/validate/findings.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/vector.h"
#include "model/schema/object.h"

#define MESSAGE_BYTES  4096
#define PATH_BYTES_MAX 2000 // longer ones are truncated

void findings_free(struct findings *findings)
{
    arena_destroy(findings->arena);
    free(findings->items);
    *findings = (struct findings){0};
}

static const char *copy_path(struct arena *arena, const char *path)
{
    return strlen(path) <= PATH_BYTES_MAX ? arena_copy_string(arena, path)
                                          : arena_format(arena, "%.*s...", PATH_BYTES_MAX, path);
}

void findings_add(struct findings *findings, const struct finding *finding, const char *format, ...)
{
    assert(finding->path != NULL);
    assert(finding->level <= FINDING_WARNING);
    char message[MESSAGE_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    if (findings->arena == NULL)
        findings->arena = arena_create(512);
    struct finding copy = *finding;
    copy.path = copy_path(findings->arena, finding->path);
    copy.message = arena_copy_string(findings->arena, message);
    copy.hint = arena_copy_string(findings->arena, finding->hint);
    vector_push(findings, copy);
}

bool findings_refuse(const struct findings *findings)
{
    for (uint32_t i = 0; i < findings->count; i++)
        if (findings->items[i].level == FINDING_REFUSED)
            return true;
    return false;
}

// Whether `path` is at `root` or below it.
static bool is_within(const char *path, const char *root)
{
    size_t length = strlen(root);
    return length > 0 && strncmp(path, root, length) == 0 && strchr(".[", path[length]) != NULL;
}

static bool follows(const struct finding *finding, const struct finding *cause)
{
    if (text_equal(cause->rule, "GUI-11"))
        return !text_equal(finding->rule, "GUI-11") && strcmp(finding->path, cause->path) == 0;
    bool below = is_within(finding->path, cause->path);
    bool above = is_within(cause->path, finding->path) && strchr(finding->path, '[') != NULL;
    if (cause->is_form)
        return !finding->is_form && (below || above);
    return finding->level == FINDING_REJECTED && cause->level == FINDING_REFUSED &&
           ((below && strchr(cause->path, '[') != NULL) || above);
}

bool findings_follow(const struct findings *findings, uint32_t index)
{
    assert(index < findings->count);
    for (uint32_t i = 0; i < findings->count; i++)
        if (i != index && follows(&findings->items[index], &findings->items[i]))
            return true;
    return false;
}

void findings_status_message(const struct findings *findings, const struct kind *kind,
                             const char *name, char *out, size_t size)
{
    assert(size > 0);
    struct text text = {0};
    text_format(&text, "%s.%s \"%s\" is invalid: ", kind->name, kind->group,
                name != NULL ? name : "");
    uint32_t refusals = 0, shown = 0;
    for (uint32_t i = 0; i < findings->count; i++)
        refusals += findings->items[i].level == FINDING_REFUSED;
    if (refusals > 1)
        text_add_char(&text, '[');
    for (uint32_t i = 0; i < findings->count; i++) {
        const struct finding *finding = &findings->items[i];
        if (finding->level != FINDING_REFUSED)
            continue;
        text_format(&text, "%s%s: %s", shown++ > 0 ? ", " : "", finding->path, finding->message);
    }
    if (refusals > 1)
        text_add_char(&text, ']');
    snprintf(out, size, "%s", text.data);
    text_free(&text);
}
