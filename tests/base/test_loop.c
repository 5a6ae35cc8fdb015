#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/duration.h"
#include "base/loop.h"
#include "base/loop_real.h"
#include "base/loop_virtual.h"
#include "base/random.h"
#include "base/text.h"

#define START (INT64_C(1767225600) * SECOND)

struct note { // writes its letter (and the second) when it runs
    struct loop *loop;
    struct text *journal;
    char letter;
    struct timer *timer;
    struct note *other;
};

static void write_note(void *context)
{
    struct note *note = context;
    text_format(note->journal, "%c%lld ", note->letter,
                (long long)(loop_monotonic_ns(note->loop) / SECOND));
}

static void virtual_timers_run_in_order_of_time_then_start(void **state)
{
    (void)state;
    struct text journal = {0};
    struct loop *loop = loop_create_virtual(START);
    assert_true(loop_is_virtual(loop));
    assert_null(loop_event_base(loop));
    struct note notes[5];
    for (int i = 0; i < 5; i++) {
        notes[i] = (struct note){loop, &journal, (char)('a' + i)};
        notes[i].timer = timer_create_on(loop, write_note, &notes[i]);
        assert_false(timer_is_running(notes[i].timer));
    }
    timer_start(notes[0].timer, 3 * SECOND);
    timer_start(notes[1].timer, 1 * SECOND);
    timer_start(notes[2].timer, 3 * SECOND);
    timer_start(notes[3].timer, -5 * SECOND);
    timer_start(notes[4].timer, 2 * SECOND);
    timer_start(notes[0].timer, 3 * SECOND); // moved behind the other of the same time
    timer_stop(notes[4].timer);
    timer_stop(notes[4].timer);
    loop_post(loop, write_note, &(struct note){loop, &journal, 'p'});
    loop_run(loop);
    assert_string_equal(journal.data, "d0 p0 b1 c3 a3 ");
    assert_true(loop_now_ns(loop) == START + 3 * SECOND);
    assert_false(timer_is_running(notes[0].timer));
    assert_false(loop_step(loop));
    for (int i = 0; i < 5; i++)
        timer_destroy(notes[i].timer);
    timer_destroy(NULL);
    loop_destroy(loop);
    loop_destroy(NULL);
    text_free(&journal);
}

static void destroy_both(void *context)
{
    struct note *note = context;
    write_note(note);
    timer_destroy(note->timer);
    timer_destroy(note->other->timer);
}

static void restart(void *context)
{
    struct note *note = context;
    write_note(note);
    if (loop_monotonic_ns(note->loop) < 3 * SECOND)
        timer_start(note->timer, SECOND);
    else
        loop_stop(note->loop);
}

static void virtual_callbacks_may_destroy_and_restart_timers(void **state)
{
    (void)state;
    struct text journal = {0};
    struct loop *loop = loop_create_virtual(START);
    struct note a = {loop, &journal, 'a'}, b = {loop, &journal, 'b'}, c = {loop, &journal, 'c'};
    a.other = &b;
    a.timer = timer_create_on(loop, destroy_both, &a);
    b.timer = timer_create_on(loop, write_note, &b);
    c.timer = timer_create_on(loop, restart, &c);
    timer_start(a.timer, SECOND);
    timer_start(b.timer, SECOND);
    timer_start(c.timer, SECOND);
    loop_run(loop);
    assert_string_equal(journal.data, "a1 c1 c2 c3 ");
    timer_destroy(c.timer);
    loop_destroy(loop);
    text_free(&journal);
}

static void virtual_run_for_ends_at_its_time(void **state)
{
    (void)state;
    struct text journal = {0};
    struct loop *loop = loop_create_virtual(START);
    struct note a = {loop, &journal, 'a'}, b = {loop, &journal, 'b'};
    a.timer = timer_create_on(loop, write_note, &a);
    b.timer = timer_create_on(loop, write_note, &b);
    timer_start(a.timer, 10 * SECOND);
    timer_start(b.timer, 10 * SECOND + 1);
    loop_run_for(loop, 10 * SECOND);
    assert_string_equal(journal.data, "a10 ");
    assert_true(timer_is_running(b.timer));
    assert_true(loop_monotonic_ns(loop) == 10 * SECOND);
    loop_run_for(loop, 0);
    assert_int_equal(journal.length, 4);
    loop_run_for(loop, 5 * SECOND);
    assert_string_equal(journal.data, "a10 b10 ");
    assert_true(loop_monotonic_ns(loop) == 15 * SECOND);
    loop_skew_wall_clock(loop, -HOUR);
    assert_true(loop_now_ns(loop) == START + 15 * SECOND - HOUR);
    assert_true(loop_monotonic_ns(loop) == 15 * SECOND);
    timer_start(a.timer, INT64_MAX); // saturates
    assert_true(loop_step(loop));
    assert_true(loop_monotonic_ns(loop) == INT64_MAX);
    timer_destroy(a.timer);
    timer_destroy(b.timer);
    loop_destroy(loop);
    text_free(&journal);
}

