// The batching of requests (AWI-360 to 370).
#include "cloud/aws/instances/batcher.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/duration.h"
#include "base/loop_virtual.h"
#include "base/memory.h"
#include "base/metrics.h"
#include "base/text.h"
#include "base/vector.h"
#include "support/cmocka_all.h"

struct fixture {
    struct loop *loop;
    struct metrics *metrics;
    struct batcher *batcher;
    struct text ran; // "35:a3 35:b1 ": milliseconds, key, number of requests
    VECTOR(struct batch *) open;
    uint32_t dropped, runs;
};

static int64_t now_of(void *context)
{
    return loop_monotonic_ns(context);
}

static void run(void *context, struct batch *batch)
{
    struct fixture *fixture = context;
    int64_t ms = loop_monotonic_ns(fixture->loop) / MILLISECOND;
    text_format(&fixture->ran, "%lld:%s%u ", (long long)ms, batch->key, batch->count);
    fixture->runs++;
    vector_push(&fixture->open, batch);
}

static void drop(void *context, void *item)
{
    (void)item;
    ((struct fixture *)context)->dropped++;
}

static int setup(void **state)
{
    struct fixture *fixture = memory_allocate(sizeof *fixture);
    fixture->loop = loop_create_virtual(0);
    fixture->metrics = metrics_create(now_of, fixture->loop);
    fixture->batcher = batcher_create(&(struct batcher_options){.loop = fixture->loop,
                                                                .name = "create_fleet",
                                                                .idle_ns = 35 * MILLISECOND,
                                                                .max_ns = SECOND,
                                                                .items_max = 1000,
                                                                .metrics = fixture->metrics,
                                                                .run = run,
                                                                .drop = drop,
                                                                .context = fixture});
    *state = fixture;
    return 0;
}

static void finish_all(struct fixture *fixture)
{
    while (fixture->open.count > 0) {
        struct batch *batch = fixture->open.items[--fixture->open.count];
        batch_finish(batch);
    }
}

static int teardown(void **state)
{
    struct fixture *fixture = *state;
    finish_all(fixture);
    if (fixture->batcher != NULL)
        batcher_destroy(fixture->batcher);
    metrics_destroy(fixture->metrics);
    loop_destroy(fixture->loop);
    text_free(&fixture->ran);
    vector_free(&fixture->open);
    free(fixture);
    return 0;
}

static void add_at(struct fixture *fixture, int64_t ms, const char *key)
{
    static int item;
    int64_t now = loop_monotonic_ns(fixture->loop) / MILLISECOND;
    loop_run_for(fixture->loop, (ms - now) * MILLISECOND);
    batcher_add(fixture->batcher, key, &item);
}

static void the_example_of_AWI_370(void **state)
{
    struct fixture *fixture = *state;
    add_at(fixture, 0, "a");
    add_at(fixture, 10, "a");
    add_at(fixture, 20, "b");
    add_at(fixture, 30, "a");
    loop_run_for(fixture->loop, SECOND);
    assert_string_equal(fixture->ran.data, "65:a3 65:b1 ");
    struct metric *size =
        metrics_find(fixture->metrics, "karpenter_cloudprovider_batcher_batch_size");
    struct metric *time =
        metrics_find(fixture->metrics, "karpenter_cloudprovider_batcher_batch_time_seconds");
    // AWI-369, 704, 705.
    assert_int_equal((int)metric_read(size, "create_fleet"), 2);
    assert_int_equal((int)metric_read(time, "create_fleet"), 1);
}

static void a_steady_stream_is_cut_at_the_maximum_AWI_361(void **state)
{
    struct fixture *fixture = *state;
    for (int64_t ms = 0; ms < 1100; ms += 20)
        add_at(fixture, ms, "a");
    assert_string_equal(fixture->ran.data, "1000:a50 ");
}

static void the_limit_of_items_closes_the_window_AWI_361(void **state)
{
    struct fixture *fixture = *state;
    for (int i = 0; i < 1000; i++)
        add_at(fixture, 5, i % 2 == 0 ? "a" : "b");
    loop_run_for(fixture->loop, MILLISECOND);
    assert_string_equal(fixture->ran.data, "5:a500 5:b500 ");
}

static void at_most_so_many_run_at_once_AWI_360(void **state)
{
    struct fixture *fixture = *state;
    char key[20];
    for (int i = 0; i < 150; i++) {
        snprintf(key, sizeof key, "k%d", i);
        add_at(fixture, 0, key);
    }
    loop_run_for(fixture->loop, SECOND);
    assert_int_equal(fixture->runs, BATCHER_PARALLEL_MAX);
    finish_all(fixture);
    assert_int_equal(fixture->runs, 150);
}

static void what_never_ran_is_dropped_at_the_end(void **state)
{
    struct fixture *fixture = *state;
    add_at(fixture, 0, "a");
    add_at(fixture, 0, "b");
    batcher_destroy(fixture->batcher);
    fixture->batcher = NULL;
    assert_int_equal(fixture->dropped, 2);
    assert_int_equal(fixture->runs, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_example_of_AWI_370, setup, teardown),
        cmocka_unit_test_setup_teardown(a_steady_stream_is_cut_at_the_maximum_AWI_361, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(the_limit_of_items_closes_the_window_AWI_361, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(at_most_so_many_run_at_once_AWI_360, setup, teardown),
        cmocka_unit_test_setup_teardown(what_never_ran_is_dropped_at_the_end, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
