#include "cloud/aws/controllers/aws_controllers.h"

#include <stdlib.h>

#include "cloud/aws/controllers/console_output.h"
#include "cloud/aws/controllers/instance_tagging.h"
#include "cloud/aws/controllers/learned_capacity.h"
#include "cloud/aws/controllers/offering_metrics.h"
#include "cloud/aws/controllers/queue_advice.h"
#include "cloud/aws/controllers/refreshes.h"
#include "cloud/aws/controllers/reservation_demotion.h"
#include "cloud/aws/controllers/reservation_expiry.h"
#include "cloud/aws/controllers/zonal_shift_controller.h"

struct aws_controllers {
    struct aws_controllers_environment environment;
    struct refreshes *refreshes;
    struct instance_tagging *tagging;
    struct reservation_demotion *demotion;
    struct reservation_expiry *expiry;
    struct zonal_shift_controller *zonal_shift;
    struct learned_capacity *learned;
    struct offering_metrics *metrics;
    struct console_output *console;
    struct queue_advice *advice;
};

struct aws_controllers *aws_controllers_create(
    struct manager *manager, const struct aws_controllers_environment *environment)
{
    struct aws_controllers *controllers = memory_allocate(sizeof *controllers);
    controllers->environment = *environment;
    environment = &controllers->environment;
    controllers->refreshes = refreshes_create(manager, environment);
    controllers->tagging = instance_tagging_create(manager, environment);
    controllers->demotion = reservation_demotion_create(manager, environment);
    controllers->expiry = reservation_expiry_create(manager, environment);
    controllers->zonal_shift = zonal_shift_controller_create(manager, environment);
    controllers->learned = learned_capacity_create(manager, environment);
    controllers->metrics = offering_metrics_create(manager, environment);
    controllers->console = console_output_create(manager, environment);
    controllers->advice = queue_advice_create(manager);
    return controllers;
}

void aws_controllers_destroy(struct aws_controllers *controllers)
{
    if (controllers == NULL)
        return;
    queue_advice_destroy(controllers->advice);
    console_output_destroy(controllers->console);
    offering_metrics_destroy(controllers->metrics);
    learned_capacity_destroy(controllers->learned);
    zonal_shift_controller_destroy(controllers->zonal_shift);
    reservation_expiry_destroy(controllers->expiry);
    reservation_demotion_destroy(controllers->demotion);
    instance_tagging_destroy(controllers->tagging);
    refreshes_destroy(controllers->refreshes);
    free(controllers);
}
