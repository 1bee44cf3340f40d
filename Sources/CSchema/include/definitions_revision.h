#pragma once

/// The number of the definitions. scripts/definitions-revision.sh raises it if their text changes; its SHA-256:
/// f3cdd7b1579b506655186bfd6cd751d49fa99e86abb6e937e8b630d71321906a
#define DEFINITIONS_REVISION 1
