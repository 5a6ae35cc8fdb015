#include "support/cmocka_all.h"

#include "base/duration.h"
#include "base/log.h"
#include "base/loop_virtual.h"
#include "base/text.h"
#include "reconcile/reconcile_queue.h"

static struct loop *loop;
static struct metrics *metrics;
static struct queue_metrics queue_metrics;
static struct reconcile_queue *queue;
static struct text runs; // "key@seconds "
static struct reconcile_result answer;
static struct work_item *running;
static int errors_logged;

static int64_t now_of_test(void *context)
{
    (void)context;
    return loop_monotonic_ns(loop);
}

static struct reconcile_result reconcile(void *context, struct work_item *item, struct error *error)
{
    (void)context;
    text_format(&runs, "%s@%.3f ", work_item_key(item), (double)loop_monotonic_ns(loop) / SECOND);
    if (answer.status == RECONCILE_ERROR)
        error_set(error, ERROR_UNAVAILABLE, "no luck");
    if (answer.status == RECONCILE_RUNNING)
        running = item;
    return answer;
}

static void count_error(void *context, const char *line)
{
    (void)context;
    errors_logged += strstr(line, "Reconciler error") != NULL;
}

static void make(struct reconcile_queue_options options)
{
    options.name = "test";
    options.kind = "Thing";
    options.reconcile = reconcile;
    queue = reconcile_queue_create(loop, &queue_metrics, &options);
    reconcile_queue_start(queue);
}

static int setup(void **state)
{
    (void)state;
    loop = loop_create_virtual(0);
    metrics = metrics_create(now_of_test, NULL);
    queue_metrics_register(&queue_metrics, metrics);
    answer = reconcile_done();
    running = NULL;
    errors_logged = 0;
    struct error error;
    return log_configure(&(struct log_options){.level = LOG_DEBUG, .sink = count_error}, &error)
               ? 0
               : -1;
}

static int teardown(void **state)
{
    (void)state;
    reconcile_queue_destroy(queue);
    queue = NULL;
    metrics_destroy(metrics);
    loop_destroy(loop);
    text_free(&runs);
    return 0;
}

static void keys_coalesce_and_come_in_order_LIF_341(void **state)
{
    (void)state;
    make((struct reconcile_queue_options){0});
    reconcile_queue_add(queue, "b");
    reconcile_queue_add(queue, "a");
    reconcile_queue_add(queue, "b");
    assert_null(runs.data); // never inside add
    loop_run_for(loop, SECOND);
    assert_string_equal(runs.data, "b@0.000 a@0.000 ");
    assert_false(reconcile_queue_has(queue, "a"));
}

static void one_item_is_worked_on_once_at_a_time_LIF_341(void **state)
{
    (void)state;
    make((struct reconcile_queue_options){.concurrency = 10});
    answer = reconcile_running();
    reconcile_queue_add(queue, "a");
    loop_run_for(loop, SECOND);
    reconcile_queue_add(queue, "a"); // while in work
    reconcile_queue_add(queue, "a");
    loop_run_for(loop, SECOND);
    assert_string_equal(runs.data, "a@0.000 ");
    assert_int_equal(reconcile_queue_in_work(queue), 1);
    answer = reconcile_done();
    reconcile_queue_finish(running, reconcile_done(), NULL);
    loop_run_for(loop, SECOND);
    assert_string_equal(runs.data, "a@0.000 a@2.000 ");
}

static void concurrency_is_limited_LIF_341(void **state)
{
    (void)state;
    make((struct reconcile_queue_options){.concurrency = 1});
    answer = reconcile_running();
    reconcile_queue_add(queue, "a");
    reconcile_queue_add(queue, "b");
    loop_run_for(loop, SECOND);
    assert_string_equal(runs.data, "a@0.000 ");
    answer = reconcile_done();
    reconcile_queue_finish(running, reconcile_done(), NULL);
    loop_run_for(loop, SECOND);
    assert_string_equal(runs.data, "a@0.000 b@1.000 a@1.000 ");
}

static void failures_back_off_to_the_cap_LIF_341_LIF_472(void **state)
{
    (void)state;
    make((struct reconcile_queue_options){.backoff_base_ns = SECOND, .backoff_max_ns = 4 * SECOND});
    answer = (struct reconcile_result){RECONCILE_ERROR, 0};
    reconcile_queue_add(queue, "a");
    loop_run_for(loop, 12 * SECOND);
    assert_string_equal(runs.data, "a@0.000 a@1.000 a@3.000 a@7.000 a@11.000 ");
    assert_int_equal(errors_logged, 5);
    assert_int_equal(reconcile_queue_failures(queue, "a"), 5);
    answer = reconcile_done();
    loop_run_for(loop, 10 * SECOND);
    assert_int_equal(reconcile_queue_failures(queue, "a"), 0); // success forgets
}

