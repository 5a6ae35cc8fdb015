// A recorded answer to DescribeInstanceTypes, 5.8 MB of XML, in time.
#include "support/cmocka_all.h"

#include <time.h>
#include <zlib.h>

#include "base/text.h"
#include "cloud/aws/client/aws_codec.h"

static void all_types_are_read(void **state)
{
    (void)state;
    static char piece[65536];
    struct text text = {0};
    gzFile file = gzopen(ACCOUNT "/instance-types.xml.gz", "rb");
    assert_non_null(file);
    for (int got; (got = gzread(file, piece, sizeof piece)) > 0;)
        text_add_bytes(&text, piece, (size_t)got);
    gzclose(file);
    char id[AWS_ID_BYTES];
    struct error error = {0};
    clock_t began = clock();
    json_t *reply =
        aws_codec_decode_reply(EC2_DESCRIBE_INSTANCE_TYPES, text.data, text.length, id, &error);
    double seconds = (double)(clock() - began) / CLOCKS_PER_SEC;
    if (reply == NULL)
        fail_msg("%s", error.message);
    print_message("%zu bytes in %.0f ms\n", text.length, seconds * 1000);
    assert_true(seconds < 10); // also with sanitizers, on a busy machine
    json_t *types = json_object_get(reply, "InstanceTypes"), *type;
    size_t index;
    assert_true(json_array_size(types) > 1300);
    json_array_foreach (types, index, type) {
        const json_t *processor = json_object_get(type, "VCpuInfo");
        const json_t *network = json_object_get(type, "NetworkInfo");
        assert_non_null(json_object_get(type, "InstanceType"));
        assert_true(json_integer_value(json_object_get(processor, "DefaultVCpus")) > 0);
        assert_true(json_array_size(json_object_get(network, "NetworkCards")) > 0);
    }
    json_decref(reply);
    text_free(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_types_are_read)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
