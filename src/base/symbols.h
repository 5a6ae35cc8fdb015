// Interning: strings to small dense integers and back. One table per computation or per process;
// not thread-safe. Identifiers count up from 0 in order of first interning.
#pragma once

#include <stddef.h>
#include <stdint.h>

#define SYMBOL_NONE UINT32_MAX

struct symbols;
struct symbols *symbols_create(void);
void symbols_destroy(struct symbols *symbols);
uint32_t symbols_intern(struct symbols *symbols, const char *text);
uint32_t symbols_find(const struct symbols *symbols, const char *text); // SYMBOL_NONE if absent
const char *symbols_text(const struct symbols *symbols, uint32_t symbol);
uint32_t symbols_count(const struct symbols *symbols);
