// The choices of a plan that may be changed (pack_alternatives.h), and their estimated savings.
#pragma once

#include "engine/packing/pack_outcome.h"

#define PODS_FEW     100 // plans of fewer pods are always searched
#define GAIN_PERCENT 2   // of the price: estimated savings must exceed it for a try
#define GROUPS_MAX   32
#define DEAR_TIMES   2 // price ratio above which a term need not open its domains

struct alternative { // one choice, for some pods
    // All but the last two ignore other pods' spreads.
    enum { IGNORE_INVERSE, OWNERS_FIRST, CHOOSY_FIRST, FILL_DEAR, BY_ADDED_PRICE, TAKE_SET } kind;
    struct bitset pods; // by origin
    uint32_t set;
    double price; // approximate, of a pod on its best machine
};
struct group {                 // pods with the same alternative terms
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
    double terms_gain, inverse_gain; // nano-USD an hour that other choices would save, estimated
    struct { // the last estimate: consecutive pods mostly have the same shape
        const struct shape *shape;
        uint32_t term;
        double price;
    } guess;
    struct group groups[GROUPS_MAX];
    uint32_t groups_count;
    struct bitset avoiding; // classes of pods that avoid other pods' spreads
    struct bitset dear;     // classes of pods on new nodes that need an expensive machine
    const uint8_t *owners_first, *choosy_first; // turns by class; NULL: not made yet
    VECTOR(struct alternative) alternatives;
};

// Finds pods with alternative terms, pods that avoid other pods' spreads, and pods that need
// expensive machines.
void choices_find(struct chooser *chooser);
// Estimates the savings of other choices.
void choices_find_gains(struct chooser *chooser);
void choices_list(struct chooser *chooser);
bool choices_gain_much(const struct chooser *chooser, double gain);
// The approximate price of a pod of the shape with the term, on its best machine.
double choices_guess_price(struct chooser *chooser, const struct shape *shape, uint32_t term);
