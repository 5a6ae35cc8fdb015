#include "cloud/aws/types/burst_baselines.h"

#include <string.h>

#include "base/text.h"

#define MILLI         INT64_C(1000000) // of 10^-9
#define PRICE_X86     (50 * MILLI)     // 0.05 USD a vCPU-hour
#define PRICE_ARM     (40 * MILLI)
#define PRICE_WINDOWS (96 * MILLI)

static const struct baseline { // vCPUs, in thousandths
    const char *size;
    int64_t t2, newer;
} baselines[] = {
    {"nano", 50, 100},   {"micro", 100, 200},   {"small", 200, 400},     {"medium", 400, 400},
    {"large", 600, 600}, {"xlarge", 900, 1600}, {"2xlarge", 1360, 3200},
};

struct instance_burst burst_of_type(const char *instance_type, bool windows)
{
    static const char *const families[] = {"t2.", "t3.", "t3a.", "t4g."};
    const char *size = NULL;
    for (size_t i = 0; i < ARRAY_LENGTH(families); i++)
        if (text_starts_with(instance_type, families[i]))
            size = instance_type + strlen(families[i]);
    for (size_t i = 0; size != NULL && i < ARRAY_LENGTH(baselines); i++) {
        if (strcmp(size, baselines[i].size) != 0)
            continue;
        bool older = instance_type[1] == '2', arm = instance_type[1] == '4';
        return (struct instance_burst){
            .baseline = MILLI * (older ? baselines[i].t2 : baselines[i].newer),
            .surplus_price = windows ? PRICE_WINDOWS
                             : arm   ? PRICE_ARM
                                     : PRICE_X86,
        };
    }
    return (struct instance_burst){0};
}
