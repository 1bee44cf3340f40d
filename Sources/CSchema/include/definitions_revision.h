#pragma once

/// The number of the definitions. scripts/definitions-revision.sh raises it if their text changes; its SHA-256:
/// 140ac89b3aab66d644eb1343297ca457b6771dfdc08107c084181581b38275c1
#define DEFINITIONS_REVISION 1
