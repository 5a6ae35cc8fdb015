#include "cloud/aws/nodeclass/refusal.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "cloud/aws/nodeclass/iam_statements.h"

#define ACTION   "is not authorized to perform: "
#define RESOURCE "on resource: "
#define WORD_MAX 400

static bool has_permission(const struct iam_statement *statement, const char *permission)
{
    const char *own;
    for (size_t i = 0; (own = iam_statement_permission(statement, i)) != NULL; i++)
        if (strcmp(own, permission) == 0)
            return true;
    return false;
}

// Whatever stands for the account, the region and so on.
static bool has_resource(const struct iam_statement *statement, const char *resource)
{
    for (size_t i = 0; i < IAM_RESOURCES_MAX && statement->resources[i] != NULL; i++) {
        struct text pattern = {0};
        for (const char *at = statement->resources[i]; *at != '\0'; at++) {
            text_add_char(&pattern, *at != '%' ? *at : '*');
            at += *at == '%';
        }
        bool matches = fnmatch(pattern.data, resource, 0) == 0;
        text_free(&pattern);
        if (matches)
            return true;
    }
    return false;
}

const char *refusal_statement(const char *permission, const char *resource)
{
    size_t count;
    const struct iam_statement *statements = iam_statements(&count);
    const char *sid = NULL; // without a resource that helps, the last one
    for (size_t i = 0; i < count; i++) {
        if (!has_permission(&statements[i], permission))
            continue;
        sid = statements[i].sid;
        if (!text_is_empty(resource) && has_resource(&statements[i], resource))
            break;
    }
    return sid;
}

// The word after `introduction`; "": there is none.
static void word_after(const char *text, const char *introduction, char out[WORD_MAX])
{
    const char *start = strstr(text, introduction);
    out[0] = '\0';
    if (start == NULL)
        return;
    start += strlen(introduction);
    size_t length = strcspn(start, " ,;\"\n");
    if (length < WORD_MAX)
        snprintf(out, WORD_MAX, "%.*s", (int)length, start);
}

void refusal_explain(const char *permission, const char *message, struct text *out)
{
    char action[WORD_MAX], resource[WORD_MAX];
    word_after(text_or_empty(message), ACTION, action);
    word_after(text_or_empty(message), RESOURCE, resource);
    if (action[0] == '\0')
        snprintf(action, sizeof action, "%s", permission);
    const char *statement = refusal_statement(action, resource);
    text_format(out, "; adze's role needs %s", action);
    if (resource[0] != '\0')
        text_format(out, " on %s", resource);
    if (statement != NULL)
        text_format(out, " (statement %s of the policy that `adze iam` prints)", statement);
}
