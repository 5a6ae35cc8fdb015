#include "model/manifest/jsonpath.h"

#include <assert.h>
#include <string.h>

#include "base/text.h"

#define TEMPLATE_MAX 4096
#define DEPTH_MAX    8 // ranges within ranges, filters within filters

struct reader {
    const char *start, *at;
    int depth; // of filters
    struct error *error;
};

static bool read_template(struct reader *reader, struct jsonpath *path);
static bool read_way(struct reader *reader, struct jsonpath_way *way);
static void way_free(struct jsonpath_way *way);

static bool refuse(const struct reader *reader, const char *what)
{
    return error_set(reader->error, ERROR_INVALID, "jsonpath: %s at \"%.40s\"", what, reader->at);
}

// "x", ".x" and "[0]" are "{.x}" and "{[0]}", as kubectl has it.
static char *with_braces(const char *template)
{
    struct text text = {0};
    if (strchr(template, '{') != NULL || *template == '\0')
        text_add(&text, template);
    else
        text_format(&text, "{%s%s}", strchr(".[$@", *template) != NULL ? "" : ".", template);
    return text_take(&text);
}

struct jsonpath *jsonpath_compile(const char *template, struct error *error)
{
    struct jsonpath *path = memory_allocate(sizeof *path);
    CLEANUP_FREE char *text = with_braces(template);
    struct reader reader = {.start = text, .at = text_or_empty(text), .error = error};
    bool good =
        strlen(template) <= TEMPLATE_MAX
            ? read_template(&reader, path)
            : error_set(error, ERROR_INVALID, "jsonpath: more than %d characters", TEMPLATE_MAX);
    if (good)
        return path;
    jsonpath_destroy(path);
    return NULL;
}

// --- the template --------------------------------------------------------------------------------

static void skip_blanks(struct reader *reader)
{
    reader->at += strspn(reader->at, " \t\n");
}

static bool take(struct reader *reader, const char *token)
{
    if (!text_starts_with(reader->at, token))
        return false;
    reader->at += strlen(token);
    return true;
}

// A text in quotes of either kind, with the escapes that shells leave to programs.
static char *read_quoted(struct reader *reader)
{
    struct text text = {0};
    char quote = *reader->at++;
    text_add(&text, "");
    for (; *reader->at != '\0' && *reader->at != quote; reader->at++) {
        char c = *reader->at;
        if (c == '\\' && reader->at[1] != '\0') {
            c = *++reader->at;
            c = c == 'n' ? '\n' : c == 't' ? '\t' : c == 'r' ? '\r' : c;
        }
        text_add_char(&text, c);
    }
    if (*reader->at == quote) {
        reader->at++;
        return text_take(&text);
    }
    text_free(&text);
    refuse(reader, "a closing quote is missing");
    return NULL;
}

static bool is_word_end(char c)
{
    return c == ' ' || c == '}' || c == '.' || c == '[' || c == '\0';
}

static bool read_expression(struct reader *reader, struct jsonpath *path)
{
    struct jsonpath_part part = {.kind = PART_WAY};
    bool good = true;
    skip_blanks(reader);
    if (*reader->at == '"' || *reader->at == '\'') {
        part.kind = PART_TEXT;
        part.text = read_quoted(reader);
        good = part.text != NULL;
    } else if (text_starts_with(reader->at, "end") && is_word_end(reader->at[3])) {
        part.kind = PART_END;
        reader->at += strlen("end");
    } else {
        if (text_starts_with(reader->at, "range") && is_word_end(reader->at[5])) {
            part.kind = PART_RANGE;
            reader->at += strlen("range");
            skip_blanks(reader);
        }
        good = read_way(reader, &part.way);
    }
    vector_push(&path->parts, part);
    skip_blanks(reader);
    return good && (take(reader, "}") || refuse(reader, "a closing brace was expected"));
}

