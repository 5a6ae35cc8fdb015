#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/random.h"

static void hash_fnv_vectors_API_200(void **state)
{
    (void)state;
    assert_true(hash_fnv1("", 0) == UINT64_C(0xcbf29ce484222325));
    assert_true(hash_fnv1("a", 1) == UINT64_C(0xaf63bd4c8601b7be));
    assert_true(hash_fnv1("foobar", 6) == UINT64_C(0x340d8765a4dda9c2));
    assert_true(hash_fnv1a("", 0) == UINT64_C(0xcbf29ce484222325));
    assert_true(hash_fnv1a("a", 1) == UINT64_C(0xaf63dc4c8601ec8c));
    assert_true(hash_fnv1a("foobar", 6) == UINT64_C(0x85944171f73967e8));
}

static void hash_of_strings_spreads(void **state)
{
    (void)state;
    uint32_t buckets[256] = {0};
    char text[32];
    for (int i = 0; i < 25600; i++) {
        snprintf(text, sizeof text, "node-%d", i);
        buckets[hash_string(text) & 255]++;
        assert_true(hash_string(text) == hash_bytes(text, strlen(text)));
    }
    for (int i = 0; i < 256; i++)
        assert_in_range(buckets[i], 50, 160);
    assert_true(hash_bytes("\0", 1) != hash_bytes("\0\0", 2));
    assert_true(hash_bytes("", 0) != hash_bytes("\0", 1));
    assert_true(hash_mix(1, 2) != hash_mix(2, 1));
}

static void hash_sha256_vectors(void **state)
{
    (void)state;
    char hex[65];
    hash_sha256_hex("abc", 3, hex);
    assert_string_equal(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    hash_sha256_hex(NULL, 0, hex);
    assert_string_equal(hex, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

static void assert_uuid_shape(const char *uuid, char version)
{
    assert_int_equal(strlen(uuid), 36);
    assert_int_equal(strspn(uuid, "0123456789abcdef-"), 36);
    for (int i = 0; i < 36; i++)
        assert_int_equal(uuid[i] == '-', i == 8 || i == 13 || i == 18 || i == 23);
    assert_int_equal(uuid[14], version);
    assert_non_null(strchr("89ab", uuid[19]));
}

static void hash_uuids_are_derived_FMT_4(void **state)
{
    (void)state;
    char a[37], b[37];
    hash_uuid("Pod/default/a", a);
    hash_uuid("Pod/default/a", b);
    assert_string_equal(a, b);
    assert_uuid_shape(a, '8');
    hash_uuid("Pod/default/b", b);
    assert_string_not_equal(a, b);
}

static void random_sequence_is_fixed_by_the_seed(void **state)
{
    (void)state;
    struct random random = {{1, 2, 3, 4}};
    assert_true(random_next(&random) == 11520);
    assert_true(random_next(&random) == 0);
    assert_true(random_next(&random) == 1509978240);
    assert_true(random_next(&random) == 1215971899390074240);
    random_seed(&random, 0);
    assert_true(random.state[0] == UINT64_C(0xe220a8397b1dcdaf));
    assert_true(random.state[1] == UINT64_C(0x6e789e6aa1b965f4));
    struct random other;
    random_seed(&other, 1);
    assert_true(random_next(&random) != random_next(&other));
}

static void random_ranges(void **state)
{
    (void)state;
    struct random random;
    random_seed(&random, 7);
    uint32_t seen[10] = {0};
    for (int i = 0; i < 10000; i++) {
        uint64_t number = random_below(&random, 10);
        assert_true(number < 10);
        seen[number]++;
        double unit = random_unit(&random);
        assert_true(unit >= 0 && unit < 1);
        assert_true(random_below(&random, 1) == 0);
        assert_true(random_chance(&random, 1));
        assert_false(random_chance(&random, 0));
    }
    for (int i = 0; i < 10; i++)
        assert_in_range(seen[i], 800, 1200);
    assert_true(random_below(&random, UINT64_MAX) < UINT64_MAX);
}

static void random_names_and_uuids(void **state)
{
    (void)state;
    struct random random;
    random_seed(&random, 9);
    for (int i = 0; i < 1000; i++) {
        char suffix[6], uuid[37];
        random_name_suffix(&random, suffix);
        assert_int_equal(strlen(suffix), 5);
        assert_int_equal(strspn(suffix, "bcdfghjklmnpqrstvwxz2456789"), 5);
        random_uuid(&random, uuid);
        assert_uuid_shape(uuid, '4');
    }
    assert_true(random_entropy() != random_entropy());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hash_fnv_vectors_API_200),
        cmocka_unit_test(hash_of_strings_spreads),
        cmocka_unit_test(hash_sha256_vectors),
        cmocka_unit_test(hash_uuids_are_derived_FMT_4),
        cmocka_unit_test(random_sequence_is_fixed_by_the_seed),
        cmocka_unit_test(random_ranges),
        cmocka_unit_test(random_names_and_uuids),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
