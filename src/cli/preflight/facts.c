#include "cli/preflight/facts.h"

#include <assert.h>
#include <string.h>

#include "base/loop.h"
#include "base/memory.h"
#include "base/text.h"
#include "model/tables/rules_json.h"

static const struct {
    const char *kind, *name, *path;
    bool is_old; // a cluster without it is as it should be
} rows[FACT_COUNT] = {
    [FACT_CRDS] = {"CustomResourceDefinition", "customresourcedefinitions",
                   "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", false},
    [FACT_MUTATING_WEBHOOKS] =
        {"MutatingWebhookConfiguration", "mutatingwebhookconfigurations",
         "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations", false},
    [FACT_VALIDATING_WEBHOOKS] =
        {"ValidatingWebhookConfiguration", "validatingwebhookconfigurations",
         "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations", false},
    [FACT_NODE_POOLS] = {"NodePool", "nodepools", "/apis/karpenter.sh/v1/nodepools", false},
    [FACT_NODE_CLAIMS] = {"NodeClaim", "nodeclaims", "/apis/karpenter.sh/v1/nodeclaims", false},
    [FACT_NODE_CLASSES] = {"EC2NodeClass", "ec2nodeclasses",
                           "/apis/karpenter.k8s.aws/v1/ec2nodeclasses", false},
    [FACT_PROVISIONERS] = {"Provisioner", "provisioners",
                           "/apis/karpenter.sh/v1alpha5/provisioners", true},
    [FACT_MACHINES] = {"Machine", "machines", "/apis/karpenter.sh/v1alpha5/machines", true},
    [FACT_NODE_TEMPLATES] = {"AWSNodeTemplate", "awsnodetemplates",
                             "/apis/karpenter.k8s.aws/v1alpha1/awsnodetemplates", true},
    [FACT_DEPLOYMENTS] = {"Deployment", "deployments", "/apis/apps/v1/deployments", false},
    [FACT_LEASES] = {"Lease", "leases", "/apis/coordination.k8s.io/v1/leases", false},
};

const char *fact_name(enum fact fact)
{
    return rows[fact].name;
}

void facts_free(struct facts *facts)
{
    for (int i = 0; i < FACT_COUNT; i++)
        json_decref(facts->items[i]);
    json_decref(facts->version);
}

// --- live ----------------------------------------------------------------------------------------
struct asking {
    struct facts *facts;
    struct loop *loop;
    uint32_t left;
};
struct question {
    struct asking *asking;
    enum fact fact;
};

static void end_question(struct asking *asking)
{
    assert(asking->left > 0);
    if (--asking->left == 0)
        loop_stop(asking->loop);
}

static void answered(void *context, const struct kube_result *result)
{
    struct question *question = context;
    struct facts *facts = question->asking->facts;
    enum error_kind kind = result->error.kind;
    json_t *items = json_object_get(result->body, "items");
    if (kind == ERROR_NONE && json_is_array(items))
        facts->items[question->fact] = json_incref(items);
    else if (kind == ERROR_NOT_FOUND)
        facts->items[question->fact] = json_array();
    else
        facts->problems[question->fact] = arena_copy_string(
            facts->arena, kind == ERROR_NONE ? "the answer is no list" : result->error.message);
    end_question(question->asking);
}

static void version_answered(void *context, const struct kube_result *result)
{
    struct question *question = context;
    if (result->error.kind == ERROR_NONE)
        question->asking->facts->version = json_incref((json_t *)result->body);
    end_question(question->asking);
}

void facts_read_live(struct facts *facts, struct loop *loop, struct kube_client *client)
{
    struct asking asking = {facts, loop, FACT_COUNT + 1};
    struct question questions[FACT_COUNT], version = {&asking, FACT_COUNT};
    facts->is_live = true;
    kube_get_path(client, "/version", version_answered, &version);
    for (int i = 0; i < FACT_COUNT; i++) {
        questions[i] = (struct question){&asking, (enum fact)i};
        kube_get_path(client, rows[i].path, answered, &questions[i]);
    }
    loop_run(loop);
}

// --- files ---------------------------------------------------------------------------------------
void facts_read_documents(struct facts *facts, const struct documents *documents)
{
    bool any = false;
    for (uint32_t i = 0; i < documents->count; i++) {
        const json_t *value = documents->items[i].value;
        const char *kind = json_text(value, "kind");
        for (int k = 0; kind != NULL && k < FACT_COUNT; k++) {
            if (strcmp(rows[k].kind, kind) != 0)
                continue;
            if (facts->items[k] == NULL)
                facts->items[k] = json_array();
            json_array_append(facts->items[k], (json_t *)value);
            any = true;
        }
    }
    for (int k = 0; k < FACT_COUNT; k++) // the input has what there is of the old kinds
        if (any && rows[k].is_old && facts->items[k] == NULL)
            facts->items[k] = json_array();
}
