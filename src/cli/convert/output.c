#include "cli/convert/output.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "cli/convert/tree.h"
#include "cli/output/terminal.h"
#include "model/manifest/yaml_write.h"

// --- YAML ----------------------------------------------------------------------------------------
struct printing {
    unsigned where;
    bool any;       // a document was printed: a separator comes before the next
    bool ends_open; // the last text ended without a line feed
};

static void begin_document(struct printing *printing)
{
    if (printing->ends_open)
        putchar('\n');
    if (printing->any)
        puts("---");
    printing->any = true;
    printing->ends_open = false;
}

// As it is, but for the ends of lines: elsewhere they are line feeds.
static void print_raw(struct printing *printing, const char *text, size_t length)
{
    begin_document(printing);
    for (const char *at = text, *end = text + length; at < end;) {
        const char *feed = memmem(at, (size_t)(end - at), "\r\n", 2);
        fwrite(at, 1, (size_t)((feed != NULL ? feed : end) - at), stdout);
        at = feed != NULL ? feed + 1 : end;
    }
    printing->ends_open = length > 0 && text[length - 1] != '\n';
}

static void print_value(struct printing *printing, const json_t *value)
{
    struct text text = {0};
    json_t *ordered = tree_ordered(value);
    yaml_write(ordered, &text);
    fputs(text.data, stdout);
    json_decref(ordered);
    text_free(&text);
    (void)printing;
}

static void note_line(struct text *line, const struct note *note)
{
    text_clear(line);
    text_format(line, "%s ", note_class_name(note->class));
    terminal_add_line(line, note->path);
    text_add(line, note->path[0] != '\0' ? ": " : "");
    terminal_add_line(line, note->text);
    text_format(line, " (%s)", note->code);
}

// The comments at the document's head, without older notes.
static void print_head_comments(const struct source *source)
{
    const char *at = source->raw, *end = source->raw + source->raw_length;
    while (at < end && (*at == '#' || *at == '\n')) {
        const char *feed = memchr(at, '\n', (size_t)(end - at));
        size_t length = (size_t)((feed != NULL ? feed : end) - at);
        if (*at == '#' && !text_starts_with(at, "# adze:"))
            printf("%.*s\n", (int)(length - (at[length - 1] == '\r')), at);
        at += length + (feed != NULL);
    }
}

static void print_product(struct printing *printing, const struct source *source,
                          const struct product *product)
{
    struct text line = {0};
    if (product->is_raw) {
        print_raw(printing, source->raw, source->raw_length);
        return;
    }
    if (product->is_dropped)
        return;
    begin_document(printing);
    if (product == source->products.items[0])
        print_head_comments(source);
    vector_for_each (note, &product->notes)
        if (printing->where & NOTES_COMMENTS) {
            note_line(&line, note);
            printf("# adze: %s\n", line.data);
        }
    print_value(printing, product->object);
    text_free(&line);
}

static bool is_untouched(const struct source *source)
{
    return !source->failed && !source->is_mended &&
           (!source->is_taken ||
            (source->products.count == 1 && source->products.items[0]->is_raw));
}

// `count` documents of one text, which is printed as it is if nothing of it has changed.
static void print_text(struct printing *printing, struct source *const *sources, uint32_t count)
{
    bool untouched = true;
    for (uint32_t i = 0; i < count; i++)
        untouched = untouched && is_untouched(sources[i]);
    if (untouched) {
        print_raw(printing, sources[0]->raw, sources[0]->raw_length);
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        const struct source *source = sources[i];
        if (source->failed || source->value == NULL)
            continue;
        for (uint32_t k = 0; k < source->products.count; k++)
            if (!source->products.items[k]->is_raw || count == 1) {
                print_product(printing, source, source->products.items[k]);
            } else {
                begin_document(printing);
                print_value(printing, source->value);
            }
        if (!source->is_taken) {
            begin_document(printing);
            print_value(printing, source->value);
        }
    }
}

// The number of documents from `at` on that are of the same file.
static uint32_t file_count(const struct conversion *conversion, uint32_t at)
{
    uint32_t end = at;
    while (end < conversion->sources.count &&
           conversion->sources.items[end]->input == conversion->sources.items[at]->input)
        end++;
    return end - at;
}

static void print_file(struct printing *printing, struct source *const *sources, uint32_t count)
{
    bool untouched = sources[0]->input->is_whole;
    for (uint32_t i = 0; i < count; i++)
        untouched = untouched && is_untouched(sources[i]);
    if (untouched) {
        print_raw(printing, sources[0]->input->text, sources[0]->input->length);
        return;
    }
    for (uint32_t i = 0; i < count;) {
        assert(sources[i]->siblings > 0);
        print_text(printing, sources + i, sources[i]->siblings);
        i += sources[i]->siblings;
    }
}

