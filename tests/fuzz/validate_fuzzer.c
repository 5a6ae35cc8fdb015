// `adze validate` of any documents, each also as the old state of the next. An admitted object is
// admitted again in its stored form.
#include <stdint.h>
#include <stdlib.h>

#include "model/manifest/input.h"
#include "model/tables/kinds.h"
#include "model/validate/validate.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct kind *kind_of(const json_t *object)
{
    const char *version = json_string_value(json_object_get(object, "apiVersion"));
    const char *kind = json_string_value(json_object_get(object, "kind"));
    return version != NULL && kind != NULL ? kind_find(version, kind) : NULL;
}

static void validate(const json_t *object, const json_t *old)
{
    struct validate_options options = {
        .lenient = true, .advise = true, .now = INT64_C(1767225600) * 1000000000};
    const struct kind *kind = kind_of(object);
    struct findings findings = {0}, again = {0};
    json_t *stored = NULL;
    char message[2000];
    if (kind == NULL)
        return;
    bool admitted = validate_object(kind, object, old, &options, &findings, &stored);
    findings_status_message(&findings, kind, "x", message, sizeof message);
    if (admitted && old == NULL && stored != NULL &&
        !validate_object(kind, stored, NULL, &options, &again, NULL))
        abort();
    findings_free(&findings);
    findings_free(&again);
    json_decref(stored);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct documents documents = {0};
    struct error error = {0};
    const json_t *old = NULL;
    if (documents_read_text(&documents, (const char *)data, size, "fuzz", true, &error))
        for (uint32_t i = 0; i < documents.count; i++) {
            const json_t *object = documents.items[i].value;
            validate(object, NULL);
            if (object != NULL && old != NULL && kind_of(old) == kind_of(object))
                validate(object, old);
            old = object;
        }
    documents_free(&documents);
    return 0;
}
