// Labels and annotations that launches and instances read and write.
#pragma once

#define LABEL_PREFIX_AWS                "karpenter.k8s.aws/"
#define LABEL_INSTANCE_SIZE             LABEL_PREFIX_AWS "instance-size"
#define LABEL_INSTANCE_TENANCY          LABEL_PREFIX_AWS "instance-tenancy"
#define LABEL_RESERVATION_ID            LABEL_PREFIX_AWS "capacity-reservation-id"
#define LABEL_RESERVATION_TYPE          LABEL_PREFIX_AWS "capacity-reservation-type"
#define LABEL_RESERVATION_INTERRUPTIBLE LABEL_PREFIX_AWS "capacity-reservation-interruptible"
#define LABEL_PLACEMENT_GROUP           LABEL_PREFIX_AWS "placement-group-id"
#define LABEL_PARTITION                 LABEL_PREFIX_AWS "placement-group-partition"
#define LABEL_ZONE_ID                   "topology.k8s.aws/zone-id"
#define ANNOTATION_PRICE_OVERLAY        "karpenter.sh/price-overlay-applied"
#define RESOURCE_EFA                    "vpc.amazonaws.com/efa"
#define RESERVATION_DEFAULT             "default"
#define RESERVATION_BLOCK               "capacity-block"