static void virtual_offload_works_at_once_and_is_done_later(void **state)
{
    (void)state;
    struct text journal = {0};
    struct loop *loop = loop_create_virtual(START);
    struct note a = {loop, &journal, 'a'};
    loop_offload(loop, write_note, write_note, &a);
    assert_string_equal(journal.data, "a0 ");
    loop_on_signal(loop, SIGTERM, write_note, &a);
    loop_run(loop);
    assert_string_equal(journal.data, "a0 a0 ");
    loop_post(loop, write_note, &a); // never delivered, yet nothing leaks
    loop_offload(loop, write_note, write_note, &a);
    loop_destroy(loop); // what follows offloaded work comes even now
    assert_string_equal(journal.data, "a0 a0 a0 a0 ");
    text_free(&journal);
}

#define TIMERS 200
struct churn {
    struct loop *loop;
    struct random random;
    struct timer *timers[TIMERS];
    int64_t due_ns[TIMERS]; // -1: not running
    int64_t last_ns;
    int fired;
};
struct churn_timer {
    struct churn *churn;
    int index;
};

static void churn_fired(void *context)
{
    struct churn_timer *self = context;
    struct churn *churn = self->churn;
    int64_t now_ns = loop_monotonic_ns(churn->loop);
    assert_true(churn->due_ns[self->index] == now_ns);
    assert_true(now_ns >= churn->last_ns);
    churn->last_ns = now_ns;
    churn->due_ns[self->index] = -1;
    churn->fired++;
    for (int i = 0; i < 3 && churn->fired < 20000; i++) {
        int index = (int)random_below(&churn->random, TIMERS);
        if (random_chance(&churn->random, 0.3)) {
            timer_stop(churn->timers[index]);
            churn->due_ns[index] = -1;
        } else {
            int64_t delay_ns = (int64_t)random_below(&churn->random, 50);
            timer_start(churn->timers[index], delay_ns);
            churn->due_ns[index] = now_ns + delay_ns;
        }
        assert_int_equal(timer_is_running(churn->timers[index]), churn->due_ns[index] >= 0);
    }
}

static void virtual_heap_stays_in_order_under_churn(void **state)
{
    (void)state;
    struct churn churn = {.loop = loop_create_virtual(0)};
    static struct churn_timer timers[TIMERS];
    random_seed(&churn.random, 5);
    for (int i = 0; i < TIMERS; i++) {
        timers[i] = (struct churn_timer){&churn, i};
        churn.timers[i] = timer_create_on(churn.loop, churn_fired, &timers[i]);
        churn.due_ns[i] = i;
        timer_start(churn.timers[i], i);
    }
    loop_run(churn.loop);
    assert_true(churn.fired >= 20000);
    for (int i = 0; i < TIMERS; i++) {
        assert_true(churn.due_ns[i] == -1);
        timer_destroy(churn.timers[i]);
    }
    loop_destroy(churn.loop);
}

// Real loops. Nothing here measures how long something took; only order and "not before".

static void stop(void *context)
{
    loop_stop(context);
}

static void write_letter(void *context)
{
    struct note *note = context;
    text_add_char(note->journal, note->letter);
}

static void destroy_both_and_stop(void *context)
{
    struct note *note = context;
    write_letter(note);
    timer_destroy(note->timer);
    timer_destroy(note->other->timer);
    loop_post(note->loop, stop, note->loop);
}

