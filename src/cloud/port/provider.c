#include "cloud/port/provider.h"

#include <assert.h>

#include "base/text.h"
#include "model/tables/kinds.h"

bool provider_serves(const struct cloud_provider *provider, const char *group, const char *kind)
{
    assert(provider->serves != NULL);
    for (const enum kind_id *id = provider->serves; *id != KIND_COUNT; id++)
        if (text_equal(kind_get(*id)->group, group) && text_equal(kind_get(*id)->name, kind))
            return true;
    return false;
}
