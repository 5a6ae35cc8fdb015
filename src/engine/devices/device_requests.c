#include "engine/devices/device_requests.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

#define REQUESTS_MAX     32 // of a claim, and alternatives of a request: more than the API allows
#define SELECTORS_MAX    32 // of a class, and of a request: the API's limit
#define TEXT_SHOWN_BYTES 300

struct compilation {
    struct problem *problem;
    const char *claim, *request; // for messages
    const char *resource;        // by which a pod asks; NULL: by a claim
    struct error error;
};

static bool fail(struct compilation *compilation, const char *format, ...) PRINTF_LIKE(2, 3);
static bool fail(struct compilation *compilation, const char *format, ...)
{
    va_list arguments;
    struct text text = {0};
    va_start(arguments, format);
    text_format_list(&text, format, arguments);
    va_end(arguments);
    if (compilation->request != NULL)
        error_set(&compilation->error, ERROR_INVALID, "claim \"%s\" request \"%s\": %s",
                  compilation->claim, compilation->request, text.data);
    else
        error_set(&compilation->error, ERROR_INVALID, "claim \"%s\": %s", compilation->claim,
                  text.data);
    text_free(&text);
    return false;
}

// --- one way to meet a request -------------------------------------------------------------------

static bool add_selectors(struct compilation *compilation, const device_selector_list *list,
                          const char *class, struct device_choice *choice)
{
    struct error error = {0};
    if (list->count > SELECTORS_MAX)
        return fail(compilation, "more than %d selectors", SELECTORS_MAX);
    list_for_each (selector, list) {
        if (selector->cel == NULL)
            return fail(compilation, "%s%s%s has a selector that is not CEL",
                        class != NULL ? "DeviceClass \"" : "it", class != NULL ? class : "",
                        class != NULL ? "\"" : "");
        const struct device_selector_program *program =
            device_selector_compile(compilation->problem->arena, selector->cel->expression, &error);
        if (program == NULL)
            return fail(compilation, "CEL expression \"%.200s\" cannot be evaluated: %s",
                        selector->cel->expression, error.message);
        choice->selectors[choice->selectors_count++] = program;
    }
    return true;
}

// Name, selectors and amounts: what tells one kind of devices from another.
static char *choice_text(const struct compilation *compilation,
                         const struct device_request *request, const named_amount_list *capacity)
{
    struct text text = {0};
    text_add(&text, request->device_class_name);
    if (compilation->resource != NULL)
        text_format(&text, " as %s", compilation->resource);
    for (uint32_t i = 0; i < request->selectors.count; i++)
        text_format(&text, "%s%s", i == 0 ? " where " : " and ",
                    request->selectors.items[i].cel != NULL
                        ? request->selectors.items[i].cel->expression
                        : "?");
    list_for_each (amount, capacity)
        text_format(&text, " with %lld.%03lld of %s", (long long)(amount->amount / 1000),
                    (long long)(amount->amount % 1000), amount->name);
    list_for_each (toleration, &request->tolerations)
        text_format(&text, " tolerating %s %s %s %s", text_or_empty(toleration->key),
                    text_or_empty(toleration->operator), text_or_empty(toleration->value),
                    text_or_empty(toleration->effect));
    if (request->admin_access)
        text_add(&text, " as an administrator");
    char *copy = arena_copy_string(compilation->problem->arena, text.data != NULL ? text.data : "");
    text_free(&text);
    return copy;
}

static bool fill_choice(struct compilation *compilation, const struct device_request *request,
                        struct device_choice *choice)
{
    struct problem *problem = compilation->problem;
    if (text_is_empty(request->device_class_name))
        return fail(compilation, "no deviceClassName");
    const struct device_class *class =
        map_get(problem->devices->classes, request->device_class_name);
    if (class == NULL)
        return fail(compilation, "DeviceClass \"%s\" not found", request->device_class_name);
    choice->selectors = arena_allocate_array(
        problem->arena, class->spec.selectors.count + request->selectors.count + 1,
        sizeof *choice->selectors);
    if (!add_selectors(compilation, &class->spec.selectors, class->meta.name, choice) ||
        !add_selectors(compilation, &request->selectors, NULL, choice))
        return false;
    int64_t count = request->count.present ? request->count.value : 1;
    choice->all = text_equal(request->allocation_mode, "All");
    if (!choice->all && request->allocation_mode != NULL &&
        strcmp(request->allocation_mode, "ExactCount") != 0)
        return fail(compilation, "allocation mode %.80s is not known", request->allocation_mode);
    if (!choice->all && (count < 1 || count > CLAIM_DEVICES_MAX))
        return fail(compilation, "%lld devices; a claim may have 1 to %d", (long long)count,
                    CLAIM_DEVICES_MAX);
    choice->count = choice->all ? 0 : (uint32_t)count;
    choice->admin = request->admin_access;
    choice->tolerations = request->tolerations;
    return true;
}

