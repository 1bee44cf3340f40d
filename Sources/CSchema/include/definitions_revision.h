#pragma once

/// The number of the definitions. scripts/definitions-revision.sh raises it if their text changes; its SHA-256:
/// 1655f91d5241b11db6ad489b95d9c44528f471794e62874234394d27cf64f772
#define DEFINITIONS_REVISION 1
