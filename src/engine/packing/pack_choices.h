// Choices of a plan that could be made otherwise (pack_alternatives.h), and what that might save.
#pragma once

#include "engine/packing/pack_outcome.h"

#define PODS_FEW     100 // plans of fewer pods are searched whatever looks dear
#define GAIN_PERCENT 2   // of the price, which must be above the bound for a try
#define GROUPS_MAX   32
#define DEAR_TIMES \
    2 // a term that costs so many times another one opens no domain that must be filled

struct alternative { // one choice, for some pods
    // Of these, all but the last two ignore spreads of others.
    enum { IGNORE_INVERSE, OWNERS_FIRST, CHOOSY_FIRST, FILL_DEAR, BY_ADDED_PRICE, TAKE_SET } kind;
    struct bitset pods; // by origin
    uint32_t set;
    double price; // of what a pod needs, about, on the machine that is best for it
};
struct group {                 // pods with the same terms to choose from
    const struct shape *shape; // of one of them
    struct bitset pods;
};
struct chooser {
    struct problem *problem;
    struct arena *arena;
    struct pass *best;
    struct pack_outcome outcome;
    struct pass_input input; // of the best
    uint32_t pods, tries;
    double terms_gain, inverse_gain; // nano-USD an hour that other choices would save, about
    struct { // what was guessed last: pods of a shape mostly follow each other
        const struct shape *shape;
        uint32_t term;
        double price;
    } guess;
    struct group groups[GROUPS_MAX];
    uint32_t groups_count;
    struct bitset avoiding; // classes with pods that avoid spreads of others
    struct bitset dear;     // classes with pods on new nodes that only dear machines will do for
    const uint8_t *owners_first, *choosy_first; // turns by class; NULL: not made yet
    VECTOR(struct alternative) alternatives;
};

// Pods with terms to choose from, those that avoid spreads of others, and those that need dear
// machines.
void choices_find(struct chooser *chooser);
// About what other choices would save.
void choices_find_gains(struct chooser *chooser);
void choices_list(struct chooser *chooser);
bool choices_gain_much(const struct chooser *chooser, double gain);
// What a pod of the shape needs with the term, about, on the machine that is best for it.
double choices_guess_price(struct chooser *chooser, const struct shape *shape, uint32_t term);