// Equal choices are one object, so that what matches them is found once.
static struct device_choice *make_choice(struct compilation *compilation,
                                         const struct device_request *request)
{
    struct problem *problem = compilation->problem;
    named_amount_list capacity;
    struct error error = {0};
    if (!named_amounts_read(problem->arena, request->capacity.requests, &capacity, &error)) {
        fail(compilation, "capacity: %s", error.message);
        return NULL;
    }
    char *text = choice_text(compilation, request, &capacity);
    char *key =
        arena_format(problem->arena, "%s|%s|%lld|%s", text, text_or_empty(request->allocation_mode),
                     request->count.present ? (long long)request->count.value : 1LL,
                     text_or_empty(request->name));
    struct device_choice *choice = map_get(problem->devices->choice_ids, key);
    if (choice != NULL)
        return choice;
    choice = arena_allocate(problem->arena, sizeof *choice);
    choice->id = problem->devices->choices.count;
    choice->name = request->name;
    choice->text = text;
    choice->resource = compilation->resource;
    choice->capacity = capacity;
    if (!fill_choice(compilation, request, choice))
        return NULL;
    vector_push(&problem->devices->choices, choice);
    map_set(problem->devices->choice_ids, key, choice);
    return choice;
}

// --- requests and constraints --------------------------------------------------------------------

// Pods that want exact counts of the same devices share a dimension; others have one of their own,
// which counts how often a machine can meet the request.
static void name_dimension(struct problem *problem, struct device_need *need)
{
    struct text name = {0};
    text_add(&name, DEVICE_DIMENSION);
    bool plain = need->choices_count == 1 && !need->choices[0]->all && !need->choices[0]->admin;
    for (uint32_t i = 0; i < need->choices_count; i++) {
        const struct device_choice *choice = need->choices[i];
        text_format(&name, "%s%.*s", i > 0 ? " or " : "", TEXT_SHOWN_BYTES, choice->text);
        if (strlen(choice->text) > TEXT_SHOWN_BYTES)
            text_format(&name, "... (#%u)", choice->id);
    }
    if (!plain) {
        text_add(&name, " (");
        for (uint32_t i = 0; i < need->choices_count; i++)
            text_format(&name, need->choices[i]->all ? "%sall" : "%s%u", i > 0 ? " or " : "",
                        need->choices[i]->count);
        text_add(&name, ")");
    }
    need->amount = plain ? need->choices[0]->count : 1;
    need->dimension = symbols_intern(problem->dimensions.names, name.data);
    text_free(&name);
}

static bool make_need(struct compilation *compilation, const struct claim_request *request,
                      struct device_need *need)
{
    struct problem *problem = compilation->problem;
    compilation->request = need->name = text_or_empty(request->name);
    uint32_t count = request->exactly != NULL ? 1 : request->first_available.count;
    if (count == 0 || count > REQUESTS_MAX)
        return fail(compilation, "only exactly and firstAvailable requests are supported");
    need->choices = arena_allocate_array(problem->arena, count, sizeof(struct device_choice *));
    for (uint32_t i = 0; i < count; i++) {
        need->choices[i] =
            make_choice(compilation, request->exactly != NULL ? request->exactly
                                                              : &request->first_available.items[i]);
        if (need->choices[i] == NULL)
            return false;
    }
    need->choices_count = count;
    compilation->request = NULL;
    return true;
}

static bool make_constraints(struct compilation *compilation,
                             const struct resource_claim_spec *spec, struct claim_devices *claim)
{
    uint32_t count = spec->devices.constraints.count;
    if (count > REQUESTS_MAX)
        return fail(compilation, "more than %d constraints", REQUESTS_MAX);
    claim->matches =
        arena_allocate_array(compilation->problem->arena, count + 1, sizeof *claim->matches);
    list_for_each (constraint, &spec->devices.constraints) {
        if (constraint->distinct_attribute != NULL)
            return fail(compilation, "constraint distinctAttribute is not supported");
        if (constraint->match_attribute == NULL)
            return fail(compilation, "a constraint of a kind that is not known");
        claim->matches[claim->matches_count++] =
            (struct device_match){constraint->match_attribute, &constraint->requests};
    }
    return true;
}

