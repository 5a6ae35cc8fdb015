// Function attributes for the compiler.
#pragma once

#define MUST_USE __attribute__((warn_unused_result))
#define PRINTF_LIKE(text_index, first_index) \
    __attribute__((format(printf, text_index, first_index)))
