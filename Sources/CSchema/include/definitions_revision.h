#pragma once

/// The number of the definitions. scripts/definitions-revision.sh raises it if their text changes; its SHA-256:
/// ba24925d74808c02dd857afbf61b0b70113ed2f511d7299824a9b54ab61cfb5e
#define DEFINITIONS_REVISION 1
