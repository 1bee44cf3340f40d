#pragma once

#include <stddef.h>

#pragma clang assume_nonnull begin

/// The file public-suffix-list/public_suffix_list.dat, embedded in the program; not ended by a zero byte.
const char *public_suffix_list(void);

/// Its size in bytes.
size_t public_suffix_list_size(void);

/// The day of the list, such as 2026-01-31, from the file public-suffix-list/date.
const char *public_suffix_list_date(void);

#pragma clang assume_nonnull end
