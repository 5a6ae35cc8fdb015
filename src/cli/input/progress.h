// A line on the terminal while something takes long: "adze: planning, 3 s". It comes after a
// second, on standard error if that is a terminal, and goes before anything else is printed.
#pragma once

// `what` stays valid until progress_end(). One at a time.
void progress_begin(const char *what);
void progress_end(void);
