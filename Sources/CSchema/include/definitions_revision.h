#pragma once

/// The number of the definitions. scripts/definitions-revision.sh raises it if their text changes; its SHA-256:
/// 7ed1cd17cc81cee90a9173774a1055d762644ad1f07afcfd8bb910602c66e045
#define DEFINITIONS_REVISION 1
