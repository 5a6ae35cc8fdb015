// Options of `adze bench`, shared by its subjects.
#pragma once

#include "bench/bench_report.h"
#include "bench/bench_workload.h"

#define BENCH_RUNS_MAX  1000
#define BENCH_SEEDS_MAX 1000

struct bench_options {
    struct bench_workload workload;
    uint32_t runs, seeds;
    enum bench_format format;
    const char *dump_path; // write the snapshot instead of planning it; NULL: no
    bool growth;
    bool mix_given, pods_given; // price: one workload instead of the whole set
    bool prices_given;          // price: either list or effective prices instead of both
};

// Adds the row of one workload, or the rows of `--growth`.
typedef bool (*bench_add_row)(json_t *rows, const struct bench_workload *workload, uint32_t runs,
                              struct error *error);
typedef bool (*bench_add_growth)(json_t *rows, const struct bench_options *options,
                                 struct error *error);
// Prints the requested rows to standard output; false with the *error of the failed part.
bool bench_rows_print(const struct bench_options *options, bench_add_row add_row,
                      bench_add_growth add_growth, struct error *error) MUST_USE;

// Each prints its report to standard output and returns false with *error if a plan failed.
bool bench_schedule(const struct bench_options *options, struct error *error) MUST_USE;
bool bench_disrupt(const struct bench_options *options, struct error *error) MUST_USE;
bool bench_adversarial(const struct bench_options *options, struct error *error) MUST_USE;
bool bench_price(const struct bench_options *options, struct error *error) MUST_USE;
