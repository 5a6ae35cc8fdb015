#include "cloud/aws/nodeclass/resolve_network.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

#define PAGE_SIZE 500

static const char *member(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

// One query for each set of filters; ids (and names) share one.
static json_t *filter_sets(const ec2_selector_term_list *terms, const char *id_filter,
                           const char *name_filter)
{
    json_t *sets = json_array(), *ids = json_array(), *names = json_array();
    list_for_each (term, terms) {
        if (term->id != NULL)
            json_array_append_new(ids, json_string(term->id));
        else if (name_filter != NULL && term->name != NULL)
            json_array_append_new(names, json_string(term->name));
        else if (term->tags.count > 0)
            json_array_append_new(sets, tag_filters(&term->tags));
    }
    if (json_array_size(ids) > 0)
        json_array_append_new(sets, json_pack("[o]", filter_of(id_filter, json_incref(ids))));
    if (json_array_size(names) > 0)
        json_array_append_new(sets, json_pack("[o]", filter_of(name_filter, json_incref(names))));
    json_decref(ids);
    json_decref(names);
    return sets;
}

struct network_query {
    enum aws_action action;
    const char *what, *list, *id; // "subnets", "Subnets", "SubnetId"
    enum condition_type condition;
    int64_t lifetime_ns;
    void (*fetched)(void *context, const json_t *reply, int64_t asked_at);
};

// Unites the replies by id. NULL: pending or failed.
static json_t *unite(struct class_pass *pass, const struct network_query *query, json_t *sets)
{
    json_t *found = json_object();
    bool complete = true;
    size_t index, entry_index;
    json_t *filters, *entry;
    json_array_foreach (sets, index, filters) {
        json_t *parameters = json_pack("{s:O, s:i}", "Filters", filters, "MaxResults", PAGE_SIZE);
        const char *key = pass_key(pass, query->what, parameters);
        const struct answer *answer =
            pass_ask(pass, &(struct question){.key = key,
                                              .action = query->action,
                                              .parameters = parameters,
                                              .all_pages = true,
                                              .lifetime_ns = query->lifetime_ns,
                                              .fetched = query->fetched,
                                              .context = pass->controllers->environment.addresses});
        if (answer == NULL || answer->state == ANSWER_FAILED) {
            if (answer != NULL && !pass->pending)
                pass_fail(pass, query->condition, answer);
            complete = false;
            continue;
        }
        json_array_foreach (json_object_get(answer->value, query->list), entry_index, entry) {
            const char *id = member(entry, query->id);
            if (id != NULL)
                json_object_set(found, id, entry);
        }
    }
    json_decref(sets);
    if (complete)
        return found;
    json_decref(found);
    return NULL;
}

static json_t **sorted(json_t *found, int (*compare)(const void *, const void *))
{
    json_t **items = memory_allocate_array(json_object_size(found) + 1, sizeof *items);
    size_t count = 0;
    const char *id;
    json_t *entry;
    json_object_foreach (found, id, entry)
        items[count++] = entry;
    qsort(items, count, sizeof *items, compare);
    return items;
}

// --- subnets -------------------------------------------------------------------------------------
static json_int_t free_of(const json_t *subnet)
{
    return json_integer_value(json_object_get(subnet, "AvailableIpAddressCount"));
}

static int by_free(const void *a, const void *b)
{
    const json_t *left = *(json_t *const *)a, *right = *(json_t *const *)b;
    json_int_t more = free_of(right), less = free_of(left);
    if (more != less)
        return more > less ? 1 : -1;
    return strcmp(member(left, "SubnetId"), member(right, "SubnetId"));
}

static void note_subnet(struct subnet_addresses *addresses, const char *id, const json_t *subnet)
{
    const json_t *public = json_object_get(subnet, "MapPublicIpOnLaunch");
    subnet_addresses_fetched(addresses, id, free_of(subnet));
    subnet_addresses_note_public(addresses, id, json_is_true(public));
}

static void note_free(void *context, const json_t *reply, int64_t asked_at)
{
    size_t index;
    json_t *subnet;
    (void)asked_at;
    json_array_foreach (json_object_get(reply, "Subnets"), index, subnet)
        if (member(subnet, "SubnetId") != NULL)
            note_subnet(context, member(subnet, "SubnetId"), subnet);
}

void resolve_subnets(struct class_pass *pass)
{
    const ec2_selector_term_list *terms = &pass->node_class->spec.subnet_selector_terms;
    int64_t interval = pass->settings->subnet_refresh_interval;
    struct network_query query = {.action = EC2_DESCRIBE_SUBNETS,
                                  .what = "subnets",
                                  .list = "Subnets",
                                  .id = "SubnetId",
                                  .condition = CONDITION_SUBNETS_READY,
                                  .lifetime_ns = interval > 0 ? interval : MINUTE,
                                  .fetched = note_free};
    class_pass_requeue(pass, MINUTE);
    json_t *found = unite(pass, &query, filter_sets(terms, "subnet-id", NULL));
    if (found == NULL)
        return;
    pass->subnets = json_array();
    size_t count = json_object_size(found);
    json_t **items CLEANUP_FREE = sorted(found, by_free);
    for (size_t i = 0; i < count; i++)
        json_array_append_new(
            pass->subnets, json_pack("{s:s, s:s, s:s}", "id", member(items[i], "SubnetId"), "zone",
                                     text_or_empty(member(items[i], "AvailabilityZone")), "zoneID",
                                     text_or_empty(member(items[i], "AvailabilityZoneId"))));
    json_decref(found);
    // A subnet's setting may have changed, which its annotation tells.
    reconcile_queue_add(pass->controllers->hash_queue, pass->node_class->meta.name);
    if (count > 0)
        conditions_set_true(&pass->conditions, CONDITION_SUBNETS_READY);
    else
        conditions_set(
            &pass->conditions, CONDITION_SUBNETS_READY, "False", CONDITION_REASON_SUBNETS_NOT_FOUND,
            arena_format(pass->arena, "no subnet in %s matches spec.subnetSelectorTerms (%s)",
                         text_or_empty(pass->controllers->environment.cluster->region),
                         selector_text(pass->arena, terms)));
}

// --- security groups -----------------------------------------------------------------------------
static int by_group(const void *a, const void *b)
{
    return strcmp(member(*(json_t *const *)a, "GroupId"), member(*(json_t *const *)b, "GroupId"));
}

void resolve_security_groups(struct class_pass *pass)
{
    const ec2_selector_term_list *terms = &pass->node_class->spec.security_group_selector_terms;
    struct network_query query = {.action = EC2_DESCRIBE_SECURITY_GROUPS,
                                  .what = "security-groups",
                                  .list = "SecurityGroups",
                                  .id = "GroupId",
                                  .condition = CONDITION_SECURITY_GROUPS_READY,
                                  .lifetime_ns = MINUTE};
    json_t *found = unite(pass, &query, filter_sets(terms, "group-id", "group-name"));
    if (found == NULL)
        return;
    pass->security_groups = json_array();
    size_t count = json_object_size(found);
    json_t **items CLEANUP_FREE = sorted(found, by_group);
    for (size_t i = 0; i < count; i++)
        json_array_append_new(pass->security_groups,
                              json_pack("{s:s, s:s}", "id", member(items[i], "GroupId"), "name",
                                        text_or_empty(member(items[i], "GroupName"))));
    json_decref(found);
    class_pass_requeue(pass, count > 0 ? 5 * MINUTE : MINUTE);
    if (count > 0)
        conditions_set_true(&pass->conditions, CONDITION_SECURITY_GROUPS_READY);
    else
        conditions_set(
            &pass->conditions, CONDITION_SECURITY_GROUPS_READY, "False",
            CONDITION_REASON_SECURITY_GROUPS_NOT_FOUND,
            arena_format(pass->arena,
                         "no security group in %s matches spec.securityGroupSelectorTerms (%s)",
                         text_or_empty(pass->controllers->environment.cluster->region),
                         selector_text(pass->arena, terms)));
}
