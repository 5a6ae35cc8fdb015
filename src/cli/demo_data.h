// The examples of the demo, built into the program. NUL-terminated.
#pragma once

extern const char demo_manifest[];     // examples/inflate.yaml
extern const char demo_web_manifest[]; // examples/web.yaml
