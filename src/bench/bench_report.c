#include "bench/bench_report.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"

#define CELL_MAX    64
#define COLUMNS_MAX 32

bool bench_format_parse(const char *text, enum bench_format *format)
{
    static const char *const names[] = {"table", "json", "csv"};
    for (size_t i = 0; i < ARRAY_LENGTH(names); i++)
        if (strcmp(text, names[i]) == 0) {
            *format = (enum bench_format)i;
            return true;
        }
    return false;
}

json_t *bench_real(double value)
{
    return json_real(round(value * 1000) / 1000);
}

static void cell_text(const json_t *value, const char *absent, char out[CELL_MAX])
{
    if (json_is_integer(value))
        snprintf(out, CELL_MAX, "%lld", (long long)json_integer_value(value));
    else if (json_is_real(value))
        snprintf(out, CELL_MAX, "%.3f", json_real_value(value));
    else if (json_is_string(value))
        snprintf(out, CELL_MAX, "%s", json_string_value(value));
    else
        snprintf(out, CELL_MAX, "%s", absent);
}

static void print_csv(FILE *stream, const json_t *rows)
{
    size_t index;
    json_t *row, *value;
    const char *name, *separator = "";
    json_object_foreach (json_array_get(rows, 0), name, value) {
        fprintf(stream, "%s%s", separator, name);
        separator = ",";
    }
    fputc('\n', stream);
    json_array_foreach (rows, index, row) {
        separator = "";
        json_object_foreach (row, name, value) {
            char cell[CELL_MAX];
            cell_text(value, "", cell);
            fprintf(stream, "%s%s", separator, cell);
            separator = ",";
        }
        fputc('\n', stream);
    }
}

static void measure_columns(const json_t *rows, int widths[COLUMNS_MAX])
{
    size_t index;
    json_t *row, *value;
    const char *name;
    json_array_foreach (rows, index, row) {
        int column = 0;
        json_object_foreach (row, name, value) {
            char cell[CELL_MAX];
            cell_text(value, "-", cell);
            int width = (int)(strlen(cell) > strlen(name) ? strlen(cell) : strlen(name));
            if (width > widths[column])
                widths[column] = width;
            column++;
        }
    }
}

// Words to the left, numbers to the right.
static void print_cell(FILE *stream, const json_t *like, const char *text, int width, bool first)
{
    if (!first)
        fputs("  ", stream);
    fprintf(stream, json_is_string(like) ? "%-*s" : "%*s", width, text);
}

static void print_table(FILE *stream, const json_t *rows)
{
    int widths[COLUMNS_MAX] = {0}, column = 0;
    size_t index;
    json_t *row, *value;
    const char *name;
    measure_columns(rows, widths);
    json_object_foreach (json_array_get(rows, 0), name, value) {
        print_cell(stream, value, name, widths[column], column == 0);
        column++;
    }
    fputc('\n', stream);
    json_array_foreach (rows, index, row) {
        column = 0;
        json_object_foreach (row, name, value) {
            char cell[CELL_MAX];
            cell_text(value, "-", cell);
            print_cell(stream, value, cell, widths[column], column == 0);
            column++;
        }
        fputc('\n', stream);
    }
}

void bench_report_print(FILE *stream, const json_t *rows, enum bench_format format)
{
    const json_t *single = json_array_size(rows) == 1 ? json_array_get(rows, 0) : rows;
    switch (format) {
    case BENCH_TABLE:
        print_table(stream, rows);
        break;
    case BENCH_CSV:
        print_csv(stream, rows);
        break;
    case BENCH_JSON:
        json_dumpf(single, stream, JSON_INDENT(2) | JSON_REAL_PRECISION(12));
        fputc('\n', stream);
        break;
    }
}
