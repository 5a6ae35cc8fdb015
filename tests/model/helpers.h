// Shared by the tests of src/model/.
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/manifest/input.h"
#include "model/schema/decode.h"
#include "model/schema/object.h"
#include "model/tables/kinds.h"

// The one object of a YAML or JSON text; fails the test if there is an error.
static inline struct object *object_of(const char *text)
{
    struct documents documents = {0};
    struct error error = {0};
    if (!documents_read_text(&documents, text, strlen(text), "test", false, &error))
        fail_msg("%s", error.message);
    assert_int_equal(documents.count, 1);
    struct object *object = document_decode(documents.items[0].value, DECODE_LENIENT, &error);
    if (object == NULL)
        fail_msg("%s", error.message);
    documents_free(&documents);
    return object;
}

// The error of decoding a text.
static inline void assert_refused(const char *text, enum decode_mode mode, const char *message)
{
    struct documents documents = {0};
    struct error error = {0};
    if (!documents_read_text(&documents, text, strlen(text), "test", false, &error))
        fail_msg("%s", error.message);
    struct object *object = document_decode(documents.items[0].value, mode, &error);
    object_release(object);
    documents_free(&documents);
    assert_null(object);
    assert_int_equal(error.kind, ERROR_INVALID);
    assert_string_equal(error.message, message);
}
