#pragma once

#include <stddef.h>

#pragma clang assume_nonnull begin

/// A file of migrations/, embedded in the program.
struct embedded_migration {
    /// The file's name without its ending.
    const char *name;
    /// Its text, which ends with a zero byte.
    const char *script;
};

/// The files in the order in which they are applied.
const struct embedded_migration *embedded_migrations(void);

/// The number of files.
size_t embedded_migration_count(void);

#pragma clang assume_nonnull end