static void real_timers_run_and_may_destroy_themselves(void **state)
{
    (void)state;
    struct text journal = {0};
    struct loop *loop = loop_create();
    assert_false(loop_is_virtual(loop));
    assert_non_null(loop_event_base(loop));
    struct note a = {loop, &journal, 'a'}, b = {loop, &journal, 'b'}, c = {loop, &journal, 'c'};
    c.other = &b;
    a.timer = timer_create_on(loop, write_letter, &a);
    b.timer = timer_create_on(loop, write_letter, &b);
    c.timer = timer_create_on(loop, destroy_both_and_stop, &c);
    timer_start(a.timer, 5 * MILLISECOND);
    timer_start(b.timer, INT64_MAX);
    timer_start(c.timer, 20 * MILLISECOND);
    assert_true(timer_is_running(b.timer));
    int64_t before_ns = loop_monotonic_ns(loop);
    loop_run(loop);
    assert_true(loop_monotonic_ns(loop) - before_ns >= 20 * MILLISECOND);
    assert_string_equal(journal.data, "ac");
    assert_false(timer_is_running(a.timer));
    timer_start(a.timer, 0);
    timer_stop(a.timer);
    before_ns = loop_monotonic_ns(loop);
    loop_run_for(loop, 10 * MILLISECOND);
    assert_true(loop_monotonic_ns(loop) - before_ns >= 10 * MILLISECOND);
    assert_string_equal(journal.data, "ac");
    assert_true(loop_now_ns(loop) > START);
    timer_destroy(a.timer);
    loop_destroy(loop);
    text_free(&journal);
}

struct counters {
    struct loop *loop;
    pthread_t loop_thread;
    int delivered, wanted;
    atomic_int worked;
    bool on_loop_thread;
};

static void count(void *context)
{
    struct counters *counters = context;
    counters->on_loop_thread &= pthread_equal(pthread_self(), counters->loop_thread) != 0;
    if (++counters->delivered == counters->wanted)
        loop_stop(counters->loop);
}

static void *post_many(void *context)
{
    struct counters *counters = context;
    for (int i = 0; i < 1000; i++)
        loop_post(counters->loop, count, counters);
    return NULL;
}

static void real_posts_from_threads_all_arrive(void **state)
{
    (void)state;
    struct counters counters = {loop_create(), pthread_self(), 0, 3000, 0, true};
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, post_many, &counters), 0);
    loop_run(counters.loop);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(counters.delivered, 3000);
    assert_true(counters.on_loop_thread);
    loop_destroy(counters.loop);
}

static void post_again(void *context)
{
    struct counters *counters = context;
    if (++counters->delivered == counters->wanted)
        loop_stop(counters->loop);
    loop_post(counters->loop, post_again, counters);
}

static void real_posts_left_by_a_stop_come_in_the_next_run(void **state)
{
    (void)state;
    struct counters counters = {loop_create(), pthread_self(), 0, 5, 0, true};
    struct counters later = {counters.loop, pthread_self(), 0, 1, 0, true};
    loop_post(counters.loop, post_again, &counters);
    loop_post(counters.loop, stop, counters.loop);
    loop_post(counters.loop, count, &later);
    loop_run(counters.loop);
    assert_int_equal(later.delivered, 0);
    loop_run(counters.loop);
    assert_int_equal(later.delivered, 1);
    loop_run(counters.loop);
    assert_int_equal(counters.delivered, 5);
    loop_destroy(counters.loop); // one post remains
}

static void work(void *context)
{
    struct counters *counters = context;
    counters->worked += pthread_equal(pthread_self(), counters->loop_thread) == 0;
}

static void count_call(void *context)
{
    (*(int *)context)++;
}

static void virtual_offload_takes_the_time_that_is_set(void **state)
{
    (void)state;
    struct loop *loop = loop_create_virtual(0);
    int calls = 0;
    loop_set_offload_time(loop, 5);
    loop_offload(loop, count_call, count_call, &calls);
    assert_int_equal(calls, 1); // the work
    loop_run_for(loop, 4);
    assert_int_equal(calls, 1);
    loop_run_for(loop, 1);
    assert_int_equal(calls, 2); // what follows it
    loop_destroy(loop);
}

static void real_offload_works_on_other_threads(void **state)
{
    (void)state;
    struct counters counters = {loop_create(), pthread_self(), 0, 500, 0, true};
    for (int i = 0; i < 500; i++)
        loop_offload(counters.loop, work, count, &counters);
    loop_run(counters.loop);
    assert_int_equal(counters.worked, 500);
    assert_true(counters.on_loop_thread);
    loop_destroy(counters.loop);
}

