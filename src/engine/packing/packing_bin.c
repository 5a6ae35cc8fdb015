#include "engine/packing/packing_bin.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/quantity.h"
#include "engine/packing/packing.h"
#include "engine/packing/packing_machines.h"
#include "engine/problem/host_ports.h"

struct packing_bin *packing_bin_create(struct packing *packing,
                                       const struct packing_machines *machines)
{
    size_t used = packing->dimensions_count * sizeof(int64_t);
    struct packing_bin *bin = memory_allocate(sizeof *bin + used);
    bin->used = (int64_t *)(bin + 1);
    packing_bin_clear(packing, bin, machines);
    return bin;
}

void packing_bin_destroy(struct packing_bin *bin)
{
    if (bin == NULL)
        return;
    vector_free(&bin->contents);
    vector_free(&bin->rules);
    vector_free(&bin->ports);
    free(bin);
}

void packing_bin_clear(const struct packing *packing, struct packing_bin *bin,
                       const struct packing_machines *machines)
{
    bin->machines = machines;
    bin->machine = 0;
    bin->pins = SET_EMPTY;
    bin->value = 0;
    memset(bin->used, 0, packing->dimensions_count * sizeof *bin->used);
    bin->contents.count = bin->rules.count = bin->ports.count = 0;
}

static void copy_bin(const struct packing *packing, struct packing_bin *to,
                     const struct packing_bin *from)
{
    assert(to != from);
    packing_bin_clear(packing, to, from->machines);
    to->machine = from->machine;
    to->pins = from->pins;
    to->value = from->value;
    memcpy(to->used, from->used, packing->dimensions_count * sizeof *to->used);
    vector_for_each (content, &from->contents)
        vector_push(&to->contents, *content);
    vector_for_each (rule, &from->rules)
        vector_push(&to->rules, *rule);
    vector_for_each (port, &from->ports)
        vector_push(&to->ports, *port);
}

struct packing_bin *packing_bin_clone(struct packing *packing, const struct packing_bin *bin)
{
    struct packing_bin *copy = packing_bin_create(packing, bin->machines);
    copy_bin(packing, copy, bin);
    return copy;
}

static struct packing_rule *rule_of(const struct packing_bin *bin, uint32_t group)
{
    vector_for_each (rule, &bin->rules)
        if (rule->group == group)
            return rule;
    return NULL;
}

uint32_t packing_bin_most(const struct packing_bin *bin, const struct packing_item *item)
{
    int64_t most = item->ports.count > 0 ? 1 : INT32_MAX;
    for (uint32_t i = 0; i < item->rules_count && most > 0; i++) {
        const struct packing_rule *own = &item->rules[i];
        const struct packing_rule *there = rule_of(bin, own->group);
        int32_t limit = there != NULL && there->limit < own->limit ? there->limit : own->limit;
        int32_t count = there != NULL ? there->adds : 0;
        if (own->adds == 0 && count > limit)
            most = 0;
        else if (own->adds > 0 && limit != PACKING_NO_LIMIT && (limit - count) / own->adds < most)
            most = (limit - count) / own->adds;
    }
    if (most <= 0 || item->ports.count == 0 || bin->ports.count == 0)
        return most > 0 ? (uint32_t)most : 0;
    const struct host_port *existing, *wanted;
    struct host_ports used = {bin->ports.items, bin->ports.count};
    return host_ports_conflict(&used, &item->ports, &existing, &wanted) ? 0 : 1;
}

static void add_rules(struct packing_bin *bin, const struct packing_item *item, uint32_t units)
{
    for (uint32_t i = 0; i < item->rules_count; i++) {
        const struct packing_rule *own = &item->rules[i];
        struct packing_rule *there = rule_of(bin, own->group);
        if (there == NULL) {
            vector_push(&bin->rules, (struct packing_rule){own->group, 0, PACKING_NO_LIMIT});
            there = &bin->rules.items[bin->rules.count - 1];
        }
        there->adds += own->adds * (int32_t)units;
        if (own->limit < there->limit)
            there->limit = own->limit;
    }
    for (uint32_t i = 0; i < item->ports.count; i++)
        vector_push(&bin->ports, item->ports.items[i]);
}

static void add_content(struct packing_bin *bin, uint32_t item, uint32_t units)
{
    assert(units > 0);
    vector_for_each (content, &bin->contents)
        if (content->item == item) {
            content->units += units;
            return;
        }
    vector_push(&bin->contents, (struct packing_content){item, units});
}

void packing_bin_add(struct packing *packing, struct packing_bin *bin, uint32_t item_index,
                     uint32_t units, const struct packing_machines *machines)
{
    const struct packing_item *item = &packing->items.items[item_index];
    for (uint32_t d = 0; d < packing->dimensions_count; d++)
        bin->used[d] = quantity_add(bin->used[d], item->need[d] * units);
    bin->pins = set_meet(packing->problem->sets, bin->pins,
                         packing->item_groups.items[item->item_group].pins);
    bin->machines = machines;
    bin->value += item->value * units;
    add_rules(bin, item, units);
    add_content(bin, item_index, units);
}

// --- the packing's bins --------------------------------------------------------------------------

static void count_limits(struct packing *packing, const struct packing_bin *bin, int sign)
{
    const struct node_template *template = bin->machines->template;
    int64_t *left = packing->limits[template->index];
    const int64_t *capacity =
        template->table->rows[bin->machines->items[bin->machine].row].capacity;
    for (uint32_t d = 0; left != NULL && d < packing->problem->dimensions.count; d++)
        if (template->limits[d] != INT64_MAX)
            left[d] -= sign * (d == DIMENSION_NODES ? 1 : capacity[d]);
}

void packing_commit(struct packing *packing, struct packing_bin *bin)
{
    assert(bin->machine < bin->machines->count);
    vector_for_each (content, &bin->contents)
        packing->left[content->item] -= content->units;
    count_limits(packing, bin, 1);
    vector_push(&packing->bins, bin);
}

// The number of identical bins that the remaining units suffice for.
static uint32_t copies_left(const struct packing *packing, const struct packing_bin *bin)
{
    assert(bin->contents.count > 0);
    uint32_t copies = UINT32_MAX;
    vector_for_each (content, &bin->contents) {
        uint32_t own = packing->left[content->item] / content->units;
        copies = own < copies ? own : copies;
    }
    return copies;
}

void packing_commit_copies(struct packing *packing, const struct packing_bin *bin, uint32_t copies)
{
    uint32_t most = copies_left(packing, bin);
    for (uint32_t i = 0; i < copies && i < most; i++) {
        if (packing_machines_find(packing, bin->machines, bin->used, bin->machine) != bin->machine)
            return; // a limit
        packing_commit(packing, packing_bin_clone(packing, bin));
    }
}

void packing_withdraw(struct packing *packing, uint32_t index, struct packing_bin **bin)
{
    assert(index < packing->bins.count);
    *bin = packing->bins.items[index];
    packing->bins.items[index] = packing->bins.items[--packing->bins.count];
    vector_for_each (content, &(*bin)->contents)
        packing->left[content->item] += content->units;
    count_limits(packing, *bin, -1);
}
