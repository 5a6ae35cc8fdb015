#include "cloud/aws/watcher/metadata_announcements.h"

#include <assert.h>
#include <jansson.h>
#include <string.h>
#include <time.h>

#include "base/duration.h"
#include "base/memory.h"
#include "base/nanoseconds.h"
#include "base/text.h"

const char *metadata_announcement_path(enum node_announcement what)
{
    static const char *const paths[] = {
        [NODE_SPOT_INTERRUPTION] = "/latest/meta-data/spot/instance-action",
        [NODE_MAINTENANCE] = "/latest/meta-data/events/maintenance/scheduled",
        [NODE_REBALANCE_RECOMMENDED] = "/latest/meta-data/events/recommendations/rebalance"};
    static_assert(sizeof paths / sizeof *paths == NODE_ANNOUNCEMENTS_COUNT, "every one has a path");
    assert(what < NODE_ANNOUNCEMENTS_COUNT);
    return paths[what];
}

static bool read_instant(const json_t *answer, const char *field, int64_t *instant,
                         struct error *error)
{
    const char *text = json_string_value(json_object_get(answer, field));
    if (text != NULL && strlen(text) < INSTANT_TEXT_MAX && instant_parse(text, instant, NULL) &&
        *instant > 0)
        return true;
    return error_set(error, ERROR_INVALID, "%s is no instant", field);
}

// {"action": "terminate", "time": "2026-01-01T00:02:00Z"}
static bool read_interruption(const json_t *answer, int64_t *instant, struct error *error)
{
    static const char *const actions[] = {"terminate", "stop", "hibernate"};
    const char *action = json_string_value(json_object_get(answer, "action"));
    for (size_t i = 0; i < ARRAY_LENGTH(actions); i++)
        if (text_equal(action, actions[i]))
            return read_instant(answer, "time", instant, error);
    return error_set(error, ERROR_INVALID, "action is not known");
}

// "21 Jan 2026 09:00:43 GMT"
static bool read_date(const char *text, int64_t *instant)
{
    struct tm date = {0};
    const char *rest = text != NULL ? strptime(text, "%d %b %Y %H:%M:%S", &date) : NULL;
    if (!text_equal(rest, " GMT") || date.tm_year < 70 || date.tm_year > 300)
        return false;
    *instant = ns_multiply((int64_t)timegm(&date), SECOND);
    return *instant > 0;
}

// AWI-955: those completed or cancelled do not count.
static bool is_over(const json_t *event)
{
    const char *state = json_string_value(json_object_get(event, "State"));
    const char *description = json_string_value(json_object_get(event, "Description"));
    return (state != NULL && !text_equal(state, "active")) ||
           (description != NULL && (text_starts_with(description, "[Completed]") ||
                                    text_starts_with(description, "[Canceled]")));
}

// [{"NotBefore": "21 Jan 2026 09:00:43 GMT", "Code": "system-reboot", "State": "active", ...}]
static bool read_maintenance(const json_t *answer, int64_t *instant, struct error *error)
{
    const json_t *event;
    size_t index;
    if (!json_is_array(answer) || json_array_size(answer) > METADATA_EVENTS_MAX)
        return error_set(error, ERROR_INVALID, "the events are no list");
    json_array_foreach (answer, index, event) {
        int64_t begins;
        if (!json_is_object(event))
            return error_set(error, ERROR_INVALID, "event %zu is no object", index);
        if (is_over(event))
            continue;
        if (!read_date(json_string_value(json_object_get(event, "NotBefore")), &begins))
            return error_set(error, ERROR_INVALID, "NotBefore of event %zu is no date", index);
        *instant = *instant == 0 ? begins : ns_minimum(*instant, begins);
    }
    return true;
}

bool metadata_announcement_read(enum node_announcement what, const char *body, size_t length,
                                int64_t *instant, struct error *error)
{
    json_t *answer = length <= METADATA_ANSWER_MAX ? json_loadb(body, length, 0, NULL) : NULL;
    bool good = false;
    *instant = 0;
    if (answer == NULL) {
        error_set(error, ERROR_INVALID, "the answer is no JSON");
        return false;
    }
    switch (what) {
    case NODE_SPOT_INTERRUPTION:
        good = read_interruption(answer, instant, error);
        break;
    case NODE_MAINTENANCE:
        good = read_maintenance(answer, instant, error);
        break;
    case NODE_REBALANCE_RECOMMENDED:
        good = read_instant(answer, "noticeTime", instant, error);
        break;
    case NODE_ANNOUNCEMENTS_COUNT:
        break;
    }
    json_decref(answer);
    return good;
}
