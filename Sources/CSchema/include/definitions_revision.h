#pragma once

/// The number of the definitions. scripts/definitions-revision.sh raises it if their text changes; its SHA-256:
/// 3f2907a924d668798abdc0e8b47916700df6d754da638998d7e62af5eac7c575
#define DEFINITIONS_REVISION 1
