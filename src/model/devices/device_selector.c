#include "model/devices/device_selector.h"

#include <assert.h>
#include <string.h>

#include "base/quantity.h"
#include "base/text.h"
#include "model/devices/selector_functions.h"
#include "model/devices/selector_parser.h"
#include "model/devices/selector_values.h"

#define STEPS_MAX 20000 // nodes visited for one device
#define DEPTH_MAX 2500  // above what the parser lets through

struct device_selector_program {
    const struct selector_node *root;
};

struct binding {
    const char *name;
    struct selector_value value;
    const struct binding *outer;
};
struct evaluation {
    const struct device_facts *facts;
    struct arena *arena;
    uint32_t steps, depth;
    const char *missing; // the first name that the device does not have
};

const struct device_selector_program *device_selector_compile(struct arena *arena,
                                                              const char *expression,
                                                              struct error *error)
{
    const struct selector_node *root = selector_parse(arena, expression, error);
    if (root == NULL)
        return NULL;
    struct device_selector_program *program = arena_allocate(arena, sizeof *program);
    program->root = root;
    return program;
}

static struct selector_value evaluate(struct evaluation *evaluation,
                                      const struct selector_node *node,
                                      const struct binding *bindings);

enum selector_result device_selector_match(const struct device_selector_program *program,
                                           const struct device_facts *facts, const char **missing)
{
    CLEANUP_ARENA struct arena *arena = arena_create(1024);
    struct evaluation evaluation = {.facts = facts, .arena = arena};
    struct selector_value value = evaluate(&evaluation, program->root, NULL);
    if (missing != NULL)
        *missing = evaluation.missing;
    if (value.kind != VALUE_BOOL || value.optional || evaluation.steps > STEPS_MAX)
        return SELECTOR_FAILED;
    return value.number != 0 ? SELECTOR_YES : SELECTOR_NO;
}

// --- the device's parts --------------------------------------------------------------------------

static struct selector_value attribute_value(const struct device_attribute *attribute)
{
    switch (attribute->kind) {
    case ATTRIBUTE_STRING:
        return value_text(VALUE_STRING, attribute->text);
    case ATTRIBUTE_VERSION:
        return value_text(VALUE_VERSION, attribute->text);
    case ATTRIBUTE_INT:
        return value_of(VALUE_INT, attribute->number);
    case ATTRIBUTE_BOOL:
        return value_of(VALUE_BOOL, attribute->number);
    }
    return value_failed();
}

// A field of a value; VALUE_ABSENT if it has none of the name.
static struct selector_value field_of(const struct device_facts *facts, struct selector_value value,
                                      const char *name)
{
    switch ((int)value.kind) {
    case VALUE_DEVICE:
        if (strcmp(name, "driver") == 0)
            return value_text(VALUE_STRING, facts->driver);
        if (strcmp(name, "attributes") == 0)
            return value_of(VALUE_ATTRIBUTES, 0);
        if (strcmp(name, "capacity") == 0)
            return value_of(VALUE_CAPACITIES, 0);
        return value_of(VALUE_BOOL, facts->allow_multiple_allocations);
    case VALUE_ATTRIBUTES: // an unknown domain is an empty one
        return value_text(VALUE_ATTRIBUTE_DOMAIN, name);
    case VALUE_CAPACITIES:
        return value_text(VALUE_CAPACITY_DOMAIN, name);
    case VALUE_ATTRIBUTE_DOMAIN:
        list_for_each (attribute, &facts->attributes)
            if (!attribute->at_runtime && strcmp(attribute->domain, value.text) == 0 &&
                strcmp(attribute->name, name) == 0)
                return attribute_value(attribute);
        return value_of(VALUE_ABSENT, 0);
    case VALUE_CAPACITY_DOMAIN:
        list_for_each (capacity, &facts->capacity)
            if (strcmp(capacity->domain, value.text) == 0 && strcmp(capacity->name, name) == 0)
                return value_of(VALUE_QUANTITY, capacity->amount);
        return value_of(VALUE_ABSENT, 0);
    default:
        return value_failed();
    }
}

static bool has_domain(const struct device_facts *facts, bool attributes, const char *domain)
{
    list_for_each (attribute, &facts->attributes)
        if (attributes && strcmp(attribute->domain, domain) == 0)
            return true;
    list_for_each (capacity, &facts->capacity)
        if (!attributes && strcmp(capacity->domain, domain) == 0)
            return true;
    return false;
}

