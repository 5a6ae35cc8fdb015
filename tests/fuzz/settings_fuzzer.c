// Settings, a line NAME=VALUE each. Accepted settings can be written, and read back to the same.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "model/reading/setting_values.h"
#include "model/reading/settings.h"
#include "model/reading/settings_read.h"
#include "model/reading/settings_table.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void write_all(const struct settings *settings)
{
    uint32_t count;
    const struct setting *table = settings_table(&count);
    for (uint32_t i = 0; i < count; i++) {
        struct text text = {0};
        (void)settings_is_explicit(settings, i);
        setting_format(settings, &table[i], &text);
        text_free(&text);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct settings settings, copy;
    struct error error = {0};
    char *text = strndup((const char *)data, size);
    char *rest = text;
    settings_defaults(&settings);
    for (char *line; (line = strsep(&rest, "\n")) != NULL;) {
        char *value = strchr(line, '=');
        if (value == NULL)
            continue;
        *value++ = '\0';
        if (!settings_set(&settings, line, value, &error) && error.kind == ERROR_NONE)
            abort();
    }
    if (settings_finish(&settings, &error))
        write_all(&settings);
    settings_copy(&copy, &settings);
    settings_free(&settings);
    settings_free(&copy);
    free(text);
    return 0;
}
