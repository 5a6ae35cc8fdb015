#include "cloud/aws/interruption/interruption_message.h"

#include <assert.h>
#include <jansson.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "base/duration.h"
#include "base/nanoseconds.h"
#include "base/text.h"

struct reading {
    struct arena *arena;
    bool upstream;
    struct interruption_message *message;
    struct error *error;
};
typedef enum interruption_fault (*detail_reader)(const struct reading *reading,
                                                 const json_t *detail);

struct shape { // AWI-511 to 516
    const char *source, *detail_type;
    enum interruption_kind kind;
    detail_reader read;
};

static enum interruption_fault read_instance(const struct reading *reading, const json_t *detail);
static enum interruption_fault read_state(const struct reading *reading, const json_t *detail);
static enum interruption_fault read_health(const struct reading *reading, const json_t *detail);

static const struct shape shapes[] = {
    {"aws.ec2", "EC2 Spot Instance Interruption Warning", INTERRUPTION_SPOT_INTERRUPTED,
     read_instance},
    {"aws.ec2", "EC2 Instance Rebalance Recommendation", INTERRUPTION_REBALANCE_RECOMMENDATION,
     read_instance},
    {"aws.ec2", "EC2 Instance State-change Notification", INTERRUPTION_NO_OP, read_state},
    {"aws.health", "AWS Health Event", INTERRUPTION_NO_OP, read_health},
    {"aws.ec2", "EC2 Capacity Reservation Instance Interruption Warning",
     INTERRUPTION_CAPACITY_RESERVATION_INTERRUPTED, read_instance},
};

const char *interruption_fault_name(enum interruption_fault fault)
{
    static const char *const names[] = {"parsed", "not_json", "wrong_type", "missing_field",
                                        "too_large"};
    static_assert(sizeof names / sizeof *names == INTERRUPTION_FAULT_COUNT, "every one has a name");
    assert(fault < INTERRUPTION_FAULT_COUNT);
    return names[fault];
}

static enum interruption_fault refuse(const struct reading *reading, enum interruption_fault fault,
                                      const char *field, const char *problem)
{
    error_set(reading->error, ERROR_INVALID, "%s %s", field, problem);
    return fault;
}

// Keys match without regard to case; of several the last one counts, and null is no value.
static const json_t *field_of(const json_t *object, const char *name)
{
    const char *key;
    json_t *value;
    const json_t *found = NULL;
    json_object_foreach ((json_t *)object, key, value)
        if (strcasecmp(key, name) == 0 && !json_is_null(value))
            found = value;
    return found;
}

// A missing text is "".
static bool read_text(const struct reading *reading, const json_t *object, const char *name,
                      const char **text)
{
    const json_t *value = field_of(object, name);
    *text = value != NULL ? json_string_value(value) : "";
    if (*text == NULL)
        refuse(reading, INTERRUPTION_WRONG_TYPE, name, "is no text");
    return *text != NULL;
}

static bool read_strings(const struct reading *reading, const json_t *object, const char *name)
{
    const json_t *value = field_of(object, name), *item;
    size_t index;
    if (value != NULL && !json_is_array(value))
        return refuse(reading, INTERRUPTION_WRONG_TYPE, name, "is no list") == INTERRUPTION_PARSED;
    json_array_foreach (value, index, item)
        if (!json_is_string(item) && !json_is_null(item))
            return refuse(reading, INTERRUPTION_WRONG_TYPE, name, "has an entry that is no text") ==
                   INTERRUPTION_PARSED;
    return true;
}

static bool read_time(const struct reading *reading, const json_t *object)
{
    const json_t *value = field_of(object, "time");
    if (value == NULL)
        return true; // unknown
    const char *text = json_string_value(value);
    if (text == NULL || !instant_parse(text, &reading->message->time, NULL))
        return refuse(reading, INTERRUPTION_WRONG_TYPE, "time", "is no instant (RFC 3339)") ==
               INTERRUPTION_PARSED;
    return true;
}

static void add_instance(const struct reading *reading, const char *id)
{
    struct string_list *instances = &reading->message->instances;
    if (*id == '\0' || instances->count == INTERRUPTION_INSTANCES_MAX ||
        string_list_has(instances, id))
        return;
    if (instances->items == NULL)
        instances->items = arena_allocate_array(reading->arena, INTERRUPTION_INSTANCES_MAX,
                                                sizeof *instances->items);
    instances->items[instances->count++] = arena_copy_string(reading->arena, id);
}

// AWI-512, 513, 516.
static enum interruption_fault read_instance(const struct reading *reading, const json_t *detail)
{
    const char *id, *action;
    if (!read_text(reading, detail, "instance-id", &id) ||
        !read_text(reading, detail, "instance-action", &action))
        return INTERRUPTION_WRONG_TYPE;
    if (*id == '\0' && !reading->upstream)
        return refuse(reading, INTERRUPTION_MISSING_FIELD, "detail.instance-id", "is missing");
    add_instance(reading, id);
    return INTERRUPTION_PARSED;
}

