#include "base/pattern.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <assert.h>
#include <pcre2.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"

// API servers match schemas in linear time; PCRE2 may backtrack. A text that exceeds this limit of
// steps does not match.
#define PATTERN_MATCH_LIMIT    200000
#define PATTERN_DEPTH_LIMIT    5000
#define PATTERN_HEAP_LIMIT_KIB 4096
#define PATTERN_TRY_BYTES_MAX  512

// Compiled patterns live as long as the process, like the expressions themselves.
static struct {
    pthread_mutex_t mutex;
    struct map *codes; // expression -> pcre2_code
    pcre2_match_context *match_context;
} cache = {.mutex = PTHREAD_MUTEX_INITIALIZER};

static const pcre2_code *pattern_code(const char *expression);
static pcre2_code *pattern_compile(const char *expression);

bool pattern_matches(const char *expression, const char *text)
{
    assert(expression != NULL);
    assert(text != NULL);
    const pcre2_code *code = pattern_code(expression);
    pcre2_match_data *match_data = pcre2_match_data_create(1, NULL);
    if (match_data == NULL)
        abort();
    PCRE2_SPTR subject = (PCRE2_SPTR)text;
    int result = pcre2_match(code, subject, strlen(text), 0, 0, match_data, cache.match_context);
    if (result == PCRE2_ERROR_JIT_STACKLIMIT) // the interpreter keeps its state on the heap
        result = pcre2_match(code, subject, strlen(text), 0, PCRE2_NO_JIT, match_data,
                             cache.match_context);
    pcre2_match_data_free(match_data);
    return result >= 0;
}

bool pattern_try(const char *expression, const char *text, bool *matches)
{
    assert(expression != NULL);
    assert(text != NULL);
    int number;
    PCRE2_SIZE offset;
    *matches = false;
    if (strlen(expression) > PATTERN_TRY_BYTES_MAX)
        return false;
    uint32_t options =
        PCRE2_DOLLAR_ENDONLY | PCRE2_UTF | PCRE2_MATCH_INVALID_UTF | PCRE2_NEVER_BACKSLASH_C;
    pcre2_code *code = pcre2_compile((PCRE2_SPTR)expression, PCRE2_ZERO_TERMINATED, options,
                                     &number, &offset, NULL);
    if (code == NULL)
        return false;
    pcre2_match_data *data = pcre2_match_data_create(1, NULL);
    pcre2_match_context *context = pcre2_match_context_create(NULL);
    if (data == NULL || context == NULL)
        abort();
    pcre2_set_match_limit(context, PATTERN_MATCH_LIMIT);
    pcre2_set_depth_limit(context, PATTERN_DEPTH_LIMIT);
    pcre2_set_heap_limit(context, PATTERN_HEAP_LIMIT_KIB);
    *matches = pcre2_match(code, (PCRE2_SPTR)text, strlen(text), 0, 0, data, context) >= 0;
    pcre2_match_context_free(context);
    pcre2_match_data_free(data);
    pcre2_code_free(code);
    return true;
}

static const pcre2_code *pattern_code(const char *expression)
{
    pthread_mutex_lock(&cache.mutex);
    if (cache.codes == NULL) {
        cache.codes = map_create();
        cache.match_context = pcre2_match_context_create(NULL);
        if (cache.match_context == NULL)
            abort();
        pcre2_set_match_limit(cache.match_context, PATTERN_MATCH_LIMIT);
        pcre2_set_depth_limit(cache.match_context, PATTERN_DEPTH_LIMIT);
        pcre2_set_heap_limit(cache.match_context, PATTERN_HEAP_LIMIT_KIB);
    }
    pcre2_code *code = map_get(cache.codes, expression);
    if (code == NULL) {
        code = pattern_compile(expression);
        map_set(cache.codes, expression, code);
    }
    assert(code != NULL);
    pthread_mutex_unlock(&cache.mutex);
    return code;
}

static pcre2_code *pattern_compile(const char *expression)
{
    int number;
    PCRE2_SIZE offset;
    pcre2_compile_context *context = pcre2_compile_context_create(NULL);
    if (context == NULL)
        abort();
    pcre2_set_newline(context, PCRE2_NEWLINE_LF);
    // RE2's "$" is the very end of the text, not also before a last newline.
    uint32_t options = PCRE2_DOLLAR_ENDONLY | PCRE2_UTF | PCRE2_MATCH_INVALID_UTF;
    pcre2_code *code = pcre2_compile((PCRE2_SPTR)expression, PCRE2_ZERO_TERMINATED, options,
                                     &number, &offset, context);
    pcre2_compile_context_free(context);
    if (code == NULL) { // a bug: expressions are literals
        PCRE2_UCHAR message[200];
        pcre2_get_error_message(number, message, sizeof message);
        fprintf(stderr, "adze: pattern %s, at %zu: %s\n", expression, (size_t)offset, message);
        abort();
    }
    (void)pcre2_jit_compile(code, PCRE2_JIT_COMPLETE); // the interpreter matches if this fails
    return code;
}
