#include "cli/demo_data.h"

// The assembler includes the example manifests unchanged; ADZE_EXAMPLES is the folder examples/,
// given by the build.
__asm__(".section .rodata\n"
        ".global demo_manifest\n"
        "demo_manifest: .incbin \"" ADZE_EXAMPLES "/inflate.yaml\"\n"
        ".byte 0\n"
        ".global demo_web_manifest\n"
        "demo_web_manifest: .incbin \"" ADZE_EXAMPLES "/web.yaml\"\n"
        ".byte 0\n"
        ".previous\n");