static void work_slowly(void *context)
{
    usleep(2000);
    work(context);
}

static void real_destroy_waits_for_begun_work_and_ends_every_job(void **state)
{
    (void)state;
    struct counters counters = {loop_create(), pthread_self(), 0, 1000, 0, true};
    for (int i = 0; i < 100; i++)
        loop_offload(counters.loop, work_slowly, count, &counters);
    loop_post(counters.loop, count, &counters); // this one is dropped
    loop_destroy(counters.loop);
    assert_int_equal(counters.delivered, 100);
    assert_true(counters.on_loop_thread);
    assert_true(counters.worked < 100);
}

static void work_until_told(void *context)
{
    while (!atomic_load((atomic_bool *)context))
        usleep(1000);
}

static void ignore(void *context)
{
    (void)context;
}

// LIF-474: the controller stops whatever a plan does.
static void real_settle_gives_up_on_work_that_does_not_end(void **state)
{
    (void)state;
    struct loop *loop = loop_create();
    atomic_bool told = false;
    assert_true(loop_settle(loop, 0)); // nothing has started
    loop_destroy(loop);
    loop = loop_create();
    loop_offload(loop, work_until_told, ignore, &told);
    loop_run_for(loop, 20 * MILLISECOND);
    int64_t before_ns = loop_monotonic_ns(loop);
    assert_false(loop_settle(loop, 10 * MILLISECOND));
    assert_true(loop_monotonic_ns(loop) - before_ns < 10 * SECOND);
    atomic_store(&told, true);
    assert_true(loop_settle(loop, MINUTE));
    loop_destroy(loop);
    loop = loop_create_virtual(START);
    assert_true(loop_settle(loop, 0));
    loop_destroy(loop);
}

static void raise_signal(void *context)
{
    (void)context;
    kill(getpid(), SIGUSR1);
}

static void real_signals_are_delivered_each_time(void **state)
{
    (void)state;
    struct counters counters = {loop_create(), pthread_self(), 0, 1, 0, true};
    loop_on_signal(counters.loop, SIGUSR1, count, &counters);
    for (int i = 1; i <= 3; i++) {
        counters.wanted = i;
        loop_post(counters.loop, raise_signal, NULL);
        loop_run(counters.loop);
        assert_int_equal(counters.delivered, i);
    }
    loop_destroy(counters.loop);
}

struct chain {
    struct loop *loop;
    uint32_t left;
};

static void offload_again(void *context)
{
    struct chain *chain = context;
    if (chain->left > 0) {
        chain->left--;
        loop_offload(chain->loop, ignore, offload_again, chain);
    }
}

// A completion may offload more work during shutdown: the next completion runs at once, and no
// worker starts.
static void real_loop_that_goes_begins_no_worker(void **state)
{
    (void)state;
    struct chain chain = {.loop = loop_create(), .left = 3};
    loop_offload(chain.loop, ignore, offload_again, &chain);
    loop_destroy(chain.loop);
    assert_int_equal(chain.left, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(virtual_timers_run_in_order_of_time_then_start),
        cmocka_unit_test(virtual_callbacks_may_destroy_and_restart_timers),
        cmocka_unit_test(virtual_run_for_ends_at_its_time),
        cmocka_unit_test(virtual_offload_works_at_once_and_is_done_later),
        cmocka_unit_test(virtual_offload_takes_the_time_that_is_set),
        cmocka_unit_test(virtual_heap_stays_in_order_under_churn),
        cmocka_unit_test(real_timers_run_and_may_destroy_themselves),
        cmocka_unit_test(real_posts_from_threads_all_arrive),
        cmocka_unit_test(real_posts_left_by_a_stop_come_in_the_next_run),
        cmocka_unit_test(real_offload_works_on_other_threads),
        cmocka_unit_test(real_loop_that_goes_begins_no_worker),
        cmocka_unit_test(real_destroy_waits_for_begun_work_and_ends_every_job),
        cmocka_unit_test(real_settle_gives_up_on_work_that_does_not_end),
        cmocka_unit_test(real_signals_are_delivered_each_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
