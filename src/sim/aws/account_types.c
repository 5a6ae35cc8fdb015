#include "sim/aws/account_types.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <zlib.h>

#include "cloud/aws/types/ec2_facts.h"
#include "sim/aws/account_type_facts.h"
#include "sim/aws/account_wire.h"

#define FILE_BYTES_MAX ((size_t)64 << 20)
#define TYPES_MAX      5000

static bool folder_load(struct aws_account *account, struct error *error);
static bool built_in_load(struct aws_account *account, struct error *error);

static int type_compare(const void *a, const void *b)
{
    return strcmp(((const struct account_type *)a)->name, ((const struct account_type *)b)->name);
}

bool account_types_load(struct aws_account *account, struct error *error)
{
    bool good = account->folder != NULL ? folder_load(account, error) //
                                        : built_in_load(account, error);
    if (!good)
        return false;
    assert(account->types.count <= TYPES_MAX);
    qsort(account->types.items, account->types.count, sizeof *account->types.items, type_compare);
    return true;
}

void account_types_destroy(struct aws_account *account)
{
    vector_for_each (type, &account->types) {
        free(type->name);
        free(type->item);
        json_decref(type->prices);
    }
    vector_free(&account->types);
    vector_for_each (offering, &account->offerings) {
        free(offering->type);
        free(offering->zone);
    }
    vector_free(&account->offerings);
}

struct account_type *account_type_find(const struct aws_account *account, const char *name)
{
    const struct account_type key = {.name = (char *)name};
    return account->types.count == 0 ? NULL
                                     : bsearch(&key, account->types.items, account->types.count,
                                               sizeof *account->types.items, type_compare);
}

// --- reading XML of one known writer: elements without attributes --------------------------------

static const char *element_find(const char *from, const char *end, const char *element,
                                size_t *length)
{
    char open[64], close[64];
    snprintf(open, sizeof open, "<%s>", element);
    snprintf(close, sizeof close, "</%s>", element);
    const char *begin = memmem(from, (size_t)(end - from), open, strlen(open));
    if (begin == NULL)
        return NULL;
    begin += strlen(open);
    const char *stop = memmem(begin, (size_t)(end - begin), close, strlen(close));
    if (stop == NULL)
        return NULL;
    *length = (size_t)(stop - begin);
    return begin;
}

static char *element_copy(const char *from, const char *end, const char *element)
{
    size_t length;
    const char *found = element_find(from, end, element, &length);
    return found != NULL ? strndup(found, length) : NULL;
}

char *account_type_element(const struct account_type *type, const char *element)
{
    return element_copy(type->item, type->item + strlen(type->item), element);
}

bool account_type_has(const struct account_type *type, const char *element, const char *value)
{
    CLEANUP_FREE char *inner = account_type_element(type, element);
    if (inner == NULL)
        return false;
    if (inner[0] != '<')
        return strcmp(inner, value) == 0;
    char item[100];
    snprintf(item, sizeof item, "<item>%s</item>", value);
    return strstr(inner, item) != NULL;
}

int64_t account_type_number(const struct account_type *type, const char *outer, const char *element)
{
    size_t length;
    const char *begin = element_find(type->item, type->item + strlen(type->item), outer, &length);
    CLEANUP_FREE char *text = begin != NULL ? element_copy(begin, begin + length, element) : NULL;
    int64_t value = 0;
    return text != NULL && text_parse_int64(text, &value) ? value : 0;
}

// --- a folder's files ----------------------------------------------------------------------------

static char *gz_read(const char *folder, const char *name, size_t *length, struct error *error)
{
    struct text path = {0};
    text_format(&path, "%s/%s", folder, name);
    gzFile file = gzopen(path.data, "rb");
    text_free(&path);
    if (file == NULL) {
        error_set(error, ERROR_NOT_FOUND, "%s/%s cannot be opened", folder, name);
        return NULL;
    }
    struct text all = {0};
    CLEANUP_FREE char *part = memory_allocate(1 << 16);
    int count;
    while ((count = gzread(file, part, 1 << 16)) > 0 && all.length < FILE_BYTES_MAX)
        text_add_bytes(&all, part, (size_t)count);
    gzclose(file);
    if (count != 0 || all.length == 0) {
        error_set(error, ERROR_INVALID, "%s/%s cannot be read", folder, name);
        text_free(&all);
        return NULL;
    }
    *length = all.length;
    return text_take(&all);
}

