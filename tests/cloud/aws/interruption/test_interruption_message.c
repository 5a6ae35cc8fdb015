// Messages of the interruption queue (AWI-510 to 517, 952) and their kinds (AWI-551, 570).
#include <string.h>

#include "support/cmocka_all.h"

#include "base/duration.h"
#include "base/text.h"
#include "cloud/aws/interruption/interruption_message.h"

struct parsed {
    struct arena *arena;
    struct interruption_message message;
    enum interruption_fault fault;
    struct error error;
};

static struct parsed parse_as(const char *body, bool upstream)
{
    struct parsed parsed = {.arena = arena_create(1024)};
    parsed.fault = interruption_message_parse(parsed.arena, body, body != NULL ? strlen(body) : 0,
                                              upstream, &parsed.message, &parsed.error);
    return parsed;
}

#define EC2(type, detail)                                                                      \
    "{\"version\":\"0\",\"id\":\"1\",\"detail-type\":\"" type "\",\"source\":\"aws.ec2\","     \
    "\"account\":\"123456789012\",\"time\":\"2026-01-01T00:00:00Z\",\"region\":\"us-west-2\"," \
    "\"resources\":[\"arn:aws:ec2:us-west-2a:instance/i-1\"],\"detail\":" detail "}"
#define SPOT  "EC2 Spot Instance Interruption Warning"
#define STATE "EC2 Instance State-change Notification"

static void expect_kind(const char *body, enum interruption_kind kind, uint32_t instances)
{
    for (int upstream = 0; upstream < 2; upstream++) {
        struct parsed parsed = parse_as(body, upstream != 0);
        assert_int_equal(parsed.fault, INTERRUPTION_PARSED);
        assert_int_equal(parsed.message.kind, kind);
        assert_int_equal(parsed.message.instances.count, instances);
        arena_destroy(parsed.arena);
    }
}

static void expect_fault(const char *body, bool upstream, enum interruption_fault fault)
{
    struct parsed parsed = parse_as(body, upstream);
    assert_int_equal(parsed.fault, fault);
    assert_int_equal(parsed.message.kind, INTERRUPTION_NO_OP);
    assert_int_equal(parsed.error.kind, fault == INTERRUPTION_PARSED ? ERROR_NONE : ERROR_INVALID);
    arena_destroy(parsed.arena);
}

// The bodies are those of AWI-517. AWI-511: another triple is nothing; AWI-513, 514, 515, 516.
static void every_kind_AWI_512_to_516(void **state)
{
    (void)state;
    expect_kind(EC2(SPOT, "{\"instance-id\":\"i-1\",\"instance-action\":\"terminate\"}"),
                INTERRUPTION_SPOT_INTERRUPTED, 1);
    expect_kind(EC2("EC2 Instance Rebalance Recommendation", "{\"instance-id\":\"i-1\"}"),
                INTERRUPTION_REBALANCE_RECOMMENDATION, 1);
    expect_kind(
        EC2("EC2 Capacity Reservation Instance Interruption Warning", "{\"instance-id\":\"i-1\"}"),
        INTERRUPTION_CAPACITY_RESERVATION_INTERRUPTED, 1);
    expect_kind(EC2("EC2 Something New", "{\"instance-id\":\"i-1\"}"), INTERRUPTION_NO_OP, 0);
    expect_kind("{\"version\":\"1\",\"source\":\"aws.ec2\",\"detail-type\":\"" SPOT "\"}",
                INTERRUPTION_NO_OP, 0);
    expect_kind("", INTERRUPTION_NO_OP, 0);
}

static void states_AWI_514(void **state)
{
    (void)state;
    static const struct {
        const char *state;
        enum interruption_kind kind;
    } cases[] = {
        {"pending", INTERRUPTION_NO_OP},
        {"running", INTERRUPTION_NO_OP},
        {"stopping", INTERRUPTION_INSTANCE_STOPPED},
        {"stopped", INTERRUPTION_INSTANCE_STOPPED},
        {"Stopped", INTERRUPTION_INSTANCE_TERMINATED},
        {"shutting-down", INTERRUPTION_INSTANCE_TERMINATED},
        {"TERMINATED", INTERRUPTION_INSTANCE_TERMINATED},
    };
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        struct text body = {0};
        text_format(&body, EC2(STATE, "{\"instance-id\":\"i-1\",\"state\":\"%s\"}"),
                    cases[i].state);
        expect_kind(body.data, cases[i].kind, 1);
        text_free(&body);
    }
}

