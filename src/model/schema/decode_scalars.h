// Values of one field, by its type, after the check of its form (form_reads()). Return false, with
// the decoder's error, if the text or number is invalid.
#pragma once

#include "model/schema/decoder.h"

bool decode_int(struct decoder *decoder, const struct place *place, const json_t *value,
                const struct json_form *form, int64_t *to);
bool decode_int_or_string(struct decoder *decoder, const struct place *place, const json_t *value,
                          const struct json_form *form, struct int_or_string *to);
bool decode_duration(struct decoder *decoder, const struct place *place, const json_t *value,
                     struct duration *to);
bool decode_time(struct decoder *decoder, const struct place *place, const json_t *value,
                 int64_t *to);
bool decode_price(struct decoder *decoder, const struct place *place, const json_t *value,
                  int64_t *to);
bool decode_free_form(struct decoder *decoder, const struct place *place, const json_t *value,
                      const char **to);
bool decode_quantity(struct decoder *decoder, const struct place *place, const char *resource,
                     const json_t *value, int64_t *to);