// The end of the item that begins at `at`: items nest.
static const char *item_end(const char *at, const char *end)
{
    int depth = 0;
    while (at < end) {
        const char *next = memchr(at, '<', (size_t)(end - at));
        if (next == NULL)
            return NULL;
        at = next + 1;
        if (text_starts_with(next, "<item>"))
            depth++;
        else if (text_starts_with(next, "</item>") && --depth == 0)
            return next + strlen("</item>");
    }
    return NULL;
}

static void types_read(struct aws_account *account, const char *text, size_t length)
{
    const char *end = text + length, *at = strstr(text, "<item>");
    while (at != NULL && text_starts_with(at, "<item>") && account->types.count < TYPES_MAX) {
        const char *stop = item_end(at, end);
        if (stop == NULL)
            return;
        struct account_type type = {.price = -1, .item = strndup(at, (size_t)(stop - at))};
        type.name = element_copy(at, stop, "instanceType");
        if (type.name != NULL)
            vector_push(&account->types, type);
        else
            free(type.item);
        at = stop;
    }
}

static void offerings_read(struct aws_account *account, const char *text, size_t length)
{
    const char *end = text + length, *at = strstr(text, "<item>");
    while (at != NULL && text_starts_with(at, "<item>")) {
        const char *stop = item_end(at, end);
        if (stop == NULL)
            return;
        struct account_offering offering = {element_copy(at, stop, "instanceType"),
                                            element_copy(at, stop, "location")};
        if (offering.type != NULL && offering.zone != NULL)
            vector_push(&account->offerings, offering);
        else {
            free(offering.type);
            free(offering.zone);
        }
        at = stop;
    }
}

// Only types whose whole name matches exist.
static bool catalogue_apply(struct aws_account *account, struct error *error)
{
    if (text_is_empty(account->catalogue))
        return true;
    int number = 0;
    size_t offset = 0;
    pcre2_code *code = pcre2_compile((PCRE2_SPTR)account->catalogue, PCRE2_ZERO_TERMINATED,
                                     PCRE2_ANCHORED | PCRE2_ENDANCHORED, &number, &offset, NULL);
    if (code == NULL)
        return error_set(error, ERROR_INVALID, "the catalogue is no regular expression: %s",
                         account->catalogue);
    pcre2_match_data *match = pcre2_match_data_create_from_pattern(code, NULL);
    uint32_t kept = 0;
    vector_for_each (type, &account->types) {
        if (pcre2_match(code, (PCRE2_SPTR)type->name, PCRE2_ZERO_TERMINATED, 0, 0, match, NULL) >
            0) {
            account->types.items[kept++] = *type;
            continue;
        }
        free(type->name);
        free(type->item);
        json_decref(type->prices);
    }
    account->types.count = kept;
    pcre2_match_data_free(match);
    pcre2_code_free(code);
    return true;
}

static void offerings_prune(struct aws_account *account)
{
    uint32_t kept = 0;
    qsort(account->types.items, account->types.count, sizeof *account->types.items, type_compare);
    vector_for_each (offering, &account->offerings)
        if (account_type_find(account, offering->type) != NULL)
            account->offerings.items[kept++] = *offering;
        else {
            free(offering->type);
            free(offering->zone);
        }
    account->offerings.count = kept;
}

static void prices_apply(struct aws_account *account, const json_t *on_demand, const json_t *spot)
{
    vector_for_each (type, &account->types) {
        const json_t *price = json_object_get(on_demand, type->name);
        if (json_is_number(price))
            type->price = json_number_value(price);
        json_t *zones = json_object_get(spot, type->name);
        if (json_is_object(zones))
            type->prices = json_incref(zones);
    }
}

