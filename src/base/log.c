#include "base/log.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/memory.h"
#include "base/nanoseconds.h"
#include "base/text.h"

#ifndef ADZE_COMMIT
#define ADZE_COMMIT "unknown"
#endif

#define OUTPUTS_MAX 8
// LIF-400: of each level and message, the first 100 a second are written, then every 100th.
#define SAMPLING_FIRST      100
#define SAMPLING_EACH       100
#define SAMPLING_SLOTS      1024 // a power of two
#define SAMPLING_PROBES_MAX 16

struct sampling_slot {
    uint64_t hash; // of level and message
    int64_t second;
    uint32_t count; // 0: never used
};

// The one process-wide state of adze. Lines go to stderr as JSON until log_configure().
static struct {
    pthread_mutex_t mutex;
    struct log_options options;
    int outputs[OUTPUTS_MAX];
    size_t outputs_count;
    struct sampling_slot sampling[SAMPLING_SLOTS];
} logger = {
    .mutex = PTHREAD_MUTEX_INITIALIZER,
    .options = {.level = LOG_INFO, .format = LOG_JSON},
    .outputs = {STDERR_FILENO},
    .outputs_count = 1,
};

static bool outputs_open(const char *paths, int outputs[OUTPUTS_MAX], size_t *count,
                         struct error *error);
static bool output_open(const char *path, int *output, struct error *error);
static void outputs_close(const int outputs[OUTPUTS_MAX], size_t count);
static bool is_sampled(enum log_level level, const char *message, int64_t now_ns);
static void add_head(struct text *line, enum log_level level, const char *message, int64_t now_ns);
static void add_pairs(struct text *line, va_list arguments);
static void write_line(struct text *line);

bool log_configure(const struct log_options *options, struct error *error)
{
    assert(options->level <= LOG_NONE);
    assert(options->format <= LOG_CONSOLE);
    int outputs[OUTPUTS_MAX];
    size_t count = 0;
    const char *paths = options->output_paths == NULL ? "stderr" : options->output_paths;
    if (options->sink == NULL && !outputs_open(paths, outputs, &count, error))
        return false;
    pthread_mutex_lock(&logger.mutex);
    outputs_close(logger.outputs, logger.outputs_count);
    memcpy(logger.outputs, outputs, count * sizeof *outputs);
    logger.outputs_count = count;
    logger.options = *options;
    logger.options.output_paths = NULL; // the caller's
    memset(logger.sampling, 0, sizeof logger.sampling);
    pthread_mutex_unlock(&logger.mutex);
    return true;
}

static bool outputs_open(const char *paths, int outputs[OUTPUTS_MAX], size_t *count,
                         struct error *error)
{
    CLEANUP_FREE char *copy = memory_copy_string(paths);
    char *rest = copy;
    for (char *path = strsep(&rest, ","); path != NULL; path = strsep(&rest, ",")) {
        bool opened = *count < OUTPUTS_MAX;
        if (!opened)
            error_set(error, ERROR_INVALID, "log outputs: at most %d are possible", OUTPUTS_MAX);
        opened = opened && output_open(path, &outputs[*count], error);
        if (!opened) {
            outputs_close(outputs, *count);
            return false;
        }
        (*count)++;
    }
    return true;
}

static bool output_open(const char *path, int *output, struct error *error)
{
    if (strcmp(path, "stdout") == 0 || strcmp(path, "stderr") == 0) {
        *output = strcmp(path, "stdout") == 0 ? STDOUT_FILENO : STDERR_FILENO;
        return true;
    }
    *output = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    if (*output < 0)
        return error_set(error, ERROR_INVALID,
                         "log output \"%.200s\" cannot be opened (%s); give stdout, stderr or the "
                         "path of a file that can be written",
                         path, strerror(errno));
    return true;
}

static void outputs_close(const int outputs[OUTPUTS_MAX], size_t count)
{
    assert(count <= OUTPUTS_MAX);
    for (size_t i = 0; i < count; i++)
        if (outputs[i] > STDERR_FILENO)
            close(outputs[i]);
}

bool log_enabled(enum log_level level)
{
    pthread_mutex_lock(&logger.mutex);
    bool enabled = level != LOG_NONE && level >= logger.options.level;
    pthread_mutex_unlock(&logger.mutex);
    return enabled;
}

