// Runs a fuzz target once over its seeds, and over mutations of them that are the same each time.
// For builds without libFuzzer. usage: NAME [--mutations N] FILE...
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BYTES_MAX (1 << 20)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint64_t state = 88172645463325252; // of xorshift

static uint64_t draw(uint64_t below)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state % below;
}

static void run(const uint8_t *data, size_t size)
{
    uint8_t *copy = calloc(1, size > 0 ? size : 1); // by itself, so that sanitizers know its end
    if (copy == NULL)
        abort();
    memcpy(copy, data, size);
    LLVMFuzzerTestOneInput(copy, size);
    free(copy);
}

static size_t mutate(uint8_t *data, size_t size)
{
    size_t at = draw(size), other = draw(size), length = draw(16) + 1;
    switch (draw(4)) {
    case 0: // another byte
        data[at] = (uint8_t)draw(256);
        return size;
    case 1: // cut off
        return at + 1;
    case 2: // a piece is gone
        length = length < size - at ? length : size - at;
        memmove(data + at, data + at + length, size - at - length);
        return size - length;
    default: // a piece elsewhere
        length = length < size - at ? length : size - at;
        length = length < size - other ? length : size - other;
        memmove(data + other, data + at, length);
        return size;
    }
}

static void run_mutations(const uint8_t *seed, size_t size, int mutations)
{
    uint8_t *data = malloc(size + 1);
    if (data == NULL)
        abort();
    for (int i = 0; i < mutations && size > 0; i++) {
        size_t left = size;
        memcpy(data, seed, size);
        for (uint64_t j = draw(4) + 1; j > 0 && left > 0; j--)
            left = mutate(data, left);
        run(data, left);
    }
    free(data);
}

int main(int count, char **arguments)
{
    static uint8_t seed[BYTES_MAX];
    int mutations = 0, first = 1;
    if (count > 2 && strcmp(arguments[1], "--mutations") == 0) {
        mutations = atoi(arguments[2]);
        first = 3;
    }
    run((const uint8_t *)"", 0);
    for (int i = first; i < count; i++) {
        FILE *file = fopen(arguments[i], "rb");
        if (file == NULL) {
            fprintf(stderr, "%s cannot be read\n", arguments[i]);
            return 1;
        }
        size_t size = fread(seed, 1, sizeof seed, file);
        fclose(file);
        run(seed, size);
        run_mutations(seed, size, mutations);
    }
    printf("%d seeds, %d mutations of each\n", count - first, mutations);
    return 0;
}
