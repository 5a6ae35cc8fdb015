// Addresses of interruption queues (AWI-500, 950).
#include "support/cmocka_all.h"

#include "cloud/aws/interruption/queue_address.h"

static void addresses_AWI_950(void **state)
{
    (void)state;
    static const struct {
        const char *text, *name, *account, *region, *url;
    } cases[] = {
        {"karpenter", "karpenter", "", "", ""},
        {"arn:aws:sqs:eu-west-1:111122223333:my_queue-1", "my_queue-1", "111122223333", "eu-west-1",
         ""},
        {"arn:aws-us-gov:sqs:us-gov-west-1:111122223333:q.fifo", "q.fifo", "111122223333",
         "us-gov-west-1", ""},
        {"https://sqs.us-east-2.amazonaws.com/111122223333/q", "q", "111122223333", "us-east-2",
         "https://sqs.us-east-2.amazonaws.com/111122223333/q"},
        {"https://cn-north-1.queue.amazonaws.com.cn/111122223333/q", "q", "111122223333",
         "cn-north-1", "https://cn-north-1.queue.amazonaws.com.cn/111122223333/q"},
        {"http://localhost:5000/111122223333/q", "q", "111122223333", "",
         "http://localhost:5000/111122223333/q"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct queue_address address;
        struct error error = {0};
        assert_true(queue_address_parse(cases[i].text, false, &address, &error));
        assert_string_equal(address.name, cases[i].name);
        assert_string_equal(address.account, cases[i].account);
        assert_string_equal(address.region, cases[i].region);
        assert_string_equal(address.url, cases[i].url);
    }
}

static void refused_addresses_AWI_950(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "my queue",
        "arn:aws:sns:eu-west-1:111122223333:topic",
        "arn:aws:sqs:eu-west-1:1111:q",
        "arn:aws:sqs",
        "https://sqs.us-east-2.amazonaws.com/",
        "https://user:secret@sqs.us-east-2.amazonaws.com/111122223333/q",
        "https:///q",
        "a23456789b23456789c23456789d23456789e23456789f23456789g23456789h23456789i23456789",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct queue_address address;
        struct error error = {0};
        assert_false(queue_address_parse(texts[i], false, &address, &error));
        assert_int_equal(error.kind, ERROR_INVALID);
    }
}

static void several_queues_AWI_950(void **state)
{
    (void)state;
    struct queue_address addresses[QUEUES_MAX];
    struct error error = {0};
    unsigned count = 9;
    assert_true(queue_addresses_parse("", false, addresses, &count, &error));
    assert_int_equal(count, 0);
    assert_true(queue_addresses_parse("one, arn:aws:sqs:eu-west-1:111122223333:two,", false,
                                      addresses, &count, &error));
    assert_int_equal(count, 2);
    assert_string_equal(addresses[1].name, "two");
    assert_false(queue_addresses_parse("a,b,c,d,e", false, addresses, &count, &error));
    assert_false(queue_addresses_parse("arn:aws:sqs:eu-west-1:111122223333:two", true, addresses,
                                       &count, &error)); // AWI-500: only a name
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(addresses_AWI_950),
        cmocka_unit_test(refused_addresses_AWI_950),
        cmocka_unit_test(several_queues_AWI_950),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
