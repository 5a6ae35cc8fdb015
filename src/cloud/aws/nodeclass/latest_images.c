#include "cloud/aws/nodeclass/latest_images.h"

#include <stdlib.h>

#include "base/map.h"
#include "base/text.h"
#include "cloud/aws/nodeclass/ami_selection.h"

#define INTERVAL  (30 * MINUTE)
#define KEY       "latest"
#define QUESTION  "latest-images"
#define PAGE_SIZE 1000

static struct reconcile_result reconcile(void *context, struct work_item *item,
                                         struct error *error);

struct reconcile_queue *latest_images_create(struct node_class_controllers *controllers)
{
    struct reconcile_queue *queue =
        manager_queue(controllers->manager,
                      &(struct reconcile_queue_options){.name = "providers.ssm.invalidation",
                                                        .concurrency = 1,
                                                        .reconcile = reconcile,
                                                        .context = controllers});
    reconcile_queue_add_after(queue, KEY, INTERVAL);
    return queue;
}

struct check {
    struct node_class_controllers *controllers;
    struct map *keys_by_image; // image id -> char * of the parameter's key (one of them)
    json_t *ids;
};

static void see(void *context, const char *key, const json_t *value)
{
    struct check *check = context;
    const char *id =
        json_string_value(json_object_get(json_object_get(value, "Parameter"), "Value"));
    if (id == NULL)
        return;
    json_t *keys = map_get(check->keys_by_image, id);
    if (keys == NULL) {
        keys = json_array();
        map_set(check->keys_by_image, id, keys);
        json_array_append_new(check->ids, json_string(id));
    }
    json_array_append_new(keys, json_string(key));
}

static void drop_json(void *value)
{
    json_decref(value);
}

static void drop_deprecated(struct check *check, const json_t *reply)
{
    int64_t now = manager_now(check->controllers->manager);
    size_t index, key_index;
    json_t *image, *key;
    json_array_foreach (json_object_get(reply, "Images"), index, image) {
        const char *id = json_string_value(json_object_get(image, "ImageId"));
        if (id == NULL || !image_is_deprecated(image, now))
            continue;
        json_array_foreach ((json_t *)map_get(check->keys_by_image, id), key_index, key)
            answers_drop(check->controllers->answers, json_string_value(key));
    }
}

static struct reconcile_result look(struct check *check, struct work_item *item,
                                    struct error *error)
{
    struct answers *answers = check->controllers->answers;
    json_t *parameters =
        json_pack("{s:[{s:s, s:O}], s:b, s:i}", "Filters", "Name", "image-id", "Values", check->ids,
                  "IncludeDeprecated", 1, "MaxResults", PAGE_SIZE);
    const struct answer *answer =
        answers_ask(answers, &(struct question){.key = QUESTION,
                                                .action = EC2_DESCRIBE_IMAGES,
                                                .parameters = parameters,
                                                .all_pages = true,
                                                .lifetime_ns = MINUTE});
    if (answer->state == ANSWER_PENDING) {
        struct operation_about about = {.manager = check->controllers->manager,
                                        .item = item,
                                        .doing = "describing the latest images"};
        answers_wait(answers, QUESTION, &about);
        return reconcile_running();
    }
    bool failed = answer->state == ANSWER_FAILED;
    if (failed)
        *error = answer->error;
    else
        drop_deprecated(check, answer->value);
    answers_drop(answers, QUESTION);
    return failed ? reconcile_error() : reconcile_after(INTERVAL);
}

static struct reconcile_result reconcile(void *context, struct work_item *item, struct error *error)
{
    struct check check = {
        .controllers = context, .keys_by_image = map_create(), .ids = json_array()};
    answers_each(check.controllers->answers, LATEST_PARAMETERS, see, &check);
    struct reconcile_result result = reconcile_after(INTERVAL);
    if (json_array_size(check.ids) > 0)
        result = look(&check, item, error);
    json_decref(check.ids);
    map_destroy(check.keys_by_image, drop_json);
    return result;
}
