#pragma once

/// The number of the definitions. scripts/definitions-revision.sh raises it if their text changes; its SHA-256:
/// b9262582f04d70c3435e6a1a332f39d6404f665683cc8206ca927f8cb5c1c84a
#define DEFINITIONS_REVISION 1
