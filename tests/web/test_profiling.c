// Profiles of the process (LIF-334).
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "support/cmocka_all.h"
#include "web/profiling.h"

static volatile uint64_t spent;

static void __attribute__((noinline)) spend(clock_t clocks)
{
    clock_t begun = clock();
    while (clock() - begun < clocks)
        for (int i = 0; i < 10000; i++)
            spent += (uint64_t)i;
}

static void samples_name_who_spent_the_time_LIF_334(void **state)
{
    (void)state;
    struct error error = {0};
    struct text text = {0};
    struct profiling *profiling = profiling_create(&error);
    assert_non_null(profiling);
    assert_null(profiling_create(&error)); // one in a process
    spend(CLOCKS_PER_SEC / 2);
    profiling_write(profiling, 3600, &text);
    uintptr_t words[8];
    memcpy(words, text.data, sizeof words);
    const uintptr_t header[] = {0, 3, 0, 10000, 0, 1};
    assert_memory_equal(words, header, sizeof header);
    uint32_t samples = 0, ours = 0;
    for (const char *at = text.data + 5 * sizeof *words;; samples++) {
        memcpy(words, at, 2 * sizeof *words);
        if (words[0] == 0)
            break;
        assert_in_range(words[1], 1, 48);
        bool found = false;
        for (uintptr_t i = 0, frame; i < words[1]; i++) {
            memcpy(&frame, at + (2 + i) * sizeof frame, sizeof frame);
            found = found || (frame >= (uintptr_t)spend && frame < (uintptr_t)spend + 4096);
        }
        ours += found;
        at += (2 + words[1]) * sizeof *words;
    }
    assert_true(samples >= 5);
    assert_true(ours * 2 > samples);
    assert_non_null(memmem(text.data, text.length, "test_profiling", 14)); // the mapped addresses
    text_free(&text);
    profiling_destroy(profiling);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_name_who_spent_the_time_LIF_334),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
