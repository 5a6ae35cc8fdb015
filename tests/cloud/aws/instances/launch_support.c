#include "cloud/aws/instances/launch_support.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "model/schema/decode.h"
#include "model/tables/kinds.h"
#include "support/cmocka_all.h"

static json_t *parsed(const char *text)
{
    json_error_t problem;
    json_t *value = json_loads(text, 0, &problem);
    if (value == NULL)
        fail_msg("%s in %s", problem.text, text);
    return value;
}

static const struct object *decoded(json_t *document)
{
    struct error error = {0};
    struct object *object = document_decode(document, DECODE_LENIENT, &error);
    json_decref(document);
    if (object == NULL)
        fail_msg("%s", error.message);
    return object;
}

const struct object *make_object(const char *api_version, const char *kind, const char *spec,
                                 const char *status)
{
    json_t *document = json_pack("{s:s, s:s, s:{s:s, s:s, s:i}, s:o}", "apiVersion", api_version,
                                 "kind", kind, "metadata", "name", "default", "uid", "uid-1",
                                 "generation", 1, "spec", parsed(spec));
    if (status != NULL)
        json_object_set_new(document, "status", parsed(status));
    return decoded(document);
}

const struct node_claim *make_claim(const char *requirements, const char *requests)
{
    struct text spec = {0};
    text_format(&spec,
                "{\"nodeClassRef\":{\"group\":\"karpenter.k8s.aws\",\"kind\":\"EC2NodeClass\","
                "\"name\":\"default\"},\"requirements\":[%s],\"resources\":{\"requests\":%s}}",
                requirements, requests != NULL ? requests : "{\"cpu\":\"1\"}");
    const struct object *claim = make_object("karpenter.sh/v1", "NodeClaim", spec.data, NULL);
    text_free(&spec);
    return (const struct node_claim *)claim;
}

static void add_requirement(json_t *list, const char *key, const char *value)
{
    json_array_append_new(
        list, json_pack("{s:s, s:s, s:[s]}", "key", key, "operator", "In", "values", value));
}

static json_t *offering_of(const char *text)
{
    char kind[20], zone[40], price[20], id[20] = "", type[40] = "";
    long long room = 0;
    bool available = text[0] != '!';
    int fields = sscanf(text + !available, "%19s %39s %19s %19s %39s %lld", kind, zone, price, id,
                        type, &room);
    assert_true(fields == 3 || fields == 6);
    json_t *requirements = json_array();
    add_requirement(requirements, "karpenter.sh/capacity-type", kind);
    add_requirement(requirements, "topology.kubernetes.io/zone", zone);
    json_t *offering = json_pack("{s:o, s:s, s:b}", "requirements", requirements, "price", price,
                                 "available", available);
    if (fields == 6) {
        bool interruptible = strstr(type, "-interruptible") != NULL;
        if (interruptible)
            *strstr(type, "-interruptible") = '\0';
        add_requirement(requirements, "karpenter.k8s.aws/capacity-reservation-id", id);
        add_requirement(requirements, "karpenter.k8s.aws/capacity-reservation-type", type);
        add_requirement(requirements, "karpenter.k8s.aws/capacity-reservation-interruptible",
                        interruptible ? "true" : "false");
        json_object_set_new(offering, "reservationCapacity", json_integer(room));
    }
    return offering;
}

static json_t *type_of(const struct made_type *made)
{
    json_t *offerings = json_array();
    for (size_t i = 0; made->offerings[i] != NULL; i++)
        json_array_append_new(offerings, offering_of(made->offerings[i]));
    json_t *requirements = json_array();
    add_requirement(requirements, "node.kubernetes.io/instance-type", made->name);
    add_requirement(requirements, "kubernetes.io/arch", "amd64");
    const char *dot = strchr(made->name, '.');
    add_requirement(requirements, "karpenter.k8s.aws/instance-size", dot + 1);
    if (made->requirements != NULL) {
        json_t *more = parsed(made->requirements);
        json_array_extend(requirements, more);
        json_decref(more);
    }
    return json_pack(
        "{s:s, s:o, s:o, s:o}", "name", made->name, "requirements", requirements, "capacity",
        parsed(made->capacity != NULL ? made->capacity
                                      : "{\"cpu\":\"2\",\"memory\":\"8Gi\",\"pods\":\"29\"}"),
        "offerings", offerings);
}

const struct instance_type_catalog *make_catalog(const struct made_type *types, uint32_t count)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < count; i++)
        json_array_append_new(list, type_of(&types[i]));
    const struct kind *kind = kind_get(KIND_INSTANCE_TYPE_CATALOG);
    json_t *document =
        json_pack("{s:s, s:s, s:{s:s}, s:{s:o}}", "apiVersion", kind->api_version, "kind",
                  kind->name, "metadata", "name", "c", "spec", "instanceTypes", list);
    return (const struct instance_type_catalog *)decoded(document);
}
