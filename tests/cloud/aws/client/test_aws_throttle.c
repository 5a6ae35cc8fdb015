// The token buckets of calls (AWI-936), on virtual time.
#include "cloud/aws/client/aws_throttle.h"

#include "base/duration.h"
#include "base/loop_virtual.h"
#include "base/nanoseconds.h"
#include "support/cmocka_all.h"

#define BURST     13
#define STEPS_MAX 1000

static void note(void *context)
{
    (void)context;
}

// Steps of the loop until a call goes that comes `after` a bucket was cut.
static int steps_of_a_call(int64_t after)
{
    struct loop *loop = loop_create_virtual(0);
    struct aws_throttle *throttle = aws_throttle_create(loop);
    for (int i = 0; i < BURST; i++) { // gives the bucket its rate
        struct aws_turn turn = {.action = EC2_CREATE_FLEET, .ready = note};
        assert_true(aws_throttle_enter(throttle, &turn));
    }
    aws_throttle_refused(throttle, EC2_CREATE_FLEET);
    loop_run_for(loop, after);
    struct aws_turn turn = {.action = EC2_CREATE_FLEET, .ready = note};
    int steps = 0;
    if (!aws_throttle_enter(throttle, &turn)) {
        for (; steps < STEPS_MAX && turn.is_waiting; steps++)
            assert_true(loop_step(loop));
    }
    aws_throttle_leave(throttle, &turn);
    aws_throttle_destroy(throttle);
    loop_destroy(loop);
    return steps;
}

// 13 calls of one moment are cut to 9.1 a second, so there is a token after 108.7 ms. A call that
// comes just before lacks a part of a token so small that its wait rounds to nothing.
static void a_wait_always_ends_AWI_936(void **state)
{
    (void)state;
    const int64_t first = ns_multiply(108600, MICROSECOND), last = ns_multiply(108800, MICROSECOND);
    for (int64_t after = first; after < last; after = ns_add(after, 97))
        assert_in_range(steps_of_a_call(after), 0, 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_wait_always_ends_AWI_936)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
