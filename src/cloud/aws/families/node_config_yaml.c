#include "cloud/aws/families/node_config_yaml.h"

#include <assert.h>
#include <string.h>

#include "base/memory.h"
#include "base/pattern.h"
#include "model/manifest/yaml_write.h"

static bool is_word(const char *text)
{
    static const char *const words[] = {
        "",     "~",     "null",  "Null",  "NULL",  "y",     "Y",     "yes",   "Yes",   "YES",
        "n",    "N",     "no",    "No",    "NO",    "true",  "True",  "TRUE",  "on",    "On",
        "ON",   "false", "False", "FALSE", "off",   "Off",   "OFF",   ".nan",  ".NaN",  ".NAN",
        ".inf", "<<",    ".Inf",  ".INF",  "+.inf", "+.Inf", "+.INF", "-.inf", "-.Inf", "-.INF",
    };
    for (size_t i = 0; i < ARRAY_LENGTH(words); i++)
        if (strcmp(text, words[i]) == 0)
            return true;
    return false;
}

// Whether a plain text would be read as another type than string: words, numbers (also of base 60),
// dates.
static bool reads_otherwise(const char *text)
{
    return is_word(text) ||
           pattern_matches("^[-+]?(0[xX][0-9a-fA-F_]+|0[oO][0-7_]+|0[bB][01_]+)$", text) ||
           pattern_matches("^[-+]?[0-9_]*\\.?[0-9_]+([eE][-+][0-9]+)?$", text) ||
           pattern_matches("^[-+]?[0-9][0-9_]*(:[0-5]?[0-9])+(\\.[0-9_]*)?$", text) ||
           pattern_matches("^[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}([Tt ].*)?$", text);
}

void node_config_yaml_write(const json_t *value, struct text *text)
{
    static const struct yaml_form form = {
        .sorts_keys = true, .double_quotes = true, .reads_otherwise = reads_otherwise};
    assert(value != NULL && text != NULL);
    yaml_write_as(value, &form, text);
}