static json_t *settings_object(const struct conversion *conversion)
{
    json_t *data = json_object();
    for (struct map_entry *entry = map_first(conversion->settings); entry != NULL;
         entry = map_next(entry))
        json_object_set_new(data, map_key(entry), json_string(map_value(entry)));
    return json_pack("{s:s, s:s, s:{s:s}, s:o}", "apiVersion", "v1", "kind", "ConfigMap",
                     "metadata", "name", "adze-settings", "data", data);
}

void convert_print_yaml(const struct conversion *conversion, unsigned where)
{
    struct printing printing = {.where = where};
    struct text line = {0};
    for (uint32_t i = 0; i < conversion->sources.count;) {
        uint32_t count = file_count(conversion, i);
        print_file(&printing, conversion->sources.items + i, count);
        i += count;
    }
    if (map_count(conversion->settings) > 0 || conversion->settings_notes.count > 0) {
        begin_document(&printing);
        vector_for_each (note, &conversion->settings_notes)
            if (where & NOTES_COMMENTS) {
                note_line(&line, note);
                printf("# adze: %s\n", line.data);
            }
        json_t *settings = settings_object(conversion);
        print_value(&printing, settings);
        json_decref(settings);
    }
    text_free(&line);
}

// --- JSON ----------------------------------------------------------------------------------------
void convert_print_json(const struct conversion *conversion)
{
    json_t *items = json_array();
    vector_for_each (item, &conversion->sources) {
        const struct source *source = *item;
        if (source->failed || source->value == NULL)
            continue;
        for (uint32_t k = 0; k < source->products.count; k++)
            if (!source->products.items[k]->is_dropped)
                json_array_append_new(items, tree_ordered(source->products.items[k]->object));
        if (!source->is_taken)
            json_array_append(items, source->value);
    }
    if (map_count(conversion->settings) > 0)
        json_array_append_new(items, settings_object(conversion));
    json_t *list = json_pack("{s:s, s:s, s:o}", "apiVersion", "v1", "kind", "List", "items", items);
    json_dumpf(list, stdout, JSON_INDENT(2));
    putchar('\n');
    json_decref(list);
}

// --- notes ---------------------------------------------------------------------------------------
typedef void note_visit(void *context, const struct source *source, const struct product *product,
                        const struct note *note);

static void visit_notes(const struct conversion *conversion, note_visit *visit, void *context)
{
    vector_for_each (item, &conversion->sources)
        for (uint32_t k = 0; k < (*item)->products.count && !(*item)->failed; k++)
            vector_for_each (note, &(*item)->products.items[k]->notes)
                visit(context, *item, (*item)->products.items[k], note);
    vector_for_each (note, &conversion->settings_notes)
        visit(context, NULL, NULL, note);
}

static void print_note(void *context, const struct source *source, const struct product *product,
                       const struct note *note)
{
    struct text line = {0};
    note_line(&line, note);
    if (source != NULL)
        fprintf(stderr, "%s:%u: %.100s/%.300s: %s\n", source->file, source->line,
                product_kind(product), product_name(product), line.data);
    else
        fprintf(stderr, "settings: %s\n", line.data);
    text_free(&line);
    (void)context;
}

static void append_note(void *context, const struct source *source, const struct product *product,
                        const struct note *note)
{
    const char *place = source != NULL ? source->file : "";
    json_array_append_new(
        context,
        json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s}", "class", note_class_name(note->class),
                  "kind", product != NULL ? product_kind(product) : "ConfigMap", "name",
                  product != NULL ? product_name(product) : "adze-settings", "path", note->path,
                  "code", note->code, "text", note->text, "source", place));
}

void convert_print_notes(const struct conversion *conversion, unsigned where)
{
    if (where & NOTES_JSON) {
        json_t *list = json_array();
        visit_notes(conversion, append_note, list);
        json_dumpf(list, stderr, JSON_INDENT(2));
        fputc('\n', stderr);
        json_decref(list);
    } else if (where & NOTES_STDERR) {
        visit_notes(conversion, print_note, NULL);
    }
}

static void count_open(void *context, const struct source *source, const struct product *product,
                       const struct note *note)
{
    (void)source;
    (void)product;
    if (note->class == NOTE_LOST || note->class == NOTE_TODO)
        *(bool *)context = true;
}

bool convert_has_open_notes(const struct conversion *conversion)
{
    bool any = false;
    visit_notes(conversion, count_open, &any);
    return any;
}