static bool folder_load(struct aws_account *account, struct error *error)
{
    size_t length = 0;
    CLEANUP_FREE char *types = gz_read(account->folder, "instance-types.xml.gz", &length, error);
    if (types == NULL)
        return false;
    types_read(account, types, length);
    CLEANUP_FREE char *offerings = gz_read(account->folder, "offerings.xml.gz", &length, error);
    if (offerings == NULL)
        return false;
    offerings_read(account, offerings, length);
    CLEANUP_FREE char *text = gz_read(account->folder, "prices.json.gz", &length, error);
    if (text == NULL || !catalogue_apply(account, error))
        return false;
    json_t *prices = json_loadb(text, length, 0, NULL);
    if (prices == NULL)
        return error_set(error, ERROR_INVALID, "%s/prices.json.gz is no JSON", account->folder);
    offerings_prune(account);
    prices_apply(account, json_object_get(prices, "onDemand"), json_object_get(prices, "spot"));
    json_decref(prices);
    return true;
}

// --- built in ------------------------------------------------------------------------------------

// Those of the options; else they differ by type and zone, 30 to 70 % of the price on demand.
static json_t *spot_prices(const struct aws_account *account, const char *name, double price)
{
    json_t *prices = json_object();
    const char *zone;
    json_t *id;
    const json_t *given = json_object_get(account->options.spot_prices, name);
    json_object_foreach (json_object_get(account->environment, "zones"), zone, id) {
        unsigned step = (unsigned)name[0] * 7;
        for (const char *at = name; *at != '\0'; at++)
            step = step * 31 + (unsigned char)*at;
        step += (unsigned char)zone[strlen(zone) - 1];
        double share = price * (30 + step % 41) / 100;
        json_object_set_new(prices, zone,
                            json_real(given != NULL ? json_number_value(given) : share));
    }
    return prices;
}

static void built_in_add(struct aws_account *account, const json_t *facts, const json_t *prices)
{
    struct account_type type = {.price = -1, .name = memory_copy_string(json_text(facts, "name"))};
    const json_t *price = json_object_get(prices, type.name);
    struct text item = {0};
    json_t *described = account_type_describe(facts);
    text_add(&item, "<item>");
    account_xml_add(&item, described, "item");
    text_add(&item, "</item>");
    json_decref(described);
    type.item = text_take(&item);
    if (json_is_number(price)) {
        type.price = json_number_value(price);
        type.prices = spot_prices(account, type.name, type.price);
    }
    vector_push(&account->types, type);
}

static bool built_in_load(struct aws_account *account, struct error *error)
{
    json_t *types =
        json_loadb(ec2_facts_types, (size_t)(ec2_facts_types_end - ec2_facts_types), 0, NULL);
    json_t *prices =
        json_loadb(ec2_facts_prices, (size_t)(ec2_facts_prices_end - ec2_facts_prices), 0, NULL);
    assert(types != NULL && prices != NULL);
    const json_t *regions = json_object_get(prices, "regions");
    const json_t *region = json_object_get(regions, account_region(account));
    size_t i;
    json_t *facts;
    json_array_foreach (json_object_get(types, "types"), i, facts) {
        const char *arch = json_text(facts, "arch");
        if (strcmp(arch, "amd64") == 0 || strcmp(arch, "arm64") == 0)
            built_in_add(account, facts,
                         region != NULL ? region : json_object_get(regions, "us-east-1"));
    }
    json_decref(types);
    json_decref(prices);
    if (!catalogue_apply(account, error))
        return false;
    vector_for_each (type, &account->types) {
        const char *zone;
        json_t *id;
        json_object_foreach (json_object_get(account->environment, "zones"), zone, id) {
            struct account_offering offering = {memory_copy_string(type->name),
                                                memory_copy_string(zone)};
            vector_push(&account->offerings, offering);
        }
    }
    return true;
}

double account_price(const struct aws_account *account, const char *type, const char *zone,
                     bool spot)
{
    const struct account_type *found = account_type_find(account, type);
    if (found == NULL)
        return -1;
    if (!spot)
        return found->price;
    const json_t *price = json_object_get(found->prices, zone);
    return json_is_number(price) ? json_number_value(price) : -1;
}
