#include "sim/aws/ec2_templates.h"

#include <assert.h>
#include <string.h>

#include "sim/aws/account_actions.h"
#include "sim/aws/account_filters.h"

#define USER_DATA_BYTES_MAX 16384

static struct account_template *find(const struct aws_account *account, const char *name,
                                     const char *id)
{
    if (name[0] != '\0')
        return map_get(account->templates, name);
    for (struct map_entry *e = map_first(account->templates); e != NULL; e = map_next(e)) {
        struct account_template *template = map_value(e);
        if (strcmp(template->id, id) == 0)
            return template;
    }
    return NULL;
}

static void refuse_unknown(struct account_call *call, const char *name, const char *id)
{
    if (name[0] != '\0')
        account_refuse(call, 400, "InvalidLaunchTemplateName.NotFoundException",
                       "At least one of the launch templates specified in the request does not "
                       "exist.");
    else
        account_refuse(call, 400, "InvalidLaunchTemplateId.NotFound",
                       "The specified launch template, with template ID %s, does not exist.", id);
}

const struct account_template *account_template_find(struct account_call *call,
                                                     const json_t *specification)
{
    const char *name = json_text(specification, "LaunchTemplateName");
    const char *id = json_text(specification, "LaunchTemplateId");
    const struct account_template *template = find(call->account, name, id);
    if (template == NULL)
        refuse_unknown(call, name, id);
    return template;
}

void account_template_free(void *account_template)
{
    struct account_template *template = account_template;
    free(template->id);
    free(template->name);
    json_decref(template->data);
    json_decref(template->shown);
    free(template);
}

static json_t *template_show(struct account_call *call, const struct account_template *template)
{
    char now[INSTANT_TEXT_MAX];
    json_t *tags = account_tags_of(call->params, "launch-template");
    instant_format_milli(loop_now_ns(call->account->loop), now);
    json_t *shown = json_pack("{s:s,s:s,s:s,s:s,s:i,s:i,s:o}", "launchTemplateId", template->id,
                              "launchTemplateName", template->name, "createTime", now, "createdBy",
                              "arn:aws:iam::111122223333:role/adze", "defaultVersionNumber", 1,
                              "latestVersionNumber", 1, "tagSet", account_tag_set(tags));
    json_decref(tags);
    return shown;
}

void ec2_create_launch_template(struct account_call *call)
{
    const char *name = json_text(call->params, "LaunchTemplateName");
    json_t *data = json_object_get(call->params, "LaunchTemplateData");
    if (name[0] == '\0' || !json_is_object(data)) {
        account_refuse(call, 400, "MissingParameter",
                       "The request must contain LaunchTemplateName and LaunchTemplateData");
        return;
    }
    if (json_string_length(json_object_get(data, "UserData")) > USER_DATA_BYTES_MAX) {
        account_refuse(call, 400, "InvalidUserData.Malformed",
                       "User data is limited to 16384 bytes");
        return;
    }
    if (map_get(call->account->templates, name) != NULL) {
        account_refuse(call, 400, "InvalidLaunchTemplateName.AlreadyExistsException",
                       "Launch template name already in use.");
        return;
    }
    if (call->dry_run) {
        account_refuse_dry_run(call);
        return;
    }
    struct account_template *template =
        map_ensure(call->account->templates, name, sizeof *template);
    template->id = account_id(call->account, "lt-");
    template->name = memory_copy_string(name);
    template->data = json_incref(data);
    template->shown = template_show(call, template);
    call->reply = json_pack("{s:O}", "launchTemplate", template->shown);
}

void ec2_delete_launch_template(struct account_call *call)
{
    const char *name = json_text(call->params, "LaunchTemplateName");
    const char *id = json_text(call->params, "LaunchTemplateId");
    struct account_template *template = find(call->account, name, id);
    if (template == NULL) {
        refuse_unknown(call, name, id);
        return;
    }
    call->reply = json_pack("{s:O}", "launchTemplate", template->shown);
    map_remove(call->account->templates, template->name);
    account_template_free(template);
}

static bool asked_exist(struct account_call *call)
{
    size_t i;
    json_t *asked;
    json_array_foreach (json_object_get(call->params, "LaunchTemplateName"), i, asked) {
        const char *name = text_or_empty(json_string_value(asked));
        if (map_get(call->account->templates, name) == NULL) {
            refuse_unknown(call, name, "");
            return false;
        }
    }
    json_array_foreach (json_object_get(call->params, "LaunchTemplateId"), i, asked) {
        const char *id = text_or_empty(json_string_value(asked));
        if (find(call->account, "", id) == NULL) {
            refuse_unknown(call, "", id);
            return false;
        }
    }
    return true;
}

void ec2_describe_launch_templates(struct account_call *call)
{
    static const struct account_filter filters[] = {{"launch-template-name", "launchTemplateName"},
                                                    {NULL, NULL}};
    if (!asked_exist(call))
        return;
    json_t *list = json_array();
    for (struct map_entry *e = map_first(call->account->templates); e != NULL; e = map_next(e)) {
        const struct account_template *template = map_value(e);
        if (account_asked(call->params, "LaunchTemplateName", template->name) &&
            account_asked(call->params, "LaunchTemplateId", template->id))
            json_array_append(list, template->shown);
    }
    account_filters_reply(call, "launchTemplates", list, filters);
}
