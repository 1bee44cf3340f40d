#pragma once

/// The number of the definitions. scripts/definitions-revision.sh raises it if their text changes; its SHA-256:
/// e3e71e6ad96d6d517439534762552b6b567760c7ba4529798d3b622d037d6204
#define DEFINITIONS_REVISION 1
