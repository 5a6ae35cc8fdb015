#include "cli/input/options.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/nanoseconds.h"
#include "base/text.h"
#include "cli/input/output_style.h"
#include "model/manifest/jsonpath.h"

#define NAMES_MAX 64

bool file_options_take(struct file_options *options, int option)
{
    if (option == 'f')
        vector_push(&options->files, optarg);
    else if (option == 'o')
        options->format = optarg;
    else if (option == COLOR_OPTION)
        options->color = optarg;
    else if (option == NO_HEADERS_OPTION)
        output_style()->no_headers = true;
    else
        return false;
    return true;
}

static void take_row(const struct option_row *row)
{
    if (row->given != NULL)
        *row->given = true;
    if (row->text != NULL)
        *row->text = optarg;
    if (row->list != NULL)
        vector_push(row->list, optarg);
}

bool file_options_read(const struct command *command, int argc, char **argv,
                       const struct option_row *rows, struct file_options *files,
                       struct kube_choice *cluster, int *status)
{
    static const struct option of_files[] = {FILE_OPTIONS}, of_clusters[] = {CLUSTER_OPTIONS};
    struct option table[NAMES_MAX] = {0};
    int option, count = 0;
    for (; rows[count].name != NULL && count < NAMES_MAX / 2; count++)
        table[count] = (struct option){rows[count].name,
                                       rows[count].given != NULL ? no_argument : required_argument,
                                       NULL, count + 1};
    memcpy(table + count, of_files, sizeof of_files);
    if (cluster != NULL)
        memcpy(table + count + ARRAY_LENGTH(of_files), of_clusters, sizeof of_clusters);
    optind = 1;
    opterr = 0;
    const char *letters =
        cluster != NULL ? FILE_OPTIONS_SHORT CLUSTER_OPTIONS_SHORT : FILE_OPTIONS_SHORT;
    while ((option = getopt_long(argc, argv, letters, table, NULL)) != -1)
        if (option > 0 && option <= count) {
            take_row(&rows[option - 1]);
        } else if (!file_options_take(files, option) &&
                   (cluster == NULL || !cluster_options_take(cluster, option))) {
            *status = option_refused(command, argv, table);
            return false;
        }
    for (; optind < argc; optind++)
        vector_push(&files->files, argv[optind]);
    return true;
}

static bool is_template(const char *format, const char *const *formats)
{
    bool taken = false;
    for (; *formats != NULL; formats++)
        taken = taken || strcmp(*formats, JSONPATH_FORMAT) == 0;
    return taken && text_starts_with(format, "jsonpath=");
}

static bool check_template(const struct command *command, const char *template, int *status)
{
    struct error error = {0};
    struct jsonpath *path = jsonpath_compile(template, &error);
    if (path == NULL)
        *status = command_usage_error(command, "-o %s", error.message);
    jsonpath_destroy(path);
    return path != NULL;
}

bool file_options_check(const struct command *command, const struct file_options *options,
                        const char *const *formats, int *status)
{
    static const char *const colors[] = {"auto", "always", "never", NULL};
    const char *color = options->color != NULL ? options->color : "auto";
    const char *format = options->format;
    if (!option_is_one_of(command, "--color", color, colors, status))
        return false;
    output_style()->color = color[1] == 'u'   ? COLOR_AUTO
                            : color[0] == 'a' ? COLOR_ALWAYS
                                              : COLOR_NEVER;
    output_style()->wide = strcmp(format, "wide") == 0;
    return is_template(format, formats)
               ? check_template(command, format + strlen("jsonpath="), status)
               : option_is_one_of(command, "-o", format, formats, status);
}

void input_await(const char *path)
{
    if (strcmp(path, "-") == 0 && isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1)
        fprintf(stderr, "adze: reading standard input (Ctrl-D ends it)\n");
}

// --- what is wrong -------------------------------------------------------------------------------

void option_add_meant(struct text *text, const char *word, const char *const *names, size_t count,
                      const char *prefix)
{
    const char *near[1];
    if (text_nearest(word, names, count, near, 1) == 1)
        text_format(text, "; did you mean %s%s?", prefix, near[0]);
}

bool option_is_one_of(const struct command *command, const char *option, const char *value,
                      const char *const *list, int *status)
{
    struct text text = {0};
    size_t count = 0;
    for (const char *const *item = list; *item != NULL; item++, count++) {
        if (strcmp(value, *item) == 0) {
            text_free(&text);
            return true;
        }
        text_format(&text, "%s%s", item == list ? "" : item[1] == NULL ? " or " : ", ", *item);
    }
    text_format(&text, ", not %s", value);
    option_add_meant(&text, value, list, count, "");
    *status = command_usage_error(command, "%s takes %s", option, text.data);
    text_free(&text);
    return false;
}

bool option_is_count(const struct command *command, const char *option, const char *text,
                     int64_t max, int64_t *value, int *status)
{
    if (text_parse_int64(text, value) && *value >= 0 && *value <= max)
        return true;
    *status = command_usage_error(command, "%s takes a number up to %lld, not %s", option,
                                  (long long)max, text);
    return false;
}

// The name is that of no option, or the beginning of several.
static void add_unknown(struct text *text, const char *word, size_t length,
                        const struct option *table)
{
    const char *names[NAMES_MAX];
    struct text several = {0}, copy = {0};
    text_add_bytes(&copy, word, length);
    const char *name = text_or_empty(copy.data);
    size_t count = 0, begun = 0;
    for (; table->name != NULL && count < NAMES_MAX; table++) {
        bool again = begun > 0 && strcmp(names[count - 1], table->name) == 0;
        if (*name != '\0' && text_starts_with(table->name, name) && !again)
            text_format(&several, "%s--%s", begun++ > 0 ? " or " : "", table->name);
        names[count++] = table->name;
    }
    if (begun > 1) {
        text_format(text, "--%s is short for several options: %s", name, several.data);
    } else {
        text_format(text, "unknown option --%s", name);
        option_add_meant(text, name, names, count, "--");
    }
    text_free(&several);
    text_free(&copy);
}

static bool has_row(const struct option *table, int value)
{
    for (; table->name != NULL; table++)
        if (table->val == value)
            return true;
    return false;
}

int option_refused(const struct command *command, char *const *argv, const struct option *table)
{
    struct text text = {0};
    const char *word = argv[optind - 1];
    size_t length = text_starts_with(word, "--") ? strcspn(word, "=") : 0;
    if (length == 0)
        text_format(&text, has_row(table, optopt) ? "-%c needs a value" : "unknown option -%c",
                    optopt);
    else if (optopt != 0)
        text_format(&text, "%.*s %s", (int)length, word,
                    word[length] == '=' ? "takes no value" : "needs a value");
    else
        add_unknown(&text, word + 2, length - 2, table);
    int status = command_usage_error(command, "%s", text.data);
    text_free(&text);
    return status;
}

int64_t wall_clock_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return ns_add(ns_multiply(now.tv_sec, SECOND), now.tv_nsec);
}

char *input_file_words(const char *const *files, uint32_t count)
{
    struct text words = {0};
    for (uint32_t i = 0; i < count; i++) {
        const char *file = files[i];
        bool is_plain =
            strspn(file, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                         "._-/+=@%,:") == strlen(file);
        text_join(&words, " ", "");
        text_format(&words, is_plain ? "%s" : "'%s'", file);
    }
    return text_take(&words);
}
