#include "engine/devices/device_search.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/quantity.h"
#include "base/text.h"

#define STEPS_MAX   20000 // devices looked at in one allocation
#define DEVICES_MAX 1024  // of one pod: bounds the depth

enum { SHARED, OWN };

struct taken_device {
    uint32_t where, device;
    bool first;     // nobody had a part of it before
    bool exclusive; // nothing but this allocation has it
    bool counts;    // not for an administrator
};
struct pinned { // a constraint of a claim, over the devices taken so far
    const struct device_attribute *attribute;
    uint32_t where, count;
};
struct search {
    struct problem *problem;
    struct device_site *site;
    const struct claim_devices *const *claims;
    uint32_t claims_count;
    struct pinned **pinned; // by claim and constraint
    struct taken_device taken[DEVICES_MAX];
    uint32_t taken_count, steps;
};
struct place_in { // the position of the search
    uint32_t claim, need, slot;
    uint32_t claim_start; // of the claim's devices in `taken`
    const struct device_choice *choice;
    uint32_t after_where, after; // the next slot looks behind this device
};

// --- devices and choices -------------------------------------------------------------------------

bool device_matches(const struct known_device *device, const struct device_choice *choice)
{
    if (device->resource != NULL)
        return text_equal(device->resource, choice->resource);
    for (uint32_t s = 0; s < choice->selectors_count; s++)
        if (device_selector_match(choice->selectors[s], &device->facts, NULL) != SELECTOR_YES)
            return false;
    return true;
}

// Where a device plugin provides the resource that is asked for, its units alone count.
static bool has_plugin(const struct device_set *set, const struct device_choice *choice)
{
    for (uint32_t d = 0; d < set->count && choice->resource != NULL; d++)
        if (text_equal(set->items[d].resource, choice->resource))
            return true;
    return false;
}

struct bitset devices_matching(struct problem *problem, const struct device_set *set,
                               const struct device_choice *choice)
{
    struct device_set *memo = problem->devices->sets.items[set->id];
    assert(memo == set);
    while (memo->matches.count <= choice->id)
        vector_push(&memo->matches, (struct bitset){0});
    struct bitset *matches = &memo->matches.items[choice->id];
    if (matches->words != NULL)
        return *matches;
    *matches = bitset_create(problem->arena, set->count);
    bool plugin = has_plugin(set, choice);
    for (uint32_t d = 0; d < set->count; d++)
        if ((set->items[d].resource != NULL) == plugin && device_matches(&set->items[d], choice))
            bitset_set(*matches, d);
    return *matches;
}

static bool tolerates(const toleration_list *tolerations, const struct taint *taint)
{
    list_for_each (toleration, tolerations) {
        bool exists = text_equal(toleration->operator, "Exists");
        if (!text_is_empty(toleration->effect) && !text_equal(toleration->effect, taint->effect))
            continue;
        if (text_is_empty(toleration->key) ? exists : text_equal(toleration->key, taint->key))
            if (exists || text_equal(text_or_empty(toleration->value), text_or_empty(taint->value)))
                return true;
    }
    return false;
}

bool device_is_open(const struct known_device *device, const struct device_choice *choice)
{
    if (!device->usable)
        return false;
    list_for_each (taint, &device->taints)
        if (!text_equal(taint->effect, "None") && !tolerates(&choice->tolerations, taint))
            return false;
    return true;
}

static const struct named_amount *asked_amount(const struct device_choice *choice,
                                               const struct device_capacity *capacity)
{
    list_for_each (amount, &choice->capacity) {
        const char *slash = strchr(amount->name, '/');
        size_t domain = slash != NULL ? (size_t)(slash - amount->name) : 0;
        if (strcmp(slash != NULL ? slash + 1 : amount->name, capacity->name) == 0 &&
            (slash == NULL || (strncmp(capacity->domain, amount->name, domain) == 0 &&
                               capacity->domain[domain] == '\0')))
            return amount;
    }
    return NULL;
}

int64_t device_consumption(const struct device_capacity *capacity,
                           const struct device_choice *choice)
{
    const struct named_amount *asked = asked_amount(choice, capacity);
    int64_t amount = asked != NULL                   ? asked->amount
                     : capacity->request_default > 0 ? capacity->request_default
                                                     : capacity->amount;
    list_for_each (value, &capacity->request_values)
        if (*value >= amount)
            return *value;
    if (capacity->request_values.count > 0)
        return -1;
    if (capacity->request_least > 0 && amount < capacity->request_least)
        amount = capacity->request_least;
    if (capacity->request_step > 0) {
        int64_t beyond = amount - capacity->request_least;
        int64_t steps = beyond / capacity->request_step + (beyond % capacity->request_step > 0);
        amount =
            quantity_add(capacity->request_least, quantity_multiply(steps, capacity->request_step));
    }
    bool too_much = capacity->request_most > 0 && amount > capacity->request_most;
    return too_much || amount > capacity->amount ? -1 : amount;
}

