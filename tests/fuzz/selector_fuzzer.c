// Selectors of devices: for any bytes they compile or not, and end. What compiles gives the same
// answer twice.
#include <stdlib.h>
#include <string.h>

#include "model/devices/device_selector.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct device_attribute attributes[] = {
        {.domain = "d", .name = "model", .text = "a"},
        {.domain = "d", .name = "version", .kind = ATTRIBUTE_VERSION, .text = "1.2.3-rc.1"},
        {.domain = "d", .name = "index", .kind = ATTRIBUTE_INT, .number = 7},
        {.domain = "d", .name = "group", .text = "g", .at_runtime = true}};
    static struct device_capacity capacities[] = {
        {.domain = "d", .name = "memory", .amount = 80000}};
    struct device_facts facts = {.driver = "d", .name = "d0"};
    struct error error;
    struct arena *arena = arena_create(1024);
    char *text = arena_copy_bytes(arena, (const char *)data, size);
    facts.attributes.items = attributes;
    facts.attributes.count = ARRAY_LENGTH(attributes);
    facts.capacity.items = capacities;
    facts.capacity.count = ARRAY_LENGTH(capacities);
    const struct device_selector_program *program = device_selector_compile(arena, text, &error);
    if (program != NULL && device_selector_match(program, &facts, NULL) !=
                               device_selector_match(program, &facts, NULL))
        abort();
    arena_destroy(arena);
    return 0;
}