static bool compile(struct compilation *compilation, const struct resource_claim_spec *spec,
                    struct claim_devices *claim)
{
    struct problem *problem = compilation->problem;
    uint32_t least = 0, count = spec->devices.requests.count;
    if (count > REQUESTS_MAX)
        return fail(compilation, "more than %d requests", REQUESTS_MAX);
    claim->needs = arena_allocate_array(problem->arena, count + 1, sizeof *claim->needs);
    if (!make_constraints(compilation, spec, claim))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        struct device_need *need = &claim->needs[claim->needs_count];
        if (!make_need(compilation, &spec->devices.requests.items[i], need))
            return false;
        uint32_t fewest = UINT32_MAX;
        for (uint32_t c = 0; c < need->choices_count; c++)
            if (need->choices[c]->count < fewest)
                fewest = need->choices[c]->count;
        least += fewest;
        claim->needs_count++;
    }
    if (least > CLAIM_DEVICES_MAX)
        return fail(compilation, "requests %u devices, more than the maximum of %d", least,
                    CLAIM_DEVICES_MAX);
    for (uint32_t i = 0; i < claim->needs_count; i++)
        name_dimension(problem, &claim->needs[i]);
    return true;
}

// --- equal specifications ------------------------------------------------------------------------

static void add_request_key(struct text *key, const struct device_request *request)
{
    text_format(key, "%s\1%s\1%s\1%lld\1%d\1%s\1", text_or_empty(request->name),
                text_or_empty(request->device_class_name), text_or_empty(request->allocation_mode),
                request->count.present ? (long long)request->count.value : 1LL,
                request->admin_access, text_or_empty(request->capacity.requests));
    list_for_each (selector, &request->selectors)
        text_format(key, "%s\2", selector->cel != NULL ? selector->cel->expression : "");
    list_for_each (toleration, &request->tolerations)
        text_format(key, "%s\3%s\3%s\3%s\4", text_or_empty(toleration->key),
                    text_or_empty(toleration->operator), text_or_empty(toleration->value),
                    text_or_empty(toleration->effect));
}

static char *key_of(const char *resource, const struct resource_claim_spec *spec)
{
    struct text key = {0};
    text_format(&key, "%s\1", text_or_empty(resource));
    list_for_each (request, &spec->devices.requests) {
        text_format(&key, "%s\5", text_or_empty(request->name));
        if (request->exactly != NULL)
            add_request_key(&key, request->exactly);
        list_for_each (alternative, &request->first_available)
            add_request_key(&key, alternative);
        text_add_char(&key, '\6');
    }
    list_for_each (constraint, &spec->devices.constraints) {
        text_format(&key, "%s\1%s\1", text_or_empty(constraint->match_attribute),
                    text_or_empty(constraint->distinct_attribute));
        for (uint32_t i = 0; i < constraint->requests.count; i++)
            text_format(&key, "%s\2", constraint->requests.items[i]);
        text_add_char(&key, '\7');
    }
    return text_take(&key);
}

static const struct claim_devices *claim_of(struct problem *problem, const char *name,
                                            const char *resource,
                                            const struct resource_claim_spec *spec)
{
    CLEANUP_FREE char *key = key_of(resource, spec);
    struct claim_devices *claim = map_get(problem->devices->claim_ids, key);
    if (claim != NULL)
        return claim;
    assert(problem->dimensions.count == 0);
    struct compilation compilation = {.problem = problem, .claim = name, .resource = resource};
    claim = arena_allocate(problem->arena, sizeof *claim);
    claim->id = problem->devices->specifications.count;
    if (!compile(&compilation, spec, claim))
        claim->error = arena_copy_string(problem->arena, compilation.error.message);
    vector_push(&problem->devices->specifications, claim);
    map_set(problem->devices->claim_ids, key, claim);
    return claim;
}

const struct claim_devices *claim_devices_of(struct problem *problem, const char *name,
                                             const struct resource_claim_spec *spec)
{
    return claim_of(problem, name, NULL, spec);
}

const struct claim_devices *claim_devices_by_resource(struct problem *problem, const char *resource,
                                                      const struct resource_claim_spec *spec)
{
    return claim_of(problem, resource, resource, spec);
}
