// Prints the metric families of a controller with every feature on: the argument `kwok` or `aws` is
// its provider. tools/metrics-reference makes docs/metrics.md of it.
#include <stdio.h>
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

int main(int argc, char **argv)
{
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
