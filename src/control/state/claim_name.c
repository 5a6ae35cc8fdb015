#include "control/state/claim_name.h"

#include <stdio.h>

#include "base/random.h"

#define NAME_BASE_MAX  57 // generateName's limit: 63 with the hyphen and the suffix
#define NAME_TRIES_MAX 20

void choose_claim_name(struct control *control, const char *pool, char name[CLAIM_NAME_MAX])
{
    char suffix[6];
    for (uint32_t try = 0; try < NAME_TRIES_MAX; try++) {
        random_name_suffix(&control->manager.random, suffix);
        snprintf(name, CLAIM_NAME_MAX, "%.*s-%s", NAME_BASE_MAX, pool, suffix);
        if (find_claim(control, name) == NULL)
            return;
    }
}
