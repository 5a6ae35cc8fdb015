// examples/inflate.yaml, built into the program.
#pragma once

extern const char demo_manifest[]; // NUL-terminated
