#include "cloud/aws/nodeclass/resolve_amis.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/text.h"
#include "cloud/aws/nodeclass/ami_parameters.h"
#include "cloud/aws/nodeclass/ami_selection.h"
#include "cloud/aws/nodeclass/latest_images.h"

#define PAGE_SIZE       1000
#define ALIAS_LIFETIME  (24 * HOUR)
#define CUSTOM_LIFETIME (5 * MINUTE)
#define ABSENT_LIFETIME MINUTE

struct discovery {
    struct class_pass *pass;
    struct ami_selection *selection;
    struct map *variants; // image id -> bits of enum ami_variant
    const char *build;    // of Windows
    bool complete, parameters_known;
    const struct answer *failure; // the first
};

static bool minor_of(const char *version, int64_t *minor)
{
    const char *dot = strchr(text_or_empty(version), '.');
    return dot != NULL && text_parse_int64(dot + 1, minor);
}

// AWN-37. True: set.
static bool is_unsupported(struct class_pass *pass, const struct ami_alias *alias)
{
    const char *version = pass->controllers->environment.cluster->version;
    int64_t minor;
    if (!minor_of(version, &minor))
        return false;
    const char *message = NULL;
    if (alias->family == AMI_FAMILY_AL2 && minor >= 33)
        message = arena_format(pass->arena,
                               "there are no AL2 images for Kubernetes %s (only up to 1.32); use "
                               "an al2023 or bottlerocket alias",
                               version);
    if (alias->family == AMI_FAMILY_WINDOWS_2025 && minor < 35)
        message = arena_format(pass->arena,
                               "Windows Server 2025 needs Kubernetes 1.35 or later, and the "
                               "cluster has %s",
                               version);
    if (message != NULL)
        conditions_set(&pass->conditions, CONDITION_AMIS_READY, "False",
                       CONDITION_REASON_UNSUPPORTED_ALIAS, message);
    return message != NULL;
}

static void note_failure(struct discovery *discovery, const struct answer *answer)
{
    discovery->complete = false;
    if (answer != NULL && discovery->failure == NULL)
        discovery->failure = answer;
}

// The value of an SSM parameter. NULL with `known`: there is none.
static const char *parameter(struct discovery *discovery, const char *prefix, const char *name,
                             int64_t lifetime_ns, bool *known)
{
    struct class_pass *pass = discovery->pass;
    const char *key = arena_format(pass->arena, "%s%s", prefix, name);
    const struct answer *answer =
        pass_ask(pass, &(struct question){.key = key,
                                          .action = SSM_GET_PARAMETER,
                                          .parameters = json_pack("{s:s}", "Name", name),
                                          .lifetime_ns = lifetime_ns,
                                          .absent_lifetime_ns = ABSENT_LIFETIME,
                                          .keeps_last = !pass->settings->compatibility_upstream});
    *known = answer != NULL && answer->state == ANSWER_READY;
    if (!*known) {
        note_failure(discovery, answer);
        return NULL;
    }
    return json_string_value(json_object_get(json_object_get(answer->value, "Parameter"), "Value"));
}

static void note_image(struct discovery *discovery, const char *id, uint32_t variants)
{
    uint32_t *bits = map_ensure(discovery->variants, id, sizeof *bits);
    *bits |= variants;
}

static void query_images(struct discovery *discovery, json_t *filters, json_t *owners)
{
    struct class_pass *pass = discovery->pass;
    json_array_append_new(filters, filter_of("state", json_pack("[s]", "available")));
    json_t *parameters = json_pack("{s:o, s:b, s:i}", "Filters", filters, "IncludeDeprecated", 1,
                                   "MaxResults", PAGE_SIZE);
    if (owners != NULL)
        json_object_set_new(parameters, "Owners", owners);
    int64_t interval = pass->settings->ami_refresh_interval;
    const char *key = pass_key(pass, "images", parameters);
    const struct answer *answer =
        pass_ask(pass, &(struct question){.key = key,
                                          .action = EC2_DESCRIBE_IMAGES,
                                          .parameters = parameters,
                                          .all_pages = true,
                                          .lifetime_ns = interval > 0 ? interval : MINUTE});
    if (answer == NULL || answer->state == ANSWER_FAILED) {
        note_failure(discovery, answer);
        return;
    }
    size_t index;
    json_t *image;
    json_array_foreach (json_object_get(answer->value, "Images"), index, image) {
        const char *id = json_string_value(json_object_get(image, "ImageId"));
        const uint32_t *variants = id != NULL ? map_get(discovery->variants, id) : NULL;
        ami_selection_add(discovery->selection, image, variants != NULL ? *variants : 0,
                          discovery->build);
    }
}

// One query for all ids that were collected.
static void query_ids(struct discovery *discovery)
{
    size_t count = map_count(discovery->variants), next = 0;
    if (count == 0)
        return;
    const char **ids CLEANUP_FREE = memory_allocate_array(count, sizeof *ids);
    for (struct map_entry *at = map_first(discovery->variants); at != NULL; at = map_next(at))
        ids[next++] = map_key(at);
    qsort(ids, count, sizeof *ids, text_compare);
    json_t *values = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(values, json_string(ids[i]));
    query_images(discovery, json_pack("[o]", filter_of("image-id", values)), NULL);
}

