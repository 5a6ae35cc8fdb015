#include "cli/input/options.h"

#include <string.h>
#include <time.h>

#include "base/nanoseconds.h"
#include "base/text.h"

bool file_options_take(struct file_options *options, int option)
{
    if (option == 'f')
        vector_push(&options->files, optarg);
    else if (option == 'o')
        options->format = optarg;
    else
        return false;
    return true;
}

bool option_is_one_of(const struct command *command, const char *option, const char *value,
                      const char *const *list, int *status)
{
    struct text text = {0};
    for (const char *const *item = list; *item != NULL; item++) {
        if (strcmp(value, *item) == 0) {
            text_free(&text);
            return true;
        }
        text_format(&text, "%s%s", item == list ? "" : item[1] == NULL ? " or " : ", ", *item);
    }
    *status = command_usage_error(command, "%s takes %s, not %s", option, text.data, value);
    text_free(&text);
    return false;
}

int64_t wall_clock_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return ns_add(ns_multiply(now.tv_sec, SECOND), now.tv_nsec);
}
