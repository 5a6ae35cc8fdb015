// The parts of the provider that handling of interruptions works with.
#pragma once

#include "cloud/aws/client/aws_client.h"
#include "cloud/aws/types/reservation_counts.h"
#include "cloud/aws/types/unavailable_offerings.h"
#include "cloud/port/cloud.h"

struct interruption_environment { // borrowed
    struct aws_client *client;
    struct unavailable_offerings *unavailable;
    struct reservation_counts *reservations;
    struct cloud *cloud; // is told of NodeClaims that drift; NULL: nobody is
};
