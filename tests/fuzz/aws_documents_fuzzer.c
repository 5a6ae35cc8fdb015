// Documents that AWS's services hand on: messages of the interruption queue, price lists, spot
// prices, instance types, status checks; and addresses of queues. The first byte chooses.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/map.h"
#include "base/text.h"
#include "cloud/aws/client/aws_codec.h"
#include "cloud/aws/interruption/instance_status.h"
#include "cloud/aws/interruption/interruption_message.h"
#include "cloud/aws/interruption/queue_address.h"
#include "cloud/aws/types/instance_infos.h"
#include "cloud/aws/types/price_records.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition)
{
    if (!condition)
        abort();
}

static void read_message(const char *text, size_t length, bool upstream)
{
    struct arena *arena = arena_create(4096);
    struct interruption_message message;
    struct error error = {0};
    enum interruption_fault fault =
        interruption_message_parse(arena, text, length, upstream, &message, &error);
    require((fault == INTERRUPTION_PARSED) == (error.kind == ERROR_NONE));
    require(fault == INTERRUPTION_PARSED || message.kind == INTERRUPTION_NO_OP);
    require(message.instances.count <= INTERRUPTION_INSTANCES_MAX);
    for (uint32_t i = 0; i < message.instances.count; i++)
        require(message.instances.items[i][0] != '\0');
    arena_destroy(arena);
}

static void read_prices(const json_t *reply, const char *text)
{
    struct price_records records = {0};
    json_t *products = json_pack("{s:[s]}", "PriceList", text);
    if (products != NULL) // valid UTF-8
        price_records_read_products(&records, products, "us-west-2");
    price_records_read_products(&records, reply, "us-west-2");
    price_records_read_spot(&records, reply);
    for (uint32_t i = 0; i < records.count; i++)
        require(records.items[i].price > 0 && records.items[i].instance_type[0] != '\0');
    price_records_free(&records);
    json_decref(products);
}

// The end of a list reads the built-in facts, which takes a while: not for each input.
static void read_types(const json_t *reply, bool to_the_end)
{
    struct instance_infos *infos = instance_infos_create();
    (void)instance_infos_add_page(infos, reply);
    (void)instance_infos_add_page(infos, reply); // the same names once more
    if (to_the_end) {
        struct type_figures *figures = type_figures_create();
        instance_infos_finish(infos, figures);
        type_figures_destroy(figures);
    }
    for (uint32_t i = 0; i < infos->count && to_the_end; i++)
        require(i == 0 || strcmp(infos->items[i - 1]->name, infos->items[i]->name) < 0);
    instance_infos_destroy(infos);
}

static void read_status(const json_t *reply, bool upstream)
{
    struct map *instances = map_create();
    instance_status_read(instances, reply, 0, upstream);
    map_destroy(instances, free);
}

static void read_addresses(const char *text, bool upstream)
{
    struct queue_address addresses[QUEUES_MAX];
    struct error error = {0};
    unsigned count = 0;
    if (queue_addresses_parse(text, upstream, addresses, &count, &error))
        require(count <= QUEUES_MAX);
    else
        require(error.kind != ERROR_NONE);
}

// An answer's members in XML, or a whole answer in JSON.
static json_t *read_reply(enum aws_action action, const char *text)
{
    char id[AWS_ID_BYTES];
    struct error error = {0};
    if (text[0] == '{')
        return json_loads(text, 0, NULL);
    const char *name = aws_action_name(action);
    struct text whole = {0};
    text_format(&whole, "<%sResponse>%s</%sResponse>", name, text, name);
    json_t *reply = aws_codec_decode_reply(action, whole.data, whole.length, id, &error);
    text_free(&whole);
    return reply;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    static const enum aws_action actions[] = {PRICING_GET_PRODUCTS, EC2_DESCRIBE_SPOT_PRICE_HISTORY,
                                              EC2_DESCRIBE_INSTANCE_TYPES,
                                              EC2_DESCRIBE_INSTANCE_STATUS};
    static bool is_quiet;
    struct error error = {0};
    is_quiet = is_quiet || log_configure(&(struct log_options){.level = LOG_NONE}, &error);
    require(is_quiet);
    char *text = strndup((const char *)data + 1, size - 1);
    unsigned choice = data[0] % 6;
    bool upstream = data[0] >= 128;
    json_t *reply = choice < 4 ? read_reply(actions[choice], text) : NULL;
    if (choice < 2)
        read_prices(reply, text);
    else if (choice == 2)
        read_types(reply, size % 32 == 0);
    else if (choice == 3)
        read_status(reply, upstream);
    else if (choice == 4)
        read_addresses(text, upstream);
    else
        read_message((const char *)data + 1, size - 1, upstream);
    json_decref(reply);
    free(text);
    return 0;
}
