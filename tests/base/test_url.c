// The server address in messages.
#include "support/cmocka_all.h"

#include "base/memory.h"
#include "base/url.h"

static void secrets_are_left_out(void **state)
{
    (void)state;
    static const struct {
        const char *url, *shown;
    } cases[] = {
        {"https://host:6443", "https://host:6443"},
        {"https://host:6443/", "https://host:6443"},
        {"http://[::1]:1/secret", "http://[::1]:1/..."},
        {"https://user:password@host", "https://host"},
        {"https://user:pass/word@host/prefix", "https://host/..."},
        {"https://user:p@ss?w#ord@host?token=x", "https://host/..."},
        {"user:password@host", "host"},
        {"user:password@x://host", "x:/..."},
        {"host#fragment", "host/..."},
        {"", ""},
    };
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        struct text shown = {0};
        url_show(&shown, cases[i].url);
        assert_string_equal(shown.data != NULL ? shown.data : "", cases[i].shown);
        text_free(&shown);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(secrets_are_left_out)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
