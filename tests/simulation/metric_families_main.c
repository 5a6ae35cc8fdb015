// Prints the metric families of a controller with every feature on: the argument `kwok` or `aws` is
// its provider. tools/metrics-reference makes docs/metrics.md of it. `compact|full NODES` prints
// instead how large a scrape is in this profile, with so many nodes on AWS.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/metrics_text.h"
#include "simulation/aws_scene.h"
#include "simulation/scenario.h"
#include "web/process_metrics.h"

static void print(struct metrics *metrics)
{
    struct text text = {0};
    struct process_metrics *process = process_metrics_create(metrics);
    metrics_write_families(metrics, &text);
    process_metrics_destroy(process);
    fputs(text.data, stdout);
    text_free(&text);
}

static void print_size(struct metrics *metrics)
{
    struct text text = {0};
    uint32_t series = 0;
    metrics_write(metrics, &text);
    for (const char *at = text.data; at != NULL; at = strchr(at, '\n')) {
        at += *at == '\n';
        series += *at != '#' && *at != '\0';
    }
    printf("%u series, %.1f kB\n", series, (double)text.length / 1e3);
    text_free(&text);
}

// Nodes of 2 cpu, each with one pod of one cpu.
static void measure(int nodes, bool full)
{
    struct scene *scene = scene_open();
    scene->account.catalogue = "(m5|c5|r5|m6i|c6i)\\.(large|xlarge|2xlarge)";
    scene->settings.metrics_full = full;
    scene_begin(scene);
    simulation_start_controller(scene->simulation);
    apply_class(scene, TAGGED, TAGGED, "role: nodes");
    apply_pool(scene, "{key: karpenter.k8s.aws/instance-cpu, operator: In, values: ['2']}");
    apply_pods(scene, nodes);
    run(scene, 600);
    printf("%u nodes, %u pods\n", simulation_count(scene->simulation, "v1", "Node"),
           simulation_count(scene->simulation, "v1", "Pod"));
    print_size(simulation_metrics(scene->simulation));
    scene_close(scene);
}

int main(int argc, char **argv)
{
    if (argc == 3) {
        measure(atoi(argv[2]), strcmp(argv[1], "full") == 0);
        return 0;
    }
    if (argc == 2 && strcmp(argv[1], "aws") == 0) {
        struct scene *scene = scene_open();
        scene->settings.gate_capacity_buffer = true;
        scene->settings.enable_zonal_shift = true;
        scene_begin(scene);
        simulation_start_controller(scene->simulation);
        apply_class(scene, TAGGED, TAGGED, "role: nodes");
        apply_pool(scene, "");
        apply_pods(scene, 1);
        run(scene, 120);
        print(simulation_metrics(scene->simulation));
        scene_close(scene);
        return 0;
    }
    struct scenario *scenario = scenario_create(1);
    scenario->settings.gate_capacity_buffer = true;
    scenario_begin(scenario);
    print(simulation_metrics(scenario->simulation));
    scenario_destroy(scenario);
    return 0;
}