static struct selector_value contains(struct evaluation *evaluation, struct selector_value item,
                                      struct selector_value in)
{
    if (in.kind == VALUE_LIST) {
        bool found = false;
        evaluation->steps += in.count;
        for (uint32_t i = 0; i < in.count && !found; i++)
            found = values_compare(COMPARE_EQUAL, item, in.items[i]).number != 0;
        return value_of(VALUE_BOOL, found);
    }
    if (item.kind != VALUE_STRING)
        return value_failed();
    if (in.kind == VALUE_ATTRIBUTES || in.kind == VALUE_CAPACITIES)
        return value_of(VALUE_BOOL,
                        has_domain(evaluation->facts, in.kind == VALUE_ATTRIBUTES, item.text));
    if (in.kind != VALUE_ATTRIBUTE_DOMAIN && in.kind != VALUE_CAPACITY_DOMAIN)
        return value_failed();
    return value_of(VALUE_BOOL, field_of(evaluation->facts, in, item.text).kind != VALUE_ABSENT);
}

// --- evaluation ----------------------------------------------------------------------------------

static struct selector_value select_field(struct evaluation *evaluation,
                                          const struct selector_node *node,
                                          struct selector_value of, const char *name)
{
    bool optional = node->optional || of.optional;
    if (of.kind == VALUE_ABSENT)
        return of.optional ? of : value_failed();
    struct selector_value value = field_of(evaluation->facts, of, name);
    if (value.kind == VALUE_ABSENT && !optional) {
        evaluation->missing = evaluation->missing != NULL ? evaluation->missing : name;
        return value_failed();
    }
    value.optional = optional && value.kind != VALUE_FAILED;
    return value;
}

static struct selector_value index_of(struct evaluation *evaluation,
                                      const struct selector_node *node, struct selector_value of,
                                      struct selector_value index)
{
    if (of.kind == VALUE_LIST && index.kind == VALUE_INT)
        return index.number >= 0 && index.number < of.count ? of.items[index.number]
                                                            : value_failed();
    return index.kind == VALUE_STRING && of.kind != VALUE_DEVICE
               ? select_field(evaluation, node, of, index.text)
               : value_failed();
}

// CEL's rule for && and ||: a side that decides does so even if the other fails.
static struct selector_value decide(struct evaluation *evaluation, const struct selector_node *node,
                                    const struct binding *bindings)
{
    bool deciding = node->kind == NODE_OR;
    struct selector_value left = evaluate(evaluation, node->children[0], bindings);
    if (left.kind == VALUE_BOOL && (left.number != 0) == deciding)
        return left;
    struct selector_value right = evaluate(evaluation, node->children[1], bindings);
    if (right.kind == VALUE_BOOL && (right.number != 0) == deciding)
        return right;
    return left.kind == VALUE_BOOL && right.kind == VALUE_BOOL ? right : value_failed();
}

static struct selector_value quantify(struct evaluation *evaluation,
                                      const struct selector_node *node,
                                      const struct binding *bindings)
{
    struct selector_value list = evaluate(evaluation, node->children[0], bindings);
    if (list.kind != VALUE_LIST)
        return value_failed();
    uint32_t holds = 0, failed = 0;
    for (uint32_t i = 0; i < list.count; i++) {
        struct binding bound = {node->text, list.items[i], bindings};
        struct selector_value value = evaluate(evaluation, node->children[1], &bound);
        holds += value.kind == VALUE_BOOL && value.number != 0;
        failed += value.kind != VALUE_BOOL;
    }
    uint32_t misses = list.count - holds - failed;
    if (node->number == QUANTIFY_EXISTS)
        return holds > 0 || failed == 0 ? value_of(VALUE_BOOL, holds > 0) : value_failed();
    if (node->number == QUANTIFY_ALL)
        return misses > 0 || failed == 0 ? value_of(VALUE_BOOL, misses == 0) : value_failed();
    return failed == 0 ? value_of(VALUE_BOOL, holds == 1) : value_failed();
}

static struct selector_value calculate(struct evaluation *evaluation, int64_t operator,
                                       struct selector_value a, struct selector_value b)
{
    int64_t result = 0;
    if (operator== '+' && a.kind == VALUE_STRING && b.kind == VALUE_STRING) {
        evaluation->steps += (uint32_t)(strlen(a.text) + strlen(b.text)) / 8;
        if (evaluation->steps > STEPS_MAX)
            return value_failed();
        return value_text(VALUE_STRING, arena_format(evaluation->arena, "%s%s", a.text, b.text));
    }
    if (a.kind != VALUE_INT || b.kind != VALUE_INT)
        return value_failed();
    bool divides = operator== '/' || operator== '%';
    if (divides && (b.number == 0 || (a.number == INT64_MIN && b.number == -1)))
        return value_failed();
    bool overflow = operator== '+' ? __builtin_add_overflow(a.number, b.number, &result) :
                    operator== '-' ? __builtin_sub_overflow(a.number, b.number, &result)
                    :
                    operator== '*' ? __builtin_mul_overflow(a.number, b.number, &result)
                                   : false;
    if (divides)
        result = operator== '/' ? a.number / b.number : a.number % b.number;
    return overflow ? value_failed() : value_of(VALUE_INT, result);
}

