#include "cli/convert/conversion.h"

#include <assert.h>
#include <stdarg.h>
#include <string.h>

#include "base/map.h"
#include "cli/convert/tree.h"

#define CONVERSION_ARENA_BYTES 65536

struct conversion *conversion_create(void)
{
    struct conversion *conversion = memory_allocate(sizeof *conversion);
    conversion->arena = arena_create(CONVERSION_ARENA_BYTES);
    conversion->settings = map_create();
    return conversion;
}

static void product_free(struct product *product)
{
    json_decref(product->object);
    json_decref(product->kubelet);
    vector_free(&product->notes);
    free(product);
}

void conversion_destroy(struct conversion *conversion)
{
    for (uint32_t i = 0; i < conversion->sources.count; i++) {
        struct source *source = conversion->sources.items[i];
        for (uint32_t k = 0; k < source->products.count; k++)
            product_free(source->products.items[k]);
        vector_free(&source->products);
        json_decref(source->value);
        free(source);
    }
    vector_free(&conversion->sources);
    vector_free(&conversion->options.variables);
    vector_free(&conversion->settings_notes);
    vector_free(&conversion->errors);
    json_decref(conversion->class_tags);
    json_decref(conversion->options.type_names);
    map_destroy(conversion->settings, NULL);
    arena_destroy(conversion->arena);
    free(conversion);
}

struct product *product_add_object(struct source *source, json_t *object)
{
    assert(source->conversion != NULL);
    assert(object != NULL);
    struct product *product = memory_allocate(sizeof *product);
    product->conversion = source->conversion;
    product->object = object;
    vector_push(&source->products, product);
    source->is_taken = true;
    return product;
}

struct product *product_add(struct source *source, const char *api_version, const char *kind,
                            const char *name)
{
    json_t *object = json_object();
    json_object_set_new(object, "apiVersion", json_string(api_version));
    json_object_set_new(object, "kind", json_string(kind));
    if (name != NULL)
        json_object_set_new(tree_make(object, "metadata"), "name", json_string(name));
    struct product *product = product_add_object(source, object);
    product->is_old = true;
    return product;
}

const char *product_kind(const struct product *product)
{
    return text_or_empty(tree_text_at(product->object, "kind"));
}

const char *product_name(const struct product *product)
{
    return text_or_empty(tree_text_at(product->object, "metadata.name"));
}

json_t *product_spec(struct product *product)
{
    return tree_make(product->object, "spec");
}

static const char *format_list(const struct conversion *conversion, const char *format,
                               va_list arguments)
{
    struct text text = {0};
    text_format_list(&text, format, arguments);
    const char *copy = arena_copy_string(conversion->arena, text_or_empty(text.data));
    text_free(&text);
    return copy;
}

const char *product_text(const struct product *product, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const char *text = format_list(product->conversion, format, arguments);
    va_end(arguments);
    return text;
}

void note_add(struct product *product, enum note_class class, const char *code, const char *path,
              const char *format, ...)
{
    assert(code != NULL);
    assert(path != NULL);
    vector_for_each (note, &product->notes)
        if (strcmp(note->code, code) == 0 && strcmp(note->path, path) == 0)
            return;
    va_list arguments;
    va_start(arguments, format);
    struct arena *arena = product->conversion->arena;
    const char *text = format_list(product->conversion, format, arguments);
    va_end(arguments);
    vector_push(&product->notes, (struct note){class, arena_copy_string(arena, code),
                                               arena_copy_string(arena, path), text});
}

const char *note_class_name(enum note_class class)
{
    static const char *const names[] = {"changed", "lost", "todo", "info"};
    return names[class];
}

bool source_fail(struct source *source, const char *format, ...)
{
    struct conversion *conversion = source->conversion;
    va_list arguments;
    va_start(arguments, format);
    const char *text = format_list(conversion, format, arguments);
    va_end(arguments);
    const char *kind = tree_text_at(source->value, "kind");
    const char *name = tree_text_at(source->value, "metadata.name");
    vector_push(&conversion->errors,
                arena_format(conversion->arena, "%s:%u: %.100s%s%.300s%s%s", source->file,
                             source->line, text_or_empty(kind), name != NULL ? "/" : "",
                             text_or_empty(name), kind != NULL ? ": " : "", text));
    source->failed = true;
    return false;
}

void conversion_set(struct conversion *conversion, const char *name, const char *value)
{
    if (map_get(conversion->settings, name) == NULL)
        map_set(conversion->settings, name, arena_copy_string(conversion->arena, value));
}
