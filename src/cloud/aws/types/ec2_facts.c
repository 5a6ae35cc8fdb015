#include "cloud/aws/types/ec2_facts.h"

// The assembler includes the files unchanged; ADZE_DATA is the folder data/, given by the build.
__asm__(".section .rodata\n"
        ".global ec2_facts_types\n.global ec2_facts_types_end\n"
        "ec2_facts_types: .incbin \"" ADZE_DATA "/ec2/instance-types.json\"\n"
        "ec2_facts_types_end: .byte 0\n"
        ".global ec2_facts_prices\n.global ec2_facts_prices_end\n"
        "ec2_facts_prices: .incbin \"" ADZE_DATA "/ec2/prices-on-demand.json\"\n"
        "ec2_facts_prices_end: .byte 0\n"
        ".global ec2_facts_regions\n.global ec2_facts_regions_end\n"
        "ec2_facts_regions: .incbin \"" ADZE_DATA "/ec2/region-prices.txt\"\n"
        "ec2_facts_regions_end: .byte 0\n"
        ".previous\n");