static struct selector_value *evaluate_all(struct evaluation *evaluation,
                                           const struct selector_node *node,
                                           const struct binding *bindings, bool *failed)
{
    struct selector_value *values =
        arena_allocate_array(evaluation->arena, node->children_count + 1, sizeof *values);
    for (uint32_t i = 0; i < node->children_count; i++) {
        values[i] = evaluate(evaluation, node->children[i], bindings);
        *failed = *failed || values[i].kind == VALUE_FAILED;
    }
    return values;
}

static struct selector_value evaluate_name(const struct selector_node *node,
                                           const struct binding *bindings)
{
    for (const struct binding *bound = bindings; bound != NULL; bound = bound->outer)
        if (strcmp(bound->name, node->text) == 0)
            return bound->value;
    return strcmp(node->text, "device") == 0 ? value_of(VALUE_DEVICE, 0) : value_failed();
}

// Nodes whose children are evaluated one by one, if at all.
static struct selector_value evaluate_lazy(struct evaluation *evaluation,
                                           const struct selector_node *node,
                                           const struct binding *bindings)
{
    struct selector_value first;
    switch ((int)node->kind) {
    case NODE_AND:
    case NODE_OR:
        return decide(evaluation, node, bindings);
    case NODE_QUANTIFY:
        return quantify(evaluation, node, bindings);
    case NODE_NAME:
        return evaluate_name(node, bindings);
    case NODE_CONDITION:
        first = evaluate(evaluation, node->children[0], bindings);
        return first.kind == VALUE_BOOL
                   ? evaluate(evaluation, node->children[first.number != 0 ? 1 : 2], bindings)
                   : value_failed();
    case NODE_BIND:
        first = evaluate(evaluation, node->children[0], bindings);
        return first.kind != VALUE_FAILED ? evaluate(evaluation, node->children[1],
                                                     &(struct binding){node->text, first, bindings})
                                          : first;
    case NODE_HAS:
        first = evaluate(evaluation, node->children[0]->children[0], bindings);
        if (first.kind == VALUE_FAILED || first.optional)
            return value_failed();
        first = field_of(evaluation->facts, first, node->children[0]->text);
        return first.kind != VALUE_FAILED ? value_of(VALUE_BOOL, first.kind != VALUE_ABSENT)
                                          : first;
    default:
        return value_failed();
    }
}

static struct selector_value evaluate_eager(struct evaluation *evaluation,
                                            const struct selector_node *node,
                                            const struct selector_value *values)
{
    switch ((int)node->kind) {
    case NODE_BOOL:
        return value_of(VALUE_BOOL, node->number);
    case NODE_INT:
        return value_of(VALUE_INT, node->number);
    case NODE_STRING:
        return value_text(VALUE_STRING, node->text);
    case NODE_NULL:
        return value_of(VALUE_NULL, 0);
    case NODE_LIST:
        return (struct selector_value){
            .kind = VALUE_LIST, .items = values, .count = node->children_count};
    case NODE_FIELD:
        return select_field(evaluation, node, values[0], node->text);
    case NODE_INDEX:
        return index_of(evaluation, node, values[0], values[1]);
    case NODE_CALL:
        return selector_call(evaluation->arena, (enum selector_function)node->number, values,
                             node->children_count);
    case NODE_NOT:
        return values[0].kind == VALUE_BOOL ? value_of(VALUE_BOOL, values[0].number == 0)
                                            : value_failed();
    case NODE_NEGATE:
        return values[0].kind == VALUE_INT && values[0].number != INT64_MIN
                   ? value_of(VALUE_INT, -values[0].number)
                   : value_failed();
    case NODE_COMPARE:
        return node->number == COMPARE_IN
                   ? contains(evaluation, values[0], values[1])
                   : values_compare((enum selector_comparison)node->number, values[0], values[1]);
    case NODE_ARITHMETIC:
        return calculate(evaluation, node->number, values[0], values[1]);
    default:
        return value_failed();
    }
}

static bool is_lazy(const struct selector_node *node)
{
    return node->kind == NODE_AND || node->kind == NODE_OR || node->kind == NODE_QUANTIFY ||
           node->kind == NODE_NAME || node->kind == NODE_CONDITION || node->kind == NODE_BIND ||
           node->kind == NODE_HAS;
}

static struct selector_value evaluate(struct evaluation *evaluation,
                                      const struct selector_node *node,
                                      const struct binding *bindings)
{
    assert(evaluation->depth <= DEPTH_MAX);
    if (++evaluation->steps > STEPS_MAX)
        return value_failed();
    evaluation->depth++;
    struct selector_value value;
    if (is_lazy(node)) {
        value = evaluate_lazy(evaluation, node, bindings);
    } else {
        bool failed = false;
        struct selector_value *values = evaluate_all(evaluation, node, bindings, &failed);
        value = failed ? value_failed() : evaluate_eager(evaluation, node, values);
    }
    evaluation->depth--;
    return value;
}
