#include "engine/pass/refusal.h"

#include <assert.h>

#include "model/reading/pod.h"

struct text *refusal_begin(struct pass *pass, enum reason_code code)
{
    assert(code < REASON_COUNT);
    if (pass->refusal.why == NULL)
        return NULL;
    pass->refusal.code = code;
    text_clear(pass->refusal.why);
    return pass->refusal.why;
}

void refusal_add_taints(struct pass *pass, uint32_t tolerations, uint32_t taints)
{
    assert(taints < pass->problem->interned.taint_lists.count);
    assert(tolerations < pass->problem->interned.toleration_lists.count);
    const taint_list *list = pass->problem->interned.taint_lists.items[taints];
    const toleration_list *own = pass->problem->interned.toleration_lists.items[tolerations];
    bool any = false;
    list_for_each (taint, list) {
        if (tolerations_tolerate(own, taint))
            continue;
        bool has_value = taint->value != NULL && taint->value[0] != '\0';
        text_format(pass->refusal.why, "%sdid not tolerate taint (taint=%s%s%s:%s)",
                    any ? "; " : "", taint->key, has_value ? "=" : "",
                    has_value ? taint->value : "", taint->effect);
        any = true;
    }
}