static bool check_ranges(const struct reader *reader, const struct jsonpath *path)
{
    int depth = 0;
    vector_for_each (part, &path->parts) {
        depth += part->kind == PART_RANGE ? 1 : part->kind == PART_END ? -1 : 0;
        if (depth < 0 || depth > DEPTH_MAX)
            return error_set(reader->error, ERROR_INVALID, "jsonpath: %s",
                             depth < 0 ? "{end} without {range}" : "too many ranges in each other");
    }
    return depth == 0 || error_set(reader->error, ERROR_INVALID, "jsonpath: {range} without {end}");
}

static bool read_template(struct reader *reader, struct jsonpath *path)
{
    while (*reader->at != '\0') {
        size_t length = strcspn(reader->at, "{");
        if (length > 0) {
            struct text text = {0};
            text_add_bytes(&text, reader->at, length);
            vector_push(&path->parts,
                        (struct jsonpath_part){.kind = PART_TEXT, .text = text_take(&text)});
            reader->at += length;
        }
        if (take(reader, "{") && !read_expression(reader, path))
            return false;
    }
    return check_ranges(reader, path);
}

// --- paths ---------------------------------------------------------------------------------------

static bool read_number(struct reader *reader, int64_t *number)
{
    char digits[20];
    size_t length = strspn(reader->at, "-0123456789");
    if (length == 0 || length >= sizeof digits)
        return false;
    memcpy(digits, reader->at, length);
    digits[length] = '\0';
    reader->at += length;
    return text_parse_int64(digits, number);
}

static bool read_slice(struct reader *reader, struct jsonpath_slice *slice)
{
    slice->stride = 1;
    slice->has_from = read_number(reader, &slice->from);
    if (take(reader, ":")) {
        slice->is_slice = true;
        slice->has_to = read_number(reader, &slice->to);
        if (take(reader, ":") && (!read_number(reader, &slice->stride) || slice->stride <= 0))
            return refuse(reader, "a step above 0 was expected");
    }
    return slice->has_from || slice->is_slice || refuse(reader, "an index was expected");
}

static bool read_indices(struct reader *reader, struct jsonpath_step *step)
{
    step->kind = STEP_INDICES;
    do {
        struct jsonpath_slice slice = {0};
        skip_blanks(reader);
        if (!read_slice(reader, &slice))
            return false;
        vector_push(&step->slices, slice);
        skip_blanks(reader);
    } while (take(reader, ","));
    return true;
}

static json_t *read_literal(struct reader *reader)
{
    if (*reader->at == '"' || *reader->at == '\'') {
        CLEANUP_FREE char *text = read_quoted(reader);
        return text != NULL ? json_string(text) : NULL;
    }
    CLEANUP_FREE char *word = NULL;
    struct text text = {0};
    size_t length = strcspn(reader->at, " )=<>!&|");
    text_add_bytes(&text, reader->at, length);
    word = text_take(&text);
    json_t *literal = json_loads(text_or_empty(word), JSON_DECODE_ANY, NULL);
    if (literal == NULL)
        refuse(reader, "a path (@.x), a number or a text in quotes was expected");
    reader->at += literal != NULL ? length : 0;
    return literal;
}

static bool read_operand(struct reader *reader, struct jsonpath_operand *operand)
{
    skip_blanks(reader);
    if (*reader->at == '@' || *reader->at == '$')
        return read_way(reader, &operand->way);
    operand->literal = read_literal(reader);
    return operand->literal != NULL;
}

static bool read_operator(struct reader *reader, enum jsonpath_operator *operator)
{
    static const struct {
        const char *text;
        enum jsonpath_operator operator;
    } operators[] = {{"==", IS_EQUAL},      {"!=", IS_UNEQUAL}, {"<=", IS_LESS_EQUAL},
                     {">=", IS_MORE_EQUAL}, {"<", IS_LESS},     {">", IS_MORE}};
    skip_blanks(reader);
    for (size_t i = 0; i < ARRAY_LENGTH(operators); i++)
        if (take(reader, operators[i].text)) {
            *operator= operators[i].operator;
            return true;
        }
    return false;
}

