#pragma once

/// The number of the definitions. scripts/definitions-revision.sh raises it if their text changes; its SHA-256:
/// 7f3acfd03ffa14f0bb070cbaf6e226d4e646da92e293ed72c2f00c6f488c2e2b
#define DEFINITIONS_REVISION 1
