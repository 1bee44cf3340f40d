#pragma once

#include <stddef.h>

#include "definitions_revision.h"

#pragma clang assume_nonnull begin

/// A file of SQL, embedded in the program.
struct embedded_sql {
    /// The file's name without its ending.
    const char *name;
    /// Its text, which ends with a zero byte.
    const char *script;
};

/// The files of migrations/ in the order in which they are applied.
const struct embedded_sql *embedded_migrations(void);

/// The number of these files.
size_t embedded_migration_count(void);

/// The files of definitions/ in the order in which they are run.
const struct embedded_sql *embedded_definitions(void);

/// The number of these files.
size_t embedded_definition_count(void);

#pragma clang assume_nonnull end
