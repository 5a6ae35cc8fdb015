#include "model/reading/disruption_reason.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

static const char *const reasons[] = {
    [DISRUPTION_EMPTY] = "Empty",
    [DISRUPTION_DRIFTED] = "Drifted",
    [DISRUPTION_UNDERUTILIZED] = "Underutilized",
    [DISRUPTION_EXPIRED] = "Expired",
};
static const char *const reason_labels[] = {
    [DISRUPTION_EMPTY] = "empty",
    [DISRUPTION_DRIFTED] = "drifted",
    [DISRUPTION_UNDERUTILIZED] = "underutilized",
    [DISRUPTION_EXPIRED] = "expired",
};
static const char *const methods[] = {
    [METHOD_ANY] = "any",
    [METHOD_EMPTINESS] = "emptiness",
    [METHOD_STATIC_DRIFT] = "static-drift",
    [METHOD_DRIFT] = "drift",
    [METHOD_EXPIRY] = "expiry",
    [METHOD_MULTI] = "multi",
    [METHOD_SINGLE] = "single",
};
static const char *const types[] = {
    [CONSOLIDATION_NONE] = "none",
    [CONSOLIDATION_EMPTY] = "empty",
    [CONSOLIDATION_MULTI] = "multi",
    [CONSOLIDATION_SINGLE] = "single",
};
static const char *const kinds[] = {
    [CANCEL_NONE] = "none",       [CANCEL_CHURN] = "churn",
    [CANCEL_BUDGET] = "budget",   [CANCEL_SCHEDULING] = "scheduling",
    [CANCEL_UNKNOWN] = "unknown",
};
static_assert(sizeof reasons / sizeof *reasons == DISRUPTION_REASONS_COUNT, "every one has a name");
static_assert(sizeof reason_labels / sizeof *reason_labels == DISRUPTION_REASONS_COUNT,
              "every one has a label");
static_assert(sizeof methods / sizeof *methods == METHODS_COUNT, "every one has a name");
static_assert(sizeof types / sizeof *types == CONSOLIDATION_TYPES_COUNT, "every one has a name");
static_assert(sizeof kinds / sizeof *kinds == CANCEL_KINDS_COUNT, "every one has a name");

// The index of the name, or -1.
static int find(const char *const *names, int count, const char *name)
{
    for (int i = 0; name != NULL && i < count; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    return -1;
}

const char *disruption_reason_name(enum disruption_reason reason)
{
    assert(reason < DISRUPTION_REASONS_COUNT);
    return reasons[reason];
}

const char *disruption_reason_label(enum disruption_reason reason)
{
    assert(reason < DISRUPTION_REASONS_COUNT);
    return reason_labels[reason];
}

bool disruption_reason_parse(const char *name, enum disruption_reason *reason)
{
    int index = find(reasons, DISRUPTION_REASONS_COUNT, name);
    if (index >= 0)
        *reason = (enum disruption_reason)index;
    return index >= 0;
}

uint32_t disruption_methods_of(enum disruption_method method)
{
    assert(method < METHODS_COUNT);
    return method == METHOD_ANY ? METHODS_ALL : METHOD_BIT(method);
}

const char *disruption_method_name(enum disruption_method method)
{
    assert(method < METHODS_COUNT);
    return methods[method];
}

bool disruption_method_parse(const char *name, enum disruption_method *method)
{
    int index = find(methods, METHODS_COUNT, name);
    if (index >= 0)
        *method = (enum disruption_method)index;
    return index >= 0;
}

const char *consolidation_type_name(enum consolidation_type type)
{
    assert(type < CONSOLIDATION_TYPES_COUNT);
    return types[type];
}

const char *consolidation_type_label(enum consolidation_type type)
{
    return type != CONSOLIDATION_NONE ? consolidation_type_name(type) : "";
}

bool consolidation_type_parse(const char *name, enum consolidation_type *type)
{
    int index = find(types, CONSOLIDATION_TYPES_COUNT, name);
    if (index >= 0)
        *type = (enum consolidation_type)index;
    return index >= 0;
}

const char *cancel_kind_name(enum cancel_kind kind)
{
    assert(kind < CANCEL_KINDS_COUNT);
    return kinds[kind];
}

bool cancel_kind_parse(const char *name, enum cancel_kind *kind)
{
    int index = find(kinds, CANCEL_KINDS_COUNT, name);
    if (index >= 0)
        *kind = (enum cancel_kind)index;
    return index >= 0;
}
