#include "cloud/aws/nodeclass/class_pass.h"

#include <assert.h>
#include <string.h>

#include "base/text.h"
#include "cloud/aws/nodeclass/refusal.h"

#define TERMS_IN_MESSAGE 5
#define WORD_MAX         100

static struct operation_about about_of(struct class_pass *pass)
{
    return (struct operation_about){
        .manager = pass->controllers->manager, .item = pass->item, .doing = "asking AWS"};
}

static const struct answer *take(struct class_pass *pass, const char *key,
                                 const struct answer *answer)
{
    if (answer->state == ANSWER_PENDING) {
        struct operation_about about = about_of(pass);
        answers_wait(pass->controllers->answers, key, &about);
        pass->pending = true;
        return NULL;
    }
    if (answer->state == ANSWER_FAILED)
        vector_push(&pass->failures, arena_copy_string(pass->arena, key));
    return answer;
}

const struct answer *pass_ask(struct class_pass *pass, const struct question *question)
{
    return take(pass, question->key, answers_ask(pass->controllers->answers, question));
}

const struct answer *pass_find(struct class_pass *pass, const char *key)
{
    const struct answer *answer = answers_find(pass->controllers->answers, key);
    return answer != NULL ? take(pass, key, answer) : NULL;
}

const char *pass_key(struct class_pass *pass, const char *what, const json_t *parameters)
{
    char *dump CLEANUP_FREE = json_dumps(parameters, JSON_SORT_KEYS | JSON_COMPACT);
    return arena_format(pass->arena, "%s-%lld/%s/%s", text_or_empty(pass->node_class->meta.uid),
                        (long long)pass->node_class->meta.generation, what, dump);
}

void class_pass_requeue(struct class_pass *pass, int64_t delay_ns)
{
    if (delay_ns < pass->requeue_ns)
        pass->requeue_ns = delay_ns;
}

void pass_note_error(struct class_pass *pass, const struct error *error)
{
    assert(error->kind != ERROR_NONE);
    if (pass->error.kind == ERROR_NONE)
        pass->error = *error;
}

const char *pass_refusal(struct class_pass *pass, const struct answer *failure)
{
    const char *message = failure->error.message;
    if (failure->fault != AWS_FAULT_UNAUTHORIZED)
        return arena_copy_string(pass->arena, message);
    const char *end = strchr(message, ' ');
    size_t length = end != NULL ? (size_t)(end - message) : strlen(message);
    while (length > 0 && message[length - 1] == ':')
        length--;
    const char *permission = arena_copy_bytes(pass->arena, message, length);
    struct text text = {0};
    text_add(&text, message);
    refusal_explain(permission, message, &text);
    const char *copy = arena_copy_string(pass->arena, text.data);
    text_free(&text);
    return copy;
}

void pass_fail(struct class_pass *pass, enum condition_type type, const struct answer *failure)
{
    assert(failure->state == ANSWER_FAILED);
    pass_note_error(pass, &failure->error);
    const struct condition *condition = conditions_get(&pass->conditions, type);
    bool good = condition != NULL && text_equal(condition->status, "True") &&
                condition->observed_generation == pass->conditions.generation;
    if (good || pass->settings->compatibility_upstream)
        return;
    const char *reason = "AWSUnavailable";
    if (failure->fault == AWS_FAULT_NONE) // not AWS's: adze's own message
        reason = condition_reason_name(CONDITION_REASON_AWAITING_RECONCILIATION);
    else if (failure->fault == AWS_FAULT_UNAUTHORIZED)
        reason = "Unauthorized";
    else if (!text_is_empty(failure->code))
        reason = failure->code;
    // A reason is a word of letters and digits.
    char word[WORD_MAX];
    size_t length = 0;
    for (; *reason != '\0' && length + 1 < sizeof word; reason++)
        if ((*reason >= 'a' && *reason <= 'z') || (*reason >= 'A' && *reason <= 'Z') ||
            (*reason >= '0' && *reason <= '9' && length > 0))
            word[length++] = *reason;
    word[length] = '\0';
    conditions_set_named(&pass->conditions, type, "Unknown", length > 0 ? word : "AWSError",
                         pass_refusal(pass, failure));
}

json_t *filter_of(const char *name, json_t *values)
{
    return json_pack("{s:s, s:o}", "Name", name, "Values", values);
}

json_t *tag_filters(const struct string_map *tags)
{
    json_t *filters = json_array();
    list_for_each (tag, tags) {
        if (text_equal(tag->value, "*")) {
            json_array_append_new(filters, filter_of("tag-key", json_pack("[s]", tag->key)));
            continue;
        }
        struct text name = {0};
        text_format(&name, "tag:%s", tag->key);
        json_array_append_new(filters,
                              filter_of(name.data, json_pack("[s]", text_or_empty(tag->value))));
        text_free(&name);
    }
    return filters;
}

static void add_field(struct text *out, const char *name, const char *value)
{
    if (value == NULL)
        return;
    text_join(out, ", ", "");
    text_format(out, "%s %.*s", name, WORD_MAX, value);
}

static void add_term(struct text *out, const struct ec2_selector_term *term)
{
    struct text one = {0};
    add_field(&one, "id", term->id);
    add_field(&one, "name", term->name);
    add_field(&one, "alias", term->alias);
    add_field(&one, "ssmParameter", term->ssm_parameter);
    add_field(&one, "owner", term->owner);
    add_field(&one, "ownerID", term->owner_id);
    add_field(&one, "instanceMatchCriteria", term->instance_match_criteria);
    list_for_each (tag, &term->tags) {
        text_join(&one, ", ", "");
        text_format(&one, "tag %.*s=%.*s", WORD_MAX, tag->key, WORD_MAX, text_or_empty(tag->value));
    }
    text_join(out, " or ", text_or_empty(one.data));
    text_free(&one);
}

const char *selector_text(struct arena *arena, const ec2_selector_term_list *terms)
{
    struct text out = {0};
    uint32_t count = 0;
    list_for_each (term, terms)
        if (count++ < TERMS_IN_MESSAGE)
            add_term(&out, term);
    if (count > TERMS_IN_MESSAGE)
        text_format(&out, " or %u more", count - TERMS_IN_MESSAGE);
    if (out.data != NULL)
        text_repair(out.data);
    const char *text = arena_copy_string(arena, text_or_empty(out.data));
    text_free(&out);
    return text;
}
