#include "cli/input/manifest_check.h"

#include <assert.h>
#include <string.h>

#include "base/memory.h"
#include "cloud/providers.h"
#include "model/tables/kinds.h"
#include "model/validate/validate.h"

void manifest_check_free(struct manifest_check *check)
{
    text_free(&check->remarks);
}

// The formats of the program itself are checked as they are read; NodeClaims are not written by
// users.
static bool is_checked(const struct kind *kind)
{
    return kind->custom && kind->id != KIND_NODE_CLAIM && kind->id != KIND_INSTANCE_TYPE_CATALOG &&
           kind->id != KIND_SNAPSHOT_CONTEXT;
}

static void add_hint(struct text *text, const struct finding *finding)
{
    if (!text_is_empty(finding->hint))
        text_format(text, " (%.200s)", finding->hint);
}

static bool refuse(const struct object *object, const struct finding *finding, uint32_t others,
                   struct error *error)
{
    struct text text = {0};
    text_format(&text, "%.700s", finding->message);
    add_hint(&text, finding);
    text_format(&text, ": %s %.100s is refused", object->kind->name,
                text_or_empty(object->meta.name));
    if (others > 0)
        text_format(&text, ", also for %u other reason%s (`adze validate` tells all)", others,
                    text_plural(others));
    text_add(&text, "; --force goes on all the same");
    error_set(error, ERROR_INVALID, "%.1200s", text.data);
    text_free(&text);
    return text_is_empty(finding->path) ? false : error_locate(error, "%.200s", finding->path);
}

static void remark(struct manifest_check *check, const struct object *object,
                   const struct finding *finding)
{
    text_format(&check->remarks, "\n%s %s would be refused: %s%s%s", object->kind->name,
                text_or_empty(object->meta.name), finding->path,
                text_is_empty(finding->path) ? "" : ": ", finding->message);
    add_hint(&check->remarks, finding);
}

// What is not as its author meant it, and has a bearing on a plan.
static bool is_told(const struct finding *finding)
{
    static const char *const codes[] = {"W-unknown-field", "W-unknown-value", "W-unknown-resource",
                                        NULL};
    return finding->code != NULL && text_list_has(codes, finding->code);
}

static void tell(struct manifest_check *check, const struct object *object,
                 const struct finding *finding)
{
    bool is_field = strcmp(finding->code, "W-unknown-field") == 0;
    text_format(&check->remarks, "\n%s %s: %s: %s%s", object->kind->name,
                text_or_empty(object->meta.name), finding->path, finding->message,
                is_field ? " is ignored" : "");
    add_hint(&check->remarks, finding);
}

static bool judge(struct manifest_check *check, const struct object *object,
                  const struct findings *findings, struct error *error)
{
    const struct finding *first = NULL;
    uint32_t count = 0;
    for (uint32_t i = 0; i < findings->count; i++) {
        if (is_told(&findings->items[i]) && object->meta.uid == NULL)
            tell(check, object, &findings->items[i]);
        if (findings->items[i].level == FINDING_WARNING || findings_follow(findings, i))
            continue;
        if (count++ == 0)
            first = &findings->items[i];
        if (check->force || object->meta.uid != NULL)
            remark(check, object, &findings->items[i]);
    }
    if (count == 0 || check->force || object->meta.uid != NULL)
        return true;
    return refuse(object, first, count - 1, error);
}

bool manifest_examine(void *context, const struct object *object, const json_t *document,
                      struct error *error)
{
    struct manifest_check *check = context;
    assert(check != NULL && document != NULL);
    if (!is_checked(object->kind))
        return true;
    struct findings findings = {0};
    json_t *stored = NULL;
    const struct validate_options options = {.lenient = !check->strict, .advise = true};
    if (validate_object(object->kind, document, NULL, &options, &findings, &stored))
        providers_check_object(object->kind, stored, &findings);
    bool fine = judge(check, object, &findings, error);
    json_decref(stored);
    findings_free(&findings);
    return fine;
}