// --- by alias ------------------------------------------------------------------------------------
// AWN-168, 700: only a parameter that does not exist is skipped.
static void discover_alias(struct discovery *discovery, const struct ami_alias *alias)
{
    struct class_pass *pass = discovery->pass;
    struct ami_parameter parameters[AMI_PARAMETERS_MAX];
    const char *version = pass->controllers->environment.cluster->version;
    uint32_t count = ami_parameters_of(alias, text_or_empty(version), pass->arena, parameters),
             found = 0;
    const struct ami_family_facts *facts = ami_family_facts(alias->family);
    bool latest = facts->windows || strcmp(alias->version, "latest") == 0;
    bool upstream = pass->settings->compatibility_upstream;
    for (uint32_t i = 0; i < count; i++) {
        bool known;
        const char *id = parameter(discovery, latest ? LATEST_PARAMETERS : PINNED_PARAMETERS,
                                   parameters[i].path, ALIAS_LIFETIME, &known);
        if (id != NULL) {
            note_image(discovery, id, parameters[i].variants);
            found++;
        }
    }
    if (upstream && !pass->pending && found > 0) {
        discovery->complete = true;
        discovery->failure = NULL;
    }
    discovery->build = facts->windows_build;
    if (!discovery->complete)
        return;
    if (found == 0) {
        struct answer *none = arena_allocate(pass->arena, sizeof *none);
        *none = (struct answer){.state = ANSWER_FAILED, .fault = AWS_FAULT_NOT_FOUND};
        none->code = arena_copy_string(pass->arena, "AliasNotFound");
        error_set(&none->error, ERROR_INVALID,
                  "no SSM parameter exists for the AMI alias %s@%.60s and Kubernetes %s; check the "
                  "version in spec.amiSelectorTerms",
                  text_or_empty(facts->alias), alias->version, text_or_empty(version));
        note_failure(discovery, none);
        return;
    }
    query_ids(discovery);
}

// --- by terms ------------------------------------------------------------------------------------
static void discover_term(struct discovery *discovery, const struct ec2_selector_term *term)
{
    if (term->id != NULL) {
        note_image(discovery, term->id, 0);
        return;
    }
    if (term->ssm_parameter != NULL) {
        bool known;
        const char *id =
            parameter(discovery, CUSTOM_PARAMETERS, term->ssm_parameter, CUSTOM_LIFETIME, &known);
        discovery->parameters_known = discovery->parameters_known && known;
        if (text_starts_with(id, "ami-"))
            note_image(discovery, id, 0);
        return;
    }
    json_t *filters = tag_filters(&term->tags);
    json_t *owners = term->owner != NULL ? json_pack("[s]", term->owner) : NULL;
    if (term->name != NULL) {
        json_array_append_new(filters, filter_of("name", json_pack("[s]", term->name)));
        if (owners == NULL)
            owners = json_pack("[s, s]", "self", "amazon");
    }
    query_images(discovery, filters, owners);
}

static void discover(struct discovery *discovery)
{
    struct class_pass *pass = discovery->pass;
    struct ami_alias alias;
    if (ami_alias_of(pass->node_class, &alias)) {
        discover_alias(discovery, &alias);
        return;
    }
    list_for_each (term, &pass->node_class->spec.ami_selector_terms)
        discover_term(discovery, term);
    if (discovery->parameters_known) // all ids in one query
        query_ids(discovery);
}

static void settle(struct discovery *discovery)
{
    struct class_pass *pass = discovery->pass;
    if (!discovery->complete) {
        if (discovery->failure != NULL)
            pass_fail(pass, CONDITION_AMIS_READY, discovery->failure);
        return;
    }
    pass->amis =
        ami_selection_result(discovery->selection, !pass->settings->compatibility_upstream);
    if (json_array_size(pass->amis) > 0) {
        class_pass_requeue(pass, 5 * MINUTE);
        conditions_set_true(&pass->conditions, CONDITION_AMIS_READY);
        return;
    }
    class_pass_requeue(pass, MINUTE);
    const ec2_selector_term_list *terms = &pass->node_class->spec.ami_selector_terms;
    conditions_set(&pass->conditions, CONDITION_AMIS_READY, "False", CONDITION_REASON_AMI_NOT_FOUND,
                   arena_format(pass->arena,
                                "no available AMI of amd64 or arm64 matches spec.amiSelectorTerms "
                                "(%s)",
                                selector_text(pass->arena, terms)));
}

void resolve_amis(struct class_pass *pass)
{
    struct ami_alias alias;
    if (ami_alias_of(pass->node_class, &alias) && is_unsupported(pass, &alias)) {
        if (!pass->settings->compatibility_upstream)
            class_pass_requeue(pass, 5 * MINUTE); // AWN-701: the cluster may be upgraded
        return;
    }
    struct discovery discovery = {.pass = pass,
                                  .selection =
                                      ami_selection_create(manager_now(pass->controllers->manager)),
                                  .variants = map_create(),
                                  .complete = true,
                                  .parameters_known = true};
    discover(&discovery);
    settle(&discovery);
    map_destroy(discovery.variants, free);
    ami_selection_destroy(discovery.selection);
}
