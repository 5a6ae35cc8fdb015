#include "cli/manual/live_names.h"

#include "base/loop.h"
#include "base/loop_real.h"
#include "base/nanoseconds.h"
#include "kube/client.h"
#include "kube/client_list.h"
#include "kube/transport/http_transport.h"
#include "kube/transport/kube_config_load.h"

#define PATIENCE_NS (1500 * MILLISECOND)
#define NAMES_MAX   5000

struct name_listing {
    struct loop *loop;
    struct arena *arena;
    enum kind_id kind;
    name_list *names;
};

static void take(void *context, const struct kube_result *result)
{
    struct name_listing *listing = context;
    size_t index;
    json_t *item;
    json_array_foreach (json_object_get(result->body, "items"), index, item) {
        const json_t *metadata = json_object_get(item, "metadata");
        const char *name = json_string_value(json_object_get(metadata, "name"));
        const char *namespace = json_string_value(json_object_get(metadata, "namespace"));
        if (name == NULL || index >= NAMES_MAX)
            continue;
        vector_push(listing->names, listing->kind == KIND_POD && namespace != NULL
                                        ? arena_format(listing->arena, "%s/%s", namespace, name)
                                        : arena_copy_string(listing->arena, name));
    }
    loop_stop(listing->loop);
}

static void give_up(void *context)
{
    loop_stop(context);
}

void live_names_list(struct arena *arena, enum kind_id kind, const struct kube_choice *cluster,
                     name_list *names)
{
    struct error error = {0};
    struct kube_config *config = kube_config_load(cluster, &error);
    if (config == NULL)
        return;
    struct loop *loop = loop_create();
    struct http_transport_options http = {.user_agent = "adze/" ADZE_VERSION};
    struct kube_transport *transport = http_transport_create(loop, config, &http, &error);
    if (transport != NULL) {
        struct kube_client_options unlimited = {0};
        struct kube_client *client = kube_client_create(loop, transport, &unlimited);
        struct timer *timer = timer_create_on(loop, give_up, loop);
        struct name_listing listing = {loop, arena, kind, names};
        timer_start(timer, PATIENCE_NS);
        kube_list(client, &(struct kube_selection){kind}, take, &listing);
        loop_run(loop);
        timer_destroy(timer);
        kube_client_destroy(client);
    }
    loop_destroy(loop);
    kube_config_free(config);
}
