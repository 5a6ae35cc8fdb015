#include "cloud/aws/families/powershell.h"

#include <assert.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"
#include "cloud/aws/families/kubelet_arguments.h"

#define OPEN  "<powershell>"
#define CLOSE "</powershell>"
#define SPACE " \t\r\n\v\f"

// The user's text: the script, and what stands outside its tags (such as <persist>).
struct user_script {
    const char *script, *outside;
};

static const char *trimmed(struct arena *arena, const char *from, size_t length)
{
    while (length > 0 && strchr(SPACE, from[length - 1]) != NULL)
        length--;
    while (length > 0 && strchr(SPACE, *from) != NULL) {
        from++;
        length--;
    }
    return arena_copy_bytes(arena, from, length);
}

// A script inside another would end at the first closing tag, before the node joins (AWN-712): the
// user's tags are taken off. Without both of them, the text is the script.
static struct user_script unwrap(const char *text, struct arena *arena)
{
    const char *open = strcasestr(text, OPEN);
    const char *script = open != NULL ? open + strlen(OPEN) : text;
    const char *close = open != NULL ? strcasestr(script, CLOSE) : NULL;
    if (close == NULL)
        return (struct user_script){text, ""};
    const char *before = trimmed(arena, text, (size_t)(open - text));
    const char *rest = close + strlen(CLOSE);
    const char *after = trimmed(arena, rest, strlen(rest));
    return (struct user_script){trimmed(arena, script, (size_t)(close - script)),
                                arena_format(arena, "%s%s%s", before,
                                             *before != '\0' && *after != '\0' ? "\n" : "", after)};
}

const char *powershell_render(const struct user_data_options *options,
                              const struct node_registration *registration, struct arena *arena)
{
    const struct cluster_facts *cluster = options->cluster;
    const char *given = text_or_empty(options->node_class->spec.user_data);
    struct user_script user =
        options->compatibility_upstream ? (struct user_script){given, ""} : unwrap(given, arena);
    struct text text = {0};
    assert(registration != NULL);
    text_add(&text, OPEN "\n");
    if (user.script[0] != '\0')
        text_format(&text, "%s\n", user.script);
    text_add(&text, "[string]$EKSBootstrapScriptFile = "
                    "\"$env:ProgramFiles\\Amazon\\EKS\\Start-EKSBootstrap.ps1\"\n");
    text_format(&text, "& $EKSBootstrapScriptFile -EKSClusterName '%s' -APIServerEndpoint '%s'",
                text_or_empty(cluster->name), text_or_empty(cluster->endpoint));
    if (!text_is_empty(cluster->ca_bundle))
        text_format(&text, " -Base64ClusterCA '%s'", cluster->ca_bundle);
    text_add(&text, " -KubeletExtraArgs '");
    kubelet_arguments_add(&text, options, registration, arena);
    text_add_char(&text, '\'');
    if (registration->cluster_dns.count > 0)
        text_format(&text, " -DNSClusterIP '%s'", registration->cluster_dns.items[0]);
    text_add(&text, "\n" CLOSE);
    if (user.outside[0] != '\0')
        text_format(&text, "\n%s", user.outside);
    const char *result = arena_copy_string(arena, text.data);
    text_free(&text);
    return result;
}