static void health_events_AWI_515(void **state)
{
    (void)state;
    static const char *const body =
        "{\"version\":\"0\",\"source\":\"aws.health\",\"detail-type\":\"AWS Health Event\","
        "\"time\":\"2026-01-01T00:00:00Z\",\"detail\":{\"service\":\"%s\","
        "\"eventTypeCategory\":\"%s\",\"startTime\":\"%s\",\"affectedEntities\":["
        "{\"entityValue\":\"i-1\"},{\"entityValue\":\"i-2\"},{\"entityValue\":\"i-1\"}]}}";
    static const struct {
        const char *service, *category, *starts;
        enum interruption_kind kind;
        int64_t instant;
    } cases[] = {
        {"EC2", "scheduledChange", "", INTERRUPTION_SCHEDULED_CHANGE, 0},
        {"EC2", "scheduledChange", "2026-01-02T00:00:00Z", INTERRUPTION_SCHEDULED_CHANGE,
         1767312000 * SECOND},
        {"EC2", "scheduledChange", "Fri, 02 Jan 2026 00:00:00 GMT", INTERRUPTION_SCHEDULED_CHANGE,
         1767312000 * SECOND},
        {"EC2", "issue", "", INTERRUPTION_NO_OP, 0},
        {"ec2", "scheduledChange", "", INTERRUPTION_NO_OP, 0},
        {"RDS", "scheduledChange", "", INTERRUPTION_NO_OP, 0},
    };
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        struct text text = {0};
        text_format(&text, body, cases[i].service, cases[i].category, cases[i].starts);
        struct parsed parsed = parse_as(text.data, false);
        assert_int_equal(parsed.fault, INTERRUPTION_PARSED);
        assert_int_equal(parsed.message.kind, cases[i].kind);
        assert_int_equal(parsed.message.instances.count,
                         cases[i].kind == INTERRUPTION_NO_OP ? 0 : 2);
        assert_int_equal(parsed.message.starts, cases[i].instant);
        assert_int_equal(parsed.message.time, 1767225600 * SECOND);
        arena_destroy(parsed.arena);
        text_free(&text);
    }
}

static void keys_of_any_case_AWI_510(void **state)
{
    (void)state;
    expect_kind("{\"VERSION\":\"0\",\"Source\":\"aws.ec2\",\"Detail-Type\":\"" SPOT
                "\",\"DETAIL\":{\"Instance-Id\":\"i-1\",\"other\":[1e3]},\"more\":{}}",
                INTERRUPTION_SPOT_INTERRUPTED, 1);
    expect_kind("{\"version\":\"0\",\"Version\":null,\"source\":\"aws.ec2\",\"detail-type\":\"" SPOT
                "\",\"detail\":{\"instance-id\":\"i-1\"}}",
                INTERRUPTION_SPOT_INTERRUPTED, 1);
}

static void unparsable_bodies_AWI_510_952(void **state)
{
    (void)state;
    for (int upstream = 0; upstream < 2; upstream++) {
        expect_fault(NULL, upstream != 0, INTERRUPTION_MISSING_FIELD);
        expect_fault("spot!", upstream != 0, INTERRUPTION_NOT_JSON);
        expect_fault("[1]", upstream != 0, INTERRUPTION_NOT_JSON);
        expect_fault("{} {}", upstream != 0, INTERRUPTION_NOT_JSON);
        expect_fault("{\"version\":0}", upstream != 0, INTERRUPTION_WRONG_TYPE);
        expect_fault("{\"time\":\"yesterday\"}", upstream != 0, INTERRUPTION_WRONG_TYPE);
        expect_fault("{\"resources\":\"i-1\"}", upstream != 0, INTERRUPTION_WRONG_TYPE);
        expect_fault("{\"resources\":[7]}", upstream != 0, INTERRUPTION_WRONG_TYPE);
        expect_fault(EC2(SPOT, "[]"), upstream != 0, INTERRUPTION_WRONG_TYPE);
        expect_fault(EC2(SPOT, "{\"instance-id\":7}"), upstream != 0, INTERRUPTION_WRONG_TYPE);
        expect_fault(EC2(STATE, "{\"instance-id\":\"i-1\",\"state\":{}}"), upstream != 0,
                     INTERRUPTION_WRONG_TYPE);
    }
    expect_fault("{\"source\":\"aws.ec2\"}", false, INTERRUPTION_MISSING_FIELD);
    expect_fault("{\"source\":\"aws.ec2\"}", true, INTERRUPTION_PARSED);
    expect_fault(EC2(SPOT, "{}"), false, INTERRUPTION_MISSING_FIELD);
}

static void a_body_that_is_too_large_AWI_952(void **state)
{
    (void)state;
    struct text body = {0};
    text_add(&body, "{}");
    while (body.length <= INTERRUPTION_BODY_MAX)
        text_add_char(&body, ' ');
    expect_fault(body.data, false, INTERRUPTION_TOO_LARGE);
    text_free(&body);
}

static void kinds_AWI_551_570(void **state)
{
    (void)state;
    const struct interruption_row *spot = interruption_row(INTERRUPTION_SPOT_INTERRUPTED);
    assert_string_equal(event_name(spot->reason), "SpotInterrupted");
    assert_string_equal(spot->message, "Spot interruption warning was triggered");
    assert_int_equal(spot->action, INTERRUPTION_DRAIN);
    assert_true(spot->has_deadline);
    assert_int_equal(interruption_row(INTERRUPTION_REBALANCE_RECOMMENDATION)->action,
                     INTERRUPTION_NOTHING);
    assert_int_equal(interruption_row(INTERRUPTION_SYSTEM_STATUS)->action, INTERRUPTION_FORCE);
    assert_string_equal(interruption_row(INTERRUPTION_EVENT_STATUS)->name, "event_status");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_AWI_512_to_516),
        cmocka_unit_test(states_AWI_514),
        cmocka_unit_test(health_events_AWI_515),
        cmocka_unit_test(keys_of_any_case_AWI_510),
        cmocka_unit_test(unparsable_bodies_AWI_510_952),
        cmocka_unit_test(a_body_that_is_too_large_AWI_952),
        cmocka_unit_test(kinds_AWI_551_570),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
