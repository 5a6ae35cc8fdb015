// The share of their cpu requests that the cluster's pods use (SCH-507), smoothed.
//
// - The average weighs each measurement by its age: one of a day ago counts a third. A day, since a
//   burstable machine saves its credits for as long. It begins with the setting's default, which
//   counts as much as some hours of measurements.
// - The value in use is a multiple of a twentieth. It follows the average only if that is clearly
//   nearer to another one, and then rests for some hours; before two hours have been measured there
//   is none.
//
// Time is the time that measurements cover: gaps neither age nor move anything.
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

struct cpu_use_estimate {
    double average;  // a share
    double weight;   // of the average, in hours; 24 at most
    double measured; // hours in all
    double rest;     // hours since `steps` changed
    int steps;       // the value in use, in twentieths: 1 to 20; 0: none yet
};

void cpu_use_estimate_begin(struct cpu_use_estimate *estimate, double default_share);
// A measurement, for the time since the last one. Returns whether the value in use changes.
bool cpu_use_estimate_add(struct cpu_use_estimate *estimate, double share, int64_t elapsed_ns);

#define CPU_USE_TEXT_MAX 8
// "0.35"; "" if there is none.
void cpu_use_estimate_format(const struct cpu_use_estimate *estimate, char out[CPU_USE_TEXT_MAX]);

// For the next controller, which takes it up for a week (`now`: wall clock). A reading of anything
// else, or of older ones, is false and changes nothing.
json_t *cpu_use_estimate_encode(const struct cpu_use_estimate *estimate, int64_t now);
bool cpu_use_estimate_decode(struct cpu_use_estimate *estimate, const json_t *json, int64_t now);
