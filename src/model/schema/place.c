#include "model/schema/place.h"

#include <string.h>

static void add_quoted(struct text *text, const char *key)
{
    text_add(text, "[\"");
    for (const char *c = key; *c != '\0'; c++) {
        if (*c == '"' || *c == '\\')
            text_add_char(text, '\\');
        text_add_char(text, *c);
    }
    text_add(text, "\"]");
}

void place_text(const struct place *place, struct text *text)
{
    if (place == NULL)
        return;
    place_text(place->parent, text);
    if (place->key == NULL) {
        text_format(text, "[%zu]", place->index);
    } else if (place->key[0] == '\0' || strpbrk(place->key, "./[]\"' ") != NULL) {
        add_quoted(text, place->key);
    } else {
        if (place->parent != NULL)
            text_add_char(text, '.');
        text_add(text, place->key);
    }
}