// AWI-514.
static enum interruption_fault read_state(const struct reading *reading, const json_t *detail)
{
    static const char *const ends[] = {"stopping", "stopped", "shutting-down", "terminated"};
    const char *state;
    bool is_end = false;
    if (!read_text(reading, detail, "state", &state))
        return INTERRUPTION_WRONG_TYPE;
    for (size_t i = 0; i < ARRAY_LENGTH(ends); i++)
        is_end = is_end || strcasecmp(state, ends[i]) == 0;
    enum interruption_fault fault = read_instance(reading, detail);
    if (fault != INTERRUPTION_PARSED || !is_end)
        return fault;
    bool stops = text_equal(state, "stopping") || text_equal(state, "stopped");
    reading->message->kind =
        stops ? INTERRUPTION_INSTANCE_STOPPED : INTERRUPTION_INSTANCE_TERMINATED;
    return INTERRUPTION_PARSED;
}

// AWS Health writes "Fri, 27 Jan 2023 06:02:51 GMT"; EventBridge's own times are in RFC 3339.
static int64_t start_of(const char *text)
{
    int64_t instant;
    struct tm date = {0};
    if (instant_parse(text, &instant, NULL))
        return instant;
    const char *rest = strptime(text, "%a, %d %b %Y %H:%M:%S", &date);
    if (rest == NULL || !text_equal(rest, " GMT"))
        return 0;
    return ns_multiply(timegm(&date), SECOND);
}

// AWI-515.
static enum interruption_fault read_health(const struct reading *reading, const json_t *detail)
{
    const char *service, *category, *starts, *id;
    if (!read_text(reading, detail, "service", &service) ||
        !read_text(reading, detail, "eventTypeCategory", &category) ||
        !read_text(reading, detail, "startTime", &starts))
        return INTERRUPTION_WRONG_TYPE;
    const json_t *entities = field_of(detail, "affectedEntities"), *entity;
    size_t index;
    if (entities != NULL && !json_is_array(entities))
        return refuse(reading, INTERRUPTION_WRONG_TYPE, "detail.affectedEntities", "is no list");
    bool counts = text_equal(service, "EC2") && text_equal(category, "scheduledChange");
    json_array_foreach (entities, index, entity) {
        if (json_is_null(entity))
            continue;
        if (!json_is_object(entity))
            return refuse(reading, INTERRUPTION_WRONG_TYPE, "detail.affectedEntities",
                          "has an entry that is no object");
        if (!read_text(reading, entity, "entityValue", &id))
            return INTERRUPTION_WRONG_TYPE;
        if (counts)
            add_instance(reading, id);
    }
    if (counts)
        reading->message->kind = INTERRUPTION_SCHEDULED_CHANGE;
    reading->message->starts = start_of(starts);
    return INTERRUPTION_PARSED;
}

static enum interruption_fault read_detail(const struct reading *reading, const struct shape *shape,
                                           const json_t *root)
{
    const json_t *detail = field_of(root, "detail");
    json_t *nothing = json_object();
    enum interruption_fault fault;
    if (detail != NULL && !json_is_object(detail)) {
        fault = refuse(reading, INTERRUPTION_WRONG_TYPE, "detail", "is no object");
    } else {
        reading->message->kind = shape->kind;
        fault = shape->read(reading, detail != NULL ? detail : nothing);
    }
    json_decref(nothing);
    return fault;
}

static enum interruption_fault read_envelope(const struct reading *reading, const json_t *root)
{
    const char *version, *id, *source, *detail_type, *account, *region;
    if (!read_text(reading, root, "version", &version) || !read_text(reading, root, "id", &id) ||
        !read_text(reading, root, "source", &source) ||
        !read_text(reading, root, "detail-type", &detail_type) ||
        !read_text(reading, root, "account", &account) ||
        !read_text(reading, root, "region", &region) || !read_time(reading, root) ||
        !read_strings(reading, root, "resources"))
        return INTERRUPTION_WRONG_TYPE;
    for (size_t i = 0; i < ARRAY_LENGTH(shapes); i++)
        if (text_equal(version, "0") && text_equal(source, shapes[i].source) &&
            text_equal(detail_type, shapes[i].detail_type))
            return read_detail(reading, &shapes[i], root);
    if (!reading->upstream && (*version == '\0' || *source == '\0' || *detail_type == '\0'))
        return refuse(reading, INTERRUPTION_MISSING_FIELD,
                      *version == '\0'  ? "version"
                      : *source == '\0' ? "source"
                                        : "detail-type",
                      "is missing");
    return INTERRUPTION_PARSED; // of a kind that adze does not know: no_op
}

enum interruption_fault interruption_message_parse(struct arena *arena, const char *body,
                                                   size_t length, bool upstream,
                                                   struct interruption_message *message,
                                                   struct error *error)
{
    assert(arena != NULL);
    *message = (struct interruption_message){.kind = INTERRUPTION_NO_OP};
    struct reading reading = {arena, upstream, message, error};
    if (body == NULL)
        return refuse(&reading, INTERRUPTION_MISSING_FIELD, "the body", "is missing");
    if (length == 0)
        return INTERRUPTION_PARSED;
    if (length > INTERRUPTION_BODY_MAX)
        return refuse(&reading, INTERRUPTION_TOO_LARGE, "the body", "is larger than 1 MiB");
    json_error_t problem;
    json_t *root = json_loadb(body, length, JSON_DECODE_INT_AS_REAL, &problem);
    enum interruption_fault fault;
    if (!json_is_object(root))
        fault = refuse(&reading, INTERRUPTION_NOT_JSON, "the body", "is no JSON object");
    else
        fault = read_envelope(&reading, root);
    json_decref(root);
    if (fault != INTERRUPTION_PARSED)
        *message = (struct interruption_message){.kind = INTERRUPTION_NO_OP};
    return fault;
}
