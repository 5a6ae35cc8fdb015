// The client knows every action that the rules list.
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cloud/aws/client/aws_actions.h"
#include "support/cmocka_all.h"

static char *read_rules(void)
{
    FILE *file = fopen(RULES, "r");
    assert_non_null(file);
    static char text[200000];
    size_t length = fread(text, 1, sizeof text - 1, file);
    text[length] = '\0';
    fclose(file);
    char *begin = strstr(text, "\nAWN-570 "), *end = strstr(text, "\nAWN-572 ");
    assert_non_null(begin);
    assert_non_null(end);
    *end = '\0';
    return begin;
}

static bool is_of_service(char c)
{
    return islower((unsigned char)c) || isdigit((unsigned char)c) || c == '-';
}

static void every_action_of_the_rules_is_known_AWN_570_571(void **state)
{
    (void)state;
    uint32_t found = 0;
    for (const char *colon = read_rules(); (colon = strchr(colon, ':')) != NULL; colon++) {
        size_t before = 0, after = 0;
        while (is_of_service(colon[-1 - (long)before]))
            before++;
        while (isalpha((unsigned char)colon[1 + after]))
            after++;
        if (before < 3 || !isupper((unsigned char)colon[1]))
            continue;
        char permission[100];
        snprintf(permission, sizeof permission, "%.*s", (int)(before + 1 + after), colon - before);
        bool known = false;
        for (int action = 0; action < AWS_ACTION_COUNT; action++)
            known =
                known || strcmp(aws_action_permission((enum aws_action)action), permission) == 0;
        if (!known)
            fail_msg("%s", permission);
        found++;
    }
    assert_true(found >= 32);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_action_of_the_rules_is_known_AWN_570_571)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
