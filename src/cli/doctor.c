// adze doctor: looks at an account and a cluster before the controller runs there.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/loop_real.h"
#include "base/text.h"
#include "cli/input/settings_options.h"
#include "cli/output/terminal.h"
#include "cloud/aws/aws_access.h"
#include "cloud/aws/aws_provider.h"
#include "cloud/aws/doctor/doctor.h"
#include "kube/transport/http_transport.h"
#include "kube/transport/kube_config_load.h"
#include "model/reading/settings_read.h"

struct examination {
    struct settings settings;
    struct loop *loop;
    struct kube_config *config;
    struct kube_client *kube; // NULL: no cluster was found
    struct aws_access access;
    struct doctor *doctor;
    char kube_problem[300]; // "": none
    uint32_t counts[4];     // by enum doctor_verdict
};

static const char *verdict_name(enum doctor_verdict verdict)
{
    static const char *const names[] = {"ok", "warning", "FAILED", "skipped"};
    return names[verdict];
}

static void print_line(void *context, const struct doctor_line *line)
{
    struct examination *examination = context;
    struct text text = {0};
    examination->counts[line->verdict]++;
    // Answers of others may have line breaks, which must not look like lines of the doctor's.
    text_format(&text, "%-8s ", verdict_name(line->verdict));
    terminal_add_line(&text, line->check);
    text_add(&text, ": ");
    terminal_add_line(&text, line->text);
    if (line->remedy != NULL) {
        text_add(&text, "\n         -> ");
        terminal_add_line(&text, line->remedy);
    }
    puts(text.data);
    fflush(stdout);
    text_free(&text);
}

static void examined(void *context)
{
    struct examination *examination = context;
    loop_stop(examination->loop);
}

// Without a kubeconfig the account alone is looked at.
static void open_cluster(struct examination *examination, const struct kube_choice *cluster)
{
    struct error error = {0};
    struct http_transport_options http = {.user_agent = "karpenter/" ADZE_VERSION};
    struct kube_client_options unlimited = {0};
    examination->config = kube_config_load(cluster, &error);
    struct kube_transport *transport =
        examination->config != NULL
            ? http_transport_create(examination->loop, examination->config, &http, &error)
            : NULL;
    if (transport != NULL)
        examination->kube = kube_client_create(examination->loop, transport, &unlimited);
    else
        snprintf(examination->kube_problem, sizeof examination->kube_problem, "%s", error.message);
}

static int examine(struct examination *examination, const struct kube_choice *cluster)
{
    struct error error = {0};
    examination->loop = loop_create();
    open_cluster(examination, cluster);
    if (!aws_access_open(&examination->access, examination->loop, NULL, &error))
        return command_failed(&command_doctor, &error);
    struct doctor_options options = {
        .loop = examination->loop,
        .client = examination->access.client,
        .http = examination->access.http,
        .environment = examination->access.environment,
        .kube = examination->kube,
        .kube_problem = examination->kube_problem[0] != '\0' ? examination->kube_problem : NULL,
        .settings = &examination->settings,
        .line = print_line,
        .done = examined,
        .context = examination};
    examination->doctor = doctor_start(&options);
    loop_run(examination->loop);
    const uint32_t *counts = examination->counts;
    printf("\n%u passed, %u warnings, %u failed, %u skipped\n", counts[DOCTOR_PASSED],
           counts[DOCTOR_WARNING], counts[DOCTOR_FAILED], counts[DOCTOR_SKIPPED]);
    return counts[DOCTOR_FAILED] > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}

static void close_examination(struct examination *examination)
{
    doctor_destroy(examination->doctor);
    aws_access_close(&examination->access);
    if (examination->kube != NULL)
        kube_client_destroy(examination->kube);
    kube_config_free(examination->config);
    if (examination->loop != NULL)
        loop_destroy(examination->loop);
    settings_free(&examination->settings);
}

static int run(int argc, char **argv)
{
    struct examination examination = {0};
    const char *provider = "aws";
    struct kube_choice cluster = {0};
    const struct extra_option extras[] = {
        {"provider", &provider, NULL},
        {"kubeconfig", &cluster.kubeconfig, NULL},
        {"context", &cluster.context, NULL},
        {0},
    };
    settings_defaults(&examination.settings);
    int status =
        settings_from_command_line(&command_doctor, &examination.settings, argc, argv, extras);
    if (status < 0 && !text_equal(provider, aws_provider.name))
        status = command_usage_error(&command_doctor, "--provider %s: only aws can be examined",
                                     provider);
    if (status < 0 && examination.settings.cluster_name[0] == '\0')
        status = command_usage_error(&command_doctor, "--cluster-name is missing");
    if (status < 0)
        status = examine(&examination, &cluster);
    close_examination(&examination);
    return status;
}

const struct command command_doctor = {
    .name = "doctor",
    .arguments = "--cluster-name NAME [--provider aws] [--kubeconfig FILE] [--context NAME] "
                 "[SETTINGS]",
    .summary = "examine an account and a cluster before the controller runs there",
    .help =
        "Looks at credentials, clock, permissions, discovery tags, the interruption queue (by a "
        "test message), the\nEKS cluster, the API server, CRDs and quotas. Each line passes or "
        "says what to do. Nothing else is changed.\n\n"
        "  --provider NAME      only aws, the default\n"
        "  --kubeconfig FILE    default: as the controller's\n"
        "  --context NAME       of the kubeconfig; default: the current one\n"
        "Settings are those of the controller: --cluster-name, --interruption-queue, "
        "--cluster-endpoint and others,\nor their environment variables.\n\n"
        "Exit codes: 0 nothing failed (there may be warnings), 1 a check failed, 2 bad usage or no "
        "region.\n\n"
        "Example:\n"
        "  adze doctor --provider aws --cluster-name shop --interruption-queue shop\n",
    .run = run,
};
