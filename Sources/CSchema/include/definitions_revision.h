#pragma once

/// The number of the definitions. scripts/definitions-revision.sh raises it if their text changes; its SHA-256:
/// 2a7e1a86c36d4ed1a871f0476f6b24a0105e1cc16852fc5f4291a39d90eb9f02
#define DEFINITIONS_REVISION 1