// Every amount that is asked for must be a capacity of the device, and enough of it.
static bool has_amounts(const struct known_device *device, const struct device_choice *choice)
{
    list_for_each (amount, &choice->capacity) {
        const struct device_capacity *capacity = device_capacity_find(&device->facts, amount->name);
        if (capacity == NULL || capacity->amount < amount->amount)
            return false;
    }
    return true;
}

static bool reaches(const struct search *search, const struct known_device *device)
{
    struct requirement_sets *sets = search->problem->sets;
    const struct device_site *site = search->site;
    list_for_each (term, &device->terms)
        if (site->fixed ? sets_compatible(sets, site->set, *term, false)
                        : set_meet(sets, site->set, *term) == site->set)
            return true;
    return device->terms.count == 0;
}

// --- constraints ---------------------------------------------------------------------------------

static bool applies(const struct device_match *match, const struct device_need *need,
                    const struct device_choice *choice)
{
    for (uint32_t i = 0; i < match->requests->count; i++) {
        const char *request = match->requests->items[i];
        size_t length = strlen(need->name);
        if (strcmp(request, need->name) == 0)
            return true;
        if (choice->name != NULL && strncmp(request, need->name, length) == 0 &&
            request[length] == '/' && strcmp(request + length + 1, choice->name) == 0)
            return true;
    }
    return match->requests->count == 0;
}

// SCH-422: a value that is chosen on the machine says something only if devices share it.
static bool is_bound(const struct device_set *set, const struct device_attribute *attribute)
{
    uint32_t sharing = 0;
    for (uint32_t d = 0; d < set->count; d++)
        list_for_each (other, &set->items[d].facts.attributes)
            sharing += other->at_runtime && strcmp(other->name, attribute->name) == 0 &&
                       strcmp(other->domain, attribute->domain) == 0 &&
                       device_attributes_equal(other, attribute);
    return sharing >= 2;
}

static bool pin(struct search *search, struct pinned *pinned, const struct device_match *match,
                uint32_t where, const struct known_device *device)
{
    const struct device_attribute *attribute =
        device_attribute_find(&device->facts, match->attribute);
    if (attribute == NULL ||
        (attribute->at_runtime && !is_bound(search->site->sets[where], attribute)))
        return false;
    if (pinned->count == 0) {
        *pinned = (struct pinned){attribute, where, 1};
        return true;
    }
    if (attribute->at_runtime != pinned->attribute->at_runtime ||
        (attribute->at_runtime && where != pinned->where) ||
        !device_attributes_equal(attribute, pinned->attribute))
        return false;
    pinned->count++;
    return true;
}

// Takes the device out of the first `count` constraints of the claim again.
static void unpin(struct search *search, const struct place_in *at, uint32_t count)
{
    const struct claim_devices *claim = search->claims[at->claim];
    for (uint32_t m = 0; m < count; m++)
        if (applies(&claim->matches[m], &claim->needs[at->need], at->choice))
            search->pinned[at->claim][m].count--;
}

static bool pin_all(struct search *search, const struct place_in *at, uint32_t where,
                    const struct known_device *device)
{
    const struct claim_devices *claim = search->claims[at->claim];
    for (uint32_t m = 0; m < claim->matches_count; m++)
        if (applies(&claim->matches[m], &claim->needs[at->need], at->choice) &&
            !pin(search, &search->pinned[at->claim][m], &claim->matches[m], where, device)) {
            unpin(search, at, m);
            return false;
        }
    return true;
}

// --- taking and giving back ----------------------------------------------------------------------

static bool counters_left(const struct search *search, uint32_t where,
                          const struct known_device *device)
{
    const struct device_set *set = search->site->sets[where];
    const struct device_usage *usage = search->site->usages[where];
    list_for_each (use, &device->counters)
        if (quantity_add(usage->counters[use->counter], use->amount) >
            set->counters.items[use->counter].total)
            return false;
    return true;
}

static bool capacity_left(const struct search *search, uint32_t where,
                          const struct known_device *device, const struct device_choice *choice)
{
    const struct device_usage *usage = search->site->usages[where];
    for (uint32_t c = 0; c < device->facts.capacity.count; c++) {
        const struct device_capacity *capacity = &device->facts.capacity.items[c];
        int64_t amount = device_consumption(capacity, choice);
        if (amount < 0 ||
            quantity_add(usage->capacity[device->capacity_first + c], amount) > capacity->amount)
            return false;
    }
    return true;
}

static void change_amounts(struct search *search, const struct taken_device *taken,
                           const struct device_choice *choice, int sign)
{
    const struct known_device *device = &search->site->sets[taken->where]->items[taken->device];
    struct device_usage *usage = search->site->usages[taken->where];
    if (taken->first || taken->exclusive)
        list_for_each (use, &device->counters)
            usage->counters[use->counter] += sign * use->amount;
    for (uint32_t c = 0; c < device->facts.capacity.count && !taken->exclusive; c++)
        usage->capacity[device->capacity_first + c] +=
            sign * device_consumption(&device->facts.capacity.items[c], choice);
}