static void conflicts_are_silent_LIF_4(void **state)
{
    (void)state;
    make((struct reconcile_queue_options){0});
    answer = reconcile_running();
    reconcile_queue_add(queue, "a");
    loop_run_for(loop, SECOND);
    answer = reconcile_done();
    reconcile_queue_finish(running, (struct reconcile_result){RECONCILE_CONFLICT, 0}, NULL);
    loop_run_for(loop, SECOND);
    assert_string_equal(runs.data, "a@0.000 a@1.005 ");
    assert_int_equal(errors_logged, 0);
}

// A hundred nodes with a conflict each are not limited to the rate of failures.
static void conflicts_take_nothing_from_the_retry_rate_LIF_4(void **state)
{
    (void)state;
    make((struct reconcile_queue_options){.backoff_base_ns = SECOND,
                                          .backoff_max_ns = MINUTE,
                                          .concurrency = 10,
                                          .rate = 0.1,
                                          .burst = 1});
    answer = (struct reconcile_result){RECONCILE_CONFLICT, 0};
    reconcile_queue_add(queue, "a");
    reconcile_queue_add(queue, "b");
    loop_run_for(loop, 250 * MILLISECOND);
    assert_string_equal(runs.data, "a@0.000 b@0.000 a@0.050 b@0.050 a@0.150 b@0.150 ");
    assert_int_equal(errors_logged, 0);
}

// Neither earlier failures nor old conflicts extend the pause after a conflict.
static void only_conflicts_in_a_row_count_LIF_4(void **state)
{
    (void)state;
    make((struct reconcile_queue_options){.backoff_base_ns = SECOND, .backoff_max_ns = MINUTE});
    answer = (struct reconcile_result){RECONCILE_ERROR, 0};
    reconcile_queue_add(queue, "a");
    loop_run_for(loop, 1500 * MILLISECOND);
    answer = (struct reconcile_result){RECONCILE_CONFLICT, 0};
    loop_run_for(loop, 1600 * MILLISECOND);
    assert_string_equal(runs.data, "a@0.000 a@1.000 a@3.000 a@3.050 ");
}

static void earliest_requeue_counts(void **state)
{
    (void)state;
    make((struct reconcile_queue_options){0});
    reconcile_queue_add_after(queue, "a", 5 * SECOND);
    reconcile_queue_add_after(queue, "a", 2 * SECOND);
    reconcile_queue_add_after(queue, "a", 9 * SECOND);
    loop_run_for(loop, 20 * SECOND);
    assert_string_equal(runs.data, "a@2.000 ");
}

static void requeue_after_comes_back(void **state)
{
    (void)state;
    make((struct reconcile_queue_options){0});
    answer = reconcile_after(3 * SECOND);
    reconcile_queue_add(queue, "a");
    loop_run_for(loop, 7 * SECOND);
    assert_string_equal(runs.data, "a@0.000 a@3.000 a@6.000 ");
    reconcile_queue_forget(queue, "a");
    loop_run_for(loop, 7 * SECOND);
    assert_string_equal(runs.data, "a@0.000 a@3.000 a@6.000 ");
}

static void overall_rate_slows_retries_LIF_340(void **state)
{
    (void)state;
    make((struct reconcile_queue_options){.backoff_base_ns = MILLISECOND,
                                          .backoff_max_ns = SECOND,
                                          .concurrency = 10,
                                          .rate = 1,
                                          .burst = 1});
    answer = (struct reconcile_result){RECONCILE_BACKOFF, 0};
    reconcile_queue_add(queue, "a");
    reconcile_queue_add(queue, "b");
    loop_run_for(loop, 1500 * MILLISECOND);
    assert_string_equal(runs.data, "a@0.000 b@0.000 a@0.001 b@1.000 ");
}

static void stopped_queue_starts_nothing_LIF_474(void **state)
{
    (void)state;
    make((struct reconcile_queue_options){0});
    reconcile_queue_add(queue, "a");
    reconcile_queue_stop(queue);
    loop_run_for(loop, SECOND);
    assert_null(runs.data);
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(keys_coalesce_and_come_in_order_LIF_341),
        TEST(one_item_is_worked_on_once_at_a_time_LIF_341),
        TEST(concurrency_is_limited_LIF_341),
        TEST(failures_back_off_to_the_cap_LIF_341_LIF_472),
        TEST(conflicts_are_silent_LIF_4),
        TEST(conflicts_take_nothing_from_the_retry_rate_LIF_4),
        TEST(only_conflicts_in_a_row_count_LIF_4),
        TEST(earliest_requeue_counts),
        TEST(requeue_after_comes_back),
        TEST(overall_rate_slows_retries_LIF_340),
        TEST(stopped_queue_starts_nothing_LIF_474),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
