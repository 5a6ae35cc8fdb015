// The account's instance types, offerings and prices: of the folder's files, or of the built-in
// facts.
#pragma once

#include "sim/aws/account_internal.h"

bool account_types_load(struct aws_account *account, struct error *error) MUST_USE;
void account_types_destroy(struct aws_account *account);
struct account_type *account_type_find(const struct aws_account *account, const char *name);
// The text of the first <element> inside an item's XML, copied; NULL if there is none.
char *account_type_element(const struct account_type *type, const char *element);
bool account_type_has(const struct account_type *type, const char *element, const char *value);
int64_t account_type_number(const struct account_type *type, const char *outer,
                            const char *element); // 0 if there is none
// USD an hour; < 0: none.
double account_price(const struct aws_account *account, const char *type, const char *zone,
                     bool spot);
