// User data's formats and the kubelet's expressions: for any bytes, an answer and no crash; TOML
// that is read must survive a write and a read.
#include <stdlib.h>
#include <string.h>

#include "cloud/aws/families/mime.h"
#include "cloud/aws/families/toml_read.h"
#include "cloud/aws/families/toml_write.h"
#include "cloud/aws/families/user_data.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void toml_again(const char *text, struct arena *arena)
{
    struct error error;
    struct text first = {0}, second = {0};
    const struct toml_value *table = toml_read(text, arena, &error);
    if (table == NULL)
        return;
    text_add(&first, "");
    toml_write(table, NULL, &first);
    table = toml_read(first.data, arena, &error);
    if (table == NULL)
        abort();
    text_add(&second, "");
    toml_write(table, NULL, &second);
    if (strcmp(first.data, second.data) != 0)
        abort();
    text_free(&first);
    text_free(&second);
}

static void mime_again(const char *text, struct arena *arena)
{
    struct error error;
    struct text written = {0};
    struct mime_parts parts = {0};
    if (mime_read(&parts, text, arena, &error))
        mime_write(&parts, &written);
    text_free(&written);
}

static void evaluate(const char *text, struct arena *arena)
{
    const struct kubelet_variables variables = {
        .vcpus = 2, .memory_mib = 8192, .max_pods = 29, .instance_type = "m5.large"};
    struct error error;
    int64_t result;
    const struct expression *expression = expression_compile(text, arena, &error);
    if (expression != NULL)
        (void)!expression_evaluate(expression, &variables, &result, &error);
}

static void render(const char *text, const char *family, struct arena *arena)
{
    const struct cluster_facts cluster = {
        .name = "c1", .endpoint = "https://e1", .cidr = "10.0.0.0/16"};
    struct ec2_node_class node_class = {.spec = {.ami_family = family, .user_data = text}};
    struct kubelet_config kubelet;
    struct error error;
    if (!kubelet_config_read(&kubelet, arena, text, &error))
        kubelet = (struct kubelet_config){0};
    const struct user_data_options options = {.node_class = &node_class,
                                              .cluster = &cluster,
                                              .kubelet = &kubelet,
                                              .capacity_type = "spot"};
    const char *rendered = user_data_render(&options, arena, &error);
    struct toml_value *table;
    if (rendered != NULL && strcmp(family, "Bottlerocket") == 0) {
        table = toml_read(rendered, arena, &error);
        if (table == NULL)
            abort();
    }
    (void)user_data_warnings(&node_class, arena);
    kubelet_config_free(&kubelet);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > 16384) // EC2 takes no more
        return 0;
    struct arena *arena = arena_create(65536);
    const char *text = arena_copy_bytes(arena, (const char *)data, size);
    toml_again(text, arena);
    mime_again(text, arena);
    evaluate(text, arena);
    render(text, "AL2023", arena);
    render(text, "Bottlerocket", arena);
    render(text, "Windows2022", arena);
    arena_destroy(arena);
    return 0;
}
