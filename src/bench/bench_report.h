// Rows of results as an aligned table, JSON or CSV. A row is a JSON object; all rows of a report
// have the same members in the same order, which are the columns.
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

enum bench_format { BENCH_TABLE, BENCH_JSON, BENCH_CSV };

bool bench_format_parse(const char *text, enum bench_format *format);
// One row in JSON is the object itself; several are an array. `null` prints as "-" in a table and
// as nothing in CSV.
void bench_report_print(FILE *stream, const json_t *rows, enum bench_format format);
// A number for a report: rounded to three decimals, so that outputs are readable everywhere.
json_t *bench_real(double value);
