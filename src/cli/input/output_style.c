#include "cli/input/output_style.h"

struct output_style *output_style(void)
{
    static struct output_style style;
    return &style;
}
