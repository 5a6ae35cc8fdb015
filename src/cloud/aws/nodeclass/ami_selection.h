// The images of a NodeClass's status, chosen among those that EC2 knows (AWN-172 to 175).
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

struct ami_selection;
struct ami_selection *ami_selection_create(int64_t now);
void ami_selection_destroy(struct ami_selection *selection);
// An image of DescribeImages; `variants`: bits of enum ami_variant, 0: the architecture alone.
void ami_selection_add(struct ami_selection *selection, const json_t *image, uint32_t variants,
                       const char *windows_build);
// status.amis, a new list. `usable_first` (AWN-716): a deprecated image follows the others of its
// architecture.
json_t *ami_selection_result(struct ami_selection *selection, bool usable_first);
// AWN-174.
bool image_is_deprecated(const json_t *image, int64_t now);