static int64_t system_now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return ns_add(ns_multiply(now.tv_sec, SECOND), now.tv_nsec);
}

void log_write(enum log_level level, const char *message, ...)
{
    assert(level < LOG_NONE);
    assert(message != NULL);
    pthread_mutex_lock(&logger.mutex);
    const struct log_options *options = &logger.options;
    if (level != LOG_NONE && level >= options->level) {
        int64_t now_ns =
            options->now_ns != NULL ? options->now_ns(options->now_context) : system_now_ns();
        if (is_sampled(level, message, now_ns)) {
            struct text line = {0};
            va_list arguments;
            va_start(arguments, message);
            add_head(&line, level, message, now_ns);
            add_pairs(&line, arguments);
            va_end(arguments);
            write_line(&line);
            text_free(&line);
        }
    }
    pthread_mutex_unlock(&logger.mutex);
}

static bool is_slot_free(const struct sampling_slot *slot, int64_t second)
{
    return slot->count == 0 || slot->second != second;
}

// A message without a free slot in the table is always written.
static bool is_sampled(enum log_level level, const char *message, int64_t now_ns)
{
    uint64_t hash = hash_mix(hash_string(message), (uint64_t)level);
    int64_t second = now_ns / SECOND;
    struct sampling_slot *slot = NULL;
    for (uint64_t probe = 0; probe < SAMPLING_PROBES_MAX; probe++) {
        struct sampling_slot *candidate = &logger.sampling[(hash + probe) % SAMPLING_SLOTS];
        if (candidate->count != 0 && candidate->hash == hash) {
            slot = candidate;
            break;
        }
        if (slot == NULL && is_slot_free(candidate, second))
            slot = candidate;
    }
    if (slot == NULL)
        return true;
    if (is_slot_free(slot, second) || slot->hash != hash)
        *slot = (struct sampling_slot){.hash = hash, .second = second};
    slot->count++;
    assert(slot->hash == hash);
    return slot->count <= SAMPLING_FIRST || (slot->count - SAMPLING_FIRST) % SAMPLING_EACH == 0;
}

static size_t utf8_length(const char *text);

// A JSON string. Each byte that is not valid UTF-8 becomes U+FFFD.
static void add_json_string(struct text *line, const char *string)
{
    text_add_char(line, '"');
    while (*string != '\0') {
        unsigned char c = (unsigned char)*string;
        size_t length = utf8_length(string);
        if (c == '"' || c == '\\')
            text_format(line, "\\%c", c);
        else if (c == '\n')
            text_add(line, "\\n");
        else if (c == '\r')
            text_add(line, "\\r");
        else if (c == '\t')
            text_add(line, "\\t");
        else if (c < 0x20 || c == 0x7F)
            text_format(line, "\\u%04x", c);
        else if (length == 0)
            text_add(line, "\\ufffd");
        else
            text_add_bytes(line, string, length);
        string += length == 0 ? 1 : length;
    }
    text_add_char(line, '"');
}

// Length of the well-formed character at the start of the text, or 0. Overlong forms, surrogates
// and values above U+10FFFF are not well-formed.
static size_t utf8_length(const char *text)
{
    const unsigned char *byte = (const unsigned char *)text;
    if (byte[0] < 0x80)
        return 1;
    size_t length = byte[0] >= 0xC2 && byte[0] <= 0xDF   ? 2
                    : byte[0] >= 0xE0 && byte[0] <= 0xEF ? 3
                    : byte[0] >= 0xF0 && byte[0] <= 0xF4 ? 4
                                                         : 0;
    for (size_t i = 1; i < length; i++)
        if ((byte[i] & 0xC0) != 0x80) // also ends at the NUL
            return 0;
    if ((byte[0] == 0xE0 && byte[1] < 0xA0) || (byte[0] == 0xED && byte[1] > 0x9F) ||
        (byte[0] == 0xF0 && byte[1] < 0x90) || (byte[0] == 0xF4 && byte[1] > 0x8F))
        return 0;
    return length;
}