// "?(@.a == 1)", with the bracket before it taken.
static bool read_filter(struct reader *reader, struct jsonpath_step *step)
{
    step->kind = STEP_FILTER;
    step->operands = memory_allocate_array(2, sizeof *step->operands);
    if (++reader->depth > DEPTH_MAX)
        return refuse(reader, "too many filters in each other");
    if (!read_operand(reader, &step->operands[0]))
        return false;
    if (read_operator(reader, &step->operator) && !read_operand(reader, &step->operands[1]))
        return false;
    skip_blanks(reader);
    if (strncmp(reader->at, "&&", 2) == 0 || strncmp(reader->at, "||", 2) == 0 ||
        strncmp(reader->at, "=~", 2) == 0)
        return refuse(reader, "a filter is one comparison, without &&, || or =~");
    reader->depth--;
    return take(reader, ")") || refuse(reader, "a comparison and a closing bracket were expected");
}

static bool read_bracket(struct reader *reader, struct jsonpath_step *step)
{
    skip_blanks(reader);
    bool good = true;
    if (take(reader, "*")) {
        step->kind = STEP_ALL;
    } else if (take(reader, "?(")) {
        good = read_filter(reader, step);
    } else if (*reader->at == '"' || *reader->at == '\'') {
        step->kind = STEP_FIELD;
        step->field = read_quoted(reader);
        good = step->field != NULL;
    } else {
        good = read_indices(reader, step);
    }
    skip_blanks(reader);
    return good && (take(reader, "]") || refuse(reader, "] was expected"));
}

// "a.b": a backslash takes a dot into the name.
static bool read_field(struct reader *reader, struct jsonpath_step *step)
{
    struct text text = {0};
    while (*reader->at != '\0' && strchr(".[]{}()=<>! ,|&'\"", *reader->at) == NULL) {
        reader->at += *reader->at == '\\' && reader->at[1] != '\0';
        text_add_char(&text, *reader->at++);
    }
    step->kind = STEP_FIELD;
    step->field = text.length > 0 ? text_take(&text) : NULL;
    return step->field != NULL || refuse(reader, "the name of a field was expected");
}

static bool read_step(struct reader *reader, struct jsonpath_way *way)
{
    struct jsonpath_step step = {0};
    bool good = true, is_descent = take(reader, "..");
    if (is_descent) {
        vector_push(&way->steps, (struct jsonpath_step){.kind = STEP_DESCENT});
    }
    if (take(reader, "[")) {
        good = read_bracket(reader, &step);
    } else if (!is_descent && !take(reader, ".")) {
        good = refuse(reader, "a path such as .items[0].name was expected");
    } else if (take(reader, "*")) {
        step.kind = STEP_ALL;
    } else {
        good = read_field(reader, &step);
    }
    vector_push(&way->steps, step);
    return good;
}

static bool is_way_end(char c)
{
    return c == '\0' || strchr("}) \t\n=<>!&|", c) != NULL;
}

static bool read_way(struct reader *reader, struct jsonpath_way *way)
{
    bool is_value = take(reader, "@");
    way->from_root = !is_value && take(reader, "$");
    if (!is_value && !way->from_root && is_way_end(*reader->at))
        return refuse(reader, "a path such as .items[0].name was expected");
    if (take(reader, ".") && !is_way_end(*reader->at))
        reader->at--; // "." alone is the value
    while (!is_way_end(*reader->at))
        if (!read_step(reader, way))
            return false;
    return true;
}

// --- freeing -------------------------------------------------------------------------------------

static void step_free(struct jsonpath_step *step)
{
    for (int i = 0; step->operands != NULL && i < 2; i++) {
        json_decref(step->operands[i].literal);
        way_free(&step->operands[i].way);
    }
    free(step->operands);
    free(step->field);
    vector_free(&step->slices);
}

static void way_free(struct jsonpath_way *way)
{
    vector_for_each (step, &way->steps)
        step_free(step);
    vector_free(&way->steps);
}

void jsonpath_destroy(struct jsonpath *path)
{
    if (path == NULL)
        return;
    vector_for_each (part, &path->parts) {
        free(part->text);
        way_free(&part->way);
    }
    vector_free(&path->parts);
    free(path);
}
