// Quantities, durations, instants, cron schedules, names: for any bytes, an answer and no crash;
// accepted input must survive a write and a read.
#include <stdlib.h>
#include <string.h>

#include "base/cron.h"
#include "base/duration.h"
#include "base/quantity.h"
#include "base/text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void quantity_again(const char *resource, const char *text)
{
    int64_t value, again;
    char written[QUANTITY_TEXT_MAX];
    if (!quantity_parse(resource, text, &value, NULL) || value == INT64_MAX || value == INT64_MIN)
        return;
    quantity_format(resource, value, written);
    if (!quantity_parse(resource, written, &again, NULL) || again != value)
        abort();
}

static void instant_again(const char *text)
{
    int64_t value, again;
    char written[INSTANT_TEXT_MAX];
    if (!instant_parse(text, &value, NULL))
        return;
    instant_format_micro(value, written);
    if (!instant_parse(written, &again, NULL) || again / MICROSECOND != value / MICROSECOND)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct cron cron;
    int64_t value;
    const char *why;
    char *text = malloc(size + 1);
    memcpy(text, data, size);
    text[size] = '\0';
    quantity_again("cpu", text);
    quantity_again("memory", text);
    instant_again(text);
    if (cron_parse(text, &cron, NULL))
        (void)cron_next(&cron, INT64_C(1767225600) * SECOND);
    (void)!duration_parse(text, &value, NULL);
    (void)!price_parse(text, &value, NULL);
    (void)text_is_qualified_name(text, &why);
    (void)text_is_label_value(text, &why);
    free(text);
    return 0;
}
