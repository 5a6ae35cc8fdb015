#include "cloud/aws/types/public_addresses.h"

#include <assert.h>

#include "base/text.h"

enum public_addresses public_addresses_of(const struct ec2_node_class *node_class)
{
    static const char *const names[] = {[PUBLIC_ADDRESSES_NONE] = "none",
                                        [PUBLIC_ADDRESSES_SOME] = "some",
                                        [PUBLIC_ADDRESSES_ALL] = "all"};
    assert(node_class != NULL);
    const struct optional_bool *given = &node_class->spec.associate_public_ip_address;
    const char *noted =
        object_annotation((const struct object *)node_class, ANNOTATION_PUBLIC_ADDRESSES);
    if (given->present)
        return given->value ? PUBLIC_ADDRESSES_ALL : PUBLIC_ADDRESSES_NONE;
    for (enum public_addresses i = PUBLIC_ADDRESSES_NONE; i <= PUBLIC_ADDRESSES_ALL; i++)
        if (text_equal(noted, names[i]))
            return i;
    return PUBLIC_ADDRESSES_UNKNOWN;
}
