// libFuzzer target: any bytes through the document reader, the decoder and the encoder. The output
// must read back to the same.
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "model/manifest/input.h"
#include "model/schema/decode.h"
#include "model/schema/encode.h"
#include "model/schema/object.h"
#include "model/tables/kinds.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_round_trip(const struct object *object)
{
    struct error error = {0};
    json_t *json = object_encode(object);
    struct object *again = object_decode(json, object->kind, DECODE_LENIENT, &error);
    if (again == NULL)
        abort();
    json_t *json_again = object_encode(again);
    if (!json_equal(json, json_again))
        abort();
    json_decref(json);
    json_decref(json_again);
    object_release(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct documents documents = {0};
    struct error error = {0};
    bool with_positions = size > 0 && (data[0] & 1);
    if (documents_read_text(&documents, (const char *)data, size, "fuzz", with_positions, &error)) {
        for (uint32_t i = 0; i < documents.count; i++) {
            if (documents.items[i].value == NULL)
                continue;
            struct object *object =
                document_decode(documents.items[i].value, DECODE_LENIENT, &error);
            if (object != NULL)
                check_round_trip(object);
            object_release(object);
        }
    }
    documents_free(&documents);
    return 0;
}
