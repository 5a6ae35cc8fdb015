// Fills struct settings from names and texts: defaults, the environment, single settings.
#pragma once

#include "base/error.h"
#include "model/reading/settings.h"

// Whether the setting of this environment name was set explicitly.
bool settings_given(const struct settings *settings, const char *environment_name);

void settings_defaults(struct settings *settings);
// Sets one setting by its environment name; the error for an unknown name or bad value lists the
// allowed ones. (Unlike upstream, a bad environment value is refused: LIF-470.)
bool settings_set(struct settings *settings, const char *environment_name, const char *value,
                  struct error *error) MUST_USE;
// The same for a number that the controller has learned: explicit, but COMPATIBILITY=upstream
// still wins over it, and so does a value that is set later.
bool settings_learn(struct settings *settings, const char *environment_name, const char *value,
                    struct error *error) MUST_USE;
bool settings_is_learned(const struct settings *settings, uint32_t index); // row of the table
// The learned ones as "NAME 0.35, learned from metrics", separated by commas.
void settings_describe_learned(const struct settings *settings, struct text *out);
// Reads every name of the table from the environment.
bool settings_from_environment(struct settings *settings, struct error *error) MUST_USE;
// Applies COMPATIBILITY to settings not set explicitly, and cross-field checks. Call last.
bool settings_finish(struct settings *settings, struct error *error) MUST_USE;
void settings_free(struct settings *settings);
// An independent copy; free it with settings_free().
void settings_copy(struct settings *to, const struct settings *from);
// Whether row `index` of the table was set explicitly.
bool settings_is_explicit(const struct settings *settings, uint32_t index);
