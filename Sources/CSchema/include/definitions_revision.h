#pragma once

/// The number of the definitions. scripts/definitions-revision.sh raises it if their text changes; its SHA-256:
/// 8c2949b1fd5f3abed92947d27eec2a2b5022e7bd58284b0193feab4670025a65
#define DEFINITIONS_REVISION 3
