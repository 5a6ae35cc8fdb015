// The controller's settings in its published record (provider_record.h), as far as plans depend on
// them.
#pragma once

struct settings;

// Those that were set explicitly, as a JSON object: {"NODE_COST": "0.05"}. Without files, whose
// paths are the controller's own. The caller frees.
char *record_settings_encode(const struct settings *settings);
// The defaults, then those of the text; names of other releases and bad values are passed over.
void record_settings_apply(const char *text, struct settings *settings);
// What the controller has learned, {"EXPECTED_CPU_USE": {"value": "0.35"}} with whatever it keeps
// beside the value: taken for settings that are not explicit. NULL: nothing.
void record_learned_apply(const char *text, struct settings *settings);
