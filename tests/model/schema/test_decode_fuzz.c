// A short, deterministic version of the endless tests/fuzz/decode_fuzzer.c: mutated documents go
// through the reader, the decoder and the encoder. The sanitizers judge.
#include "model/helpers.h"

#include "base/random.h"
#include "base/text.h"
#include "model/schema/decode.h"
#include "model/schema/encode.h"
#include "model/tables/kinds.h"

#define ROUNDS_PER_SEED 400

static const char *const seeds[] = {
    "apiVersion: v1\nkind: Pod\nmetadata: {name: web, labels: &l {app: web, team/x: y}}\nspec:\n"
    "  nodeSelector: *l\n  containers:\n  - name: a\n    resources: {requests: {cpu: 1.5, memory: "
    "1Gi}}\n    ports: [{hostPort: 80}]\n  tolerations: [{operator: Exists}]\n  affinity:\n"
    "    podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: z, "
    "labelSelector: {matchExpressions: [{key: k, operator: In, values: [v]}]}}]}\n",
    "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: p}\nspec:\n  limits: {cpu: 10}\n"
    "  disruption: {consolidateAfter: 5m, budgets: [{nodes: '10%', schedule: '@daily', duration: "
    "1h}]}\n  template:\n    spec:\n      expireAfter: Never\n      requirements:\n      - {key: "
    "a, "
    "operator: Gt, values: ['1'], minValues: 2}\n      <<: {taints: []}\n---\n# empty\n",
    "{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[{\"apiVersion\":\"adze/v1\",\"kind\":"
    "\"InstanceTypeCatalog\",\"spec\":{\"instanceTypes\":[{\"name\":\"t\",\"capacity\":{\"cpu\":"
    "\"2\"},\"offerings\":[{\"price\":0.1,\"available\":true,\"reservationCapacity\":1}]}]}},{"
    "\"apiVersion\":\"coordination.k8s.io/v1\",\"kind\":\"Lease\",\"spec\":{\"renewTime\":"
    "\"2026-01-01T00:00:00.000001Z\"}}]}",
    "apiVersion: karpenter.k8s.aws/v1\nkind: EC2NodeClass\nmetadata: {name: n}\nspec:\n  role: r\n"
    "  amiSelectorTerms: [{alias: al2023@latest}]\n  kubelet: {maxPods: 5, evictionHard: "
    "{memory.available: 5%}}\n  tags: {a: b}\n  blockDeviceMappings: [{deviceName: /dev/xvda, ebs: "
    "{volumeSize: 10Gi, encrypted: true}}]\n",
};

static void run_one(const char *text, size_t length, bool with_positions)
{
    struct documents documents = {0};
    struct error error = {0};
    if (!documents_read_text(&documents, text, length, "fuzz", with_positions, &error)) {
        assert_true(error.message[0] != '\0');
        documents_free(&documents);
        return;
    }
    for (uint32_t i = 0; i < documents.count; i++) {
        uint32_t line, column;
        document_position(&documents.items[i], "spec.limits[\"a/b\"][3]", &line, &column);
        if (documents.items[i].value == NULL)
            continue;
        enum decode_mode mode = i % 2 == 0 ? DECODE_LENIENT : DECODE_STRICT;
        struct object *object = document_decode(documents.items[i].value, mode, &error);
        if (object == NULL)
            continue;
        json_t *json = object_encode(object);
        assert_non_null(json);
        struct object *again = object_decode(json, object->kind, DECODE_LENIENT, &error);
        if (again == NULL)
            fail_msg("what was written does not read back: %s", error.message);
        json_t *json_again = object_encode(again);
        assert_true(json_equal(json, json_again));
        json_decref(json);
        json_decref(json_again);
        object_release(again);
        object_release(object);
    }
    documents_free(&documents);
}

static const char *const pieces[] = {
    "null",  "[]",      "{}",    "- ",   ": ",     "\n",    "&x ",
    "*x",    "<<: ",    "---\n", "\"",   "'",      "1e999", "9223372036854775808",
    "-1",    "true",    "\t",    "\xff", "!!int ", "? ",    "0x",
    "Never", "\\u0000",
};

static void mutate(struct random *random, struct text *text)
{
    uint64_t times = 1 + random_below(random, 4);
    for (uint64_t i = 0; i < times && text->length > 0; i++) {
        size_t at = random_below(random, text->length);
        size_t length = random_below(random, 12);
        if (length > text->length - at)
            length = text->length - at;
        struct text changed = {0};
        text_add_bytes(&changed, text->data, at);
        switch (random_below(random, 4)) {
        case 0: // cut
            break;
        case 1: // overwrite one byte
            text_add_char(&changed, (char)random_below(random, 256));
            length = 1;
            break;
        case 2: // twice
            text_add_bytes(&changed, text->data + at, length);
            length = 0;
            break;
        default: // insert
            text_add(&changed, pieces[random_below(random, ARRAY_LENGTH(pieces))]);
            length = 0;
            break;
        }
        text_add_bytes(&changed, text->data + at + length, text->length - at - length);
        text_free(text);
        *text = changed;
    }
}

static void mutated_documents_never_break_the_decoder(void **state)
{
    (void)state;
    struct random random;
    random_seed(&random, 20260101);
    for (size_t s = 0; s < ARRAY_LENGTH(seeds); s++) {
        run_one(seeds[s], strlen(seeds[s]), true);
        for (int round = 0; round < ROUNDS_PER_SEED * 3; round++) {
            struct text text = {0};
            text_add(&text, seeds[s]);
            mutate(&random, &text);
            run_one(text.data == NULL ? "" : text.data, text.length, round % 3 == 0);
            text_free(&text);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mutated_documents_never_break_the_decoder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
