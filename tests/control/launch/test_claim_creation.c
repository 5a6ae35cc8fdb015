// Reading the answer of a call that creates a NodeClaim.
#include "support/cmocka_all.h"

#include "control/launch/claim_creation.h"

static enum claim_answer read_answer(enum error_kind kind, struct object *object)
{
    struct kube_result result = {.error.kind = kind, .object = object};
    return claim_answer_of(&result);
}

static void a_lost_answer_neither_loses_nor_doubles_SCH_380(void **state)
{
    static struct node_claim claim;
    (void)state;
    assert_int_equal(read_answer(ERROR_NONE, (struct object *)&claim), CLAIM_CREATED);
    assert_int_equal(read_answer(ERROR_NONE, NULL), CLAIM_EXISTS);
    assert_int_equal(read_answer(ERROR_ALREADY_EXISTS, NULL), CLAIM_EXISTS);
    assert_int_equal(read_answer(ERROR_UNAVAILABLE, NULL), CLAIM_UNANSWERED);
    assert_int_equal(read_answer(ERROR_TIMEOUT, NULL), CLAIM_UNANSWERED);
}

static void a_refused_call_left_nothing_behind(void **state)
{
    (void)state;
    assert_int_equal(read_answer(ERROR_TOO_MANY_REQUESTS, NULL), CLAIM_DEFERRED);
    assert_int_equal(read_answer(ERROR_UNAUTHORIZED, NULL), CLAIM_DEFERRED);
    assert_int_equal(read_answer(ERROR_CONFLICT, NULL), CLAIM_DEFERRED);
    assert_int_equal(read_answer(ERROR_INVALID, NULL), CLAIM_REJECTED);
    assert_int_equal(read_answer(ERROR_FORBIDDEN, NULL), CLAIM_REJECTED);
    assert_int_equal(read_answer(ERROR_INTERNAL, NULL), CLAIM_REJECTED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_lost_answer_neither_loses_nor_doubles_SCH_380),
        cmocka_unit_test(a_refused_call_left_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
