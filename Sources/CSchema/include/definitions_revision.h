#pragma once

/// The number of the definitions. scripts/definitions-revision.sh raises it if their text changes; its SHA-256:
/// b0aadbcd25df79314e20a18417da922a6e2f67860d2f1b64f78e888326d5c095
#define DEFINITIONS_REVISION 1