static bool take_device(struct search *search, const struct place_in *at, uint32_t where,
                        uint32_t index)
{
    const struct known_device *device = &search->site->sets[where]->items[index];
    struct device_usage *usage = search->site->usages[where];
    const struct device_choice *choice = at->choice;
    bool several = device->facts.allow_multiple_allocations;
    if (search->taken_count == DEVICES_MAX || !device_is_open(device, choice) ||
        !reaches(search, device) || !has_amounts(device, choice))
        return false;
    for (uint32_t t = at->claim_start; t < search->taken_count && !several; t++)
        if (search->taken[t].where == where && search->taken[t].device == index)
            return false;
    struct taken_device taken = {where, index, !usage->taken[index], !several, !choice->admin};
    if (taken.counts) {
        if (several ? !capacity_left(search, where, device, choice) : usage->taken[index])
            return false;
        if ((taken.first || taken.exclusive) && !counters_left(search, where, device))
            return false;
    }
    if (!pin_all(search, at, where, device))
        return false;
    search->taken[search->taken_count++] = taken;
    if (taken.counts) {
        change_amounts(search, &taken, choice, 1);
        usage->taken[index] = true;
    }
    return true;
}

static void give_back(struct search *search, const struct place_in *at)
{
    assert(search->taken_count > 0);
    struct taken_device taken = search->taken[--search->taken_count];
    unpin(search, at, search->claims[at->claim]->matches_count);
    if (!taken.counts)
        return;
    change_amounts(search, &taken, at->choice, -1);
    if (taken.first)
        search->site->usages[taken.where]->taken[taken.device] = false;
}

// --- the search ----------------------------------------------------------------------------------

static bool next_need(struct search *search, struct place_in at);

// A slot of an exact count: each device behind the last one of the request.
static bool fill_exact(struct search *search, struct place_in at)
{
    if (at.slot == at.choice->count) {
        at.need++;
        return next_need(search, at);
    }
    for (uint32_t where = at.after_where; where < 2; where++) {
        const struct device_set *set = search->site->sets[where];
        if (set == NULL)
            continue;
        struct bitset matches = devices_matching(search->problem, set, at.choice);
        for (uint32_t d = where == at.after_where ? at.after : 0; d < set->count; d++) {
            if (!bitset_has(matches, d))
                continue;
            if (++search->steps > STEPS_MAX)
                return false;
            if (!take_device(search, &at, where, d))
                continue;
            struct place_in next = at;
            next.slot++;
            next.after_where = where;
            next.after = d + 1;
            if (fill_exact(search, next))
                return true;
            give_back(search, &at);
        }
    }
    return false;
}

static void give_back_to(struct search *search, const struct place_in *at, uint32_t count)
{
    while (search->taken_count > count)
        give_back(search, at);
}

// Mode All: every device that matches, and at least one.
static bool fill_all(struct search *search, struct place_in at)
{
    uint32_t start = search->taken_count;
    bool fine = true;
    for (uint32_t where = 0; where < 2 && fine; where++) {
        const struct device_set *set = search->site->sets[where];
        if (set == NULL)
            continue;
        fine = set->flaw == NULL;
        struct bitset matches = devices_matching(search->problem, set, at.choice);
        for (uint32_t d = 0; d < set->count && fine; d++)
            if (bitset_has(matches, d) && reaches(search, &set->items[d]))
                fine = ++search->steps <= STEPS_MAX && take_device(search, &at, where, d);
    }
    struct place_in next = at;
    next.need++;
    if (fine && search->taken_count > start &&
        search->taken_count - at.claim_start <= CLAIM_DEVICES_MAX && next_need(search, next))
        return true;
    give_back_to(search, &at, start);
    return false;
}

static bool next_need(struct search *search, struct place_in at)
{
    while (at.claim < search->claims_count && at.need == search->claims[at.claim]->needs_count) {
        at.claim++;
        at.need = 0;
        at.claim_start = search->taken_count;
    }
    if (at.claim == search->claims_count)
        return true;
    const struct device_need *need = &search->claims[at.claim]->needs[at.need];
    for (uint32_t c = 0; c < need->choices_count; c++) {
        at.choice = need->choices[c];
        at.slot = at.after_where = at.after = 0;
        bool too_many = search->taken_count - at.claim_start + at.choice->count > CLAIM_DEVICES_MAX;
        if (!too_many && (at.choice->all ? fill_all(search, at) : fill_exact(search, at)))
            return true;
        if (search->steps > STEPS_MAX)
            return false;
    }
    return false;
}

bool devices_allocate(struct problem *problem, struct device_site *site,
                      const struct claim_devices *const *claims, uint32_t count)
{
    CLEANUP_ARENA struct arena *scratch = arena_create(4096);
    struct search *search = arena_allocate(scratch, sizeof *search);
    search->problem = problem;
    search->site = site;
    search->claims = claims;
    search->claims_count = count;
    search->pinned = arena_allocate_array(scratch, count + 1, sizeof *search->pinned);
    for (uint32_t c = 0; c < count; c++)
        search->pinned[c] =
            arena_allocate_array(scratch, claims[c]->matches_count + 1, sizeof *search->pinned[c]);
    bool found = next_need(search, (struct place_in){0});
    assert(found || search->taken_count == 0);
    return found;
}