static void add_head(struct text *line, enum log_level level, const char *message, int64_t now_ns)
{
    static const char *const names[] = {"DEBUG", "INFO", "ERROR"};
    assert((size_t)level < ARRAY_LENGTH(names));
    char time[INSTANT_TEXT_MAX];
    instant_format_milli(now_ns, time);
    if (logger.options.format == LOG_JSON) {
        text_format(line,
                    "{\"level\":\"%s\",\"time\":\"%s\",\"logger\":\"controller\",\"message\":",
                    names[level], time);
        add_json_string(line, message);
        text_add(line, ",\"commit\":\"" ADZE_COMMIT "\"");
        return;
    }
    text_format(line, "%s\t%s\t", time, names[level]);
    // Escaped like a JSON string to stay on one line, but without the quotes.
    size_t start = line->length;
    add_json_string(line, message);
    memmove(line->data + start, line->data + start + 1, line->length - start - 2);
    line->length -= 2;
    line->data[line->length] = '\0';
}

// JSON: ,"key":   Console: a tab before the first, then key=
static void add_key(struct text *line, const char *key, bool *first)
{
    assert(key[0] != '\0');
    if (logger.options.format == LOG_JSON) {
        text_add_char(line, ',');
        add_json_string(line, key);
        text_add_char(line, ':');
    } else {
        text_format(line, "%c%s=", *first ? '\t' : ' ', key);
    }
    *first = false;
}

static void add_string_pair(struct text *line, const char *key, const char *value, bool *first)
{
    if (value == NULL)
        return;
    add_key(line, key, first);
    add_json_string(line, value);
}

static void add_number_pair(struct text *line, const char *key, double value, bool *first)
{
    if (!isfinite(value)) { // JSON has no such numbers
        add_string_pair(line, key, isnan(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf", first);
        return;
    }
    add_key(line, key, first);
    char shortest[40];
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(shortest, sizeof shortest, "%.*g", digits, value);
        if (strtod(shortest, NULL) == value)
            break;
    }
    text_add(line, shortest);
}

static void add_object_pair(struct text *line, const char *kind, const char *namespace,
                            const char *name, bool *first)
{
    if (name == NULL)
        return;
    add_key(line, kind, first);
    text_add(line, "{\"name\":");
    add_json_string(line, name);
    if (namespace != NULL) {
        text_add(line, ",\"namespace\":");
        add_json_string(line, namespace);
    }
    text_add_char(line, '}');
}

static void add_pairs(struct text *line, va_list arguments)
{
    bool first = true;
    const char *key;
    while ((key = va_arg(arguments, const char *)) != NULL) {
        assert(key[0] != '\0' && key[1] == ':');
        const char *name = key + 2;
        const char *text;
        char duration[DURATION_TEXT_MAX];
        switch (key[0]) {
        case 's':
            add_string_pair(line, name, va_arg(arguments, const char *), &first);
            break;
        case 'i':
            add_key(line, name, &first);
            text_format(line, "%lld", (long long)va_arg(arguments, int64_t));
            break;
        case 'f':
            add_number_pair(line, name, va_arg(arguments, double), &first);
            break;
        case 'b':
            add_key(line, name, &first);
            text_add(line, va_arg(arguments, int) ? "true" : "false");
            break;
        case 'j':
            text = va_arg(arguments, const char *);
            if (text != NULL) {
                add_key(line, name, &first);
                text_add(line, text);
            }
            break;
        case 'd':
            duration_format(va_arg(arguments, int64_t), duration);
            add_string_pair(line, name, duration, &first);
            break;
        case 'o':
            add_object_pair(line, name, NULL, va_arg(arguments, const char *), &first);
            break;
        case 'n':
            text = va_arg(arguments, const char *);
            add_object_pair(line, name, text, va_arg(arguments, const char *), &first);
            break;
        default:
            assert(!"the type of a log key is one of s i f b j d o n");
        }
    }
}

// One write() a line, so that lines of several processes in one file stay whole.
static void write_line(struct text *line)
{
    assert(line->length > 0);
    if (logger.options.format == LOG_JSON)
        text_add_char(line, '}');
    if (logger.options.sink != NULL) {
        logger.options.sink(logger.options.sink_context, line->data);
        return;
    }
    text_add_char(line, '\n');
    for (size_t i = 0; i < logger.outputs_count; i++) {
        for (size_t written = 0; written < line->length;) {
            ssize_t count = write(logger.outputs[i], line->data + written, line->length - written);
            if (count < 0 && errno == EINTR)
                continue;
            if (count <= 0)
                break; // there is nowhere to complain
            written += (size_t)count;
        }
    }
}

const char *log_commit(void)
{
    return ADZE_COMMIT;
}
