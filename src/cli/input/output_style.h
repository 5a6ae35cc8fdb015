// How text for people looks: what options say of standard output and standard error, once, before
// anything is printed.
#pragma once

#include <stdbool.h>

enum color_choice { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };

struct output_style {
    enum color_choice color;
    bool no_headers; // tables without their titles
    bool wide;       // tables as wide as what is in them
};

// That of the process, as standard output is.
struct output_style *output_style(void);
