// The check of images that `latest` aliases stand for (AWN-178): every 30 minutes; a parameter
// whose image has been deprecated is read again.
#pragma once

#include "cloud/aws/nodeclass/class_pass.h"

// Beginnings of the keys of SSM parameters among the answers.
#define LATEST_PARAMETERS "ssm-latest:"
#define PINNED_PARAMETERS "ssm-pinned:"
#define CUSTOM_PARAMETERS "ssm-custom:"

struct reconcile_queue *latest_images_create(struct node_class_controllers *controllers);
