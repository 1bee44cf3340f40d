#pragma once

/// The number of the definitions. scripts/definitions-revision.sh raises it if their text changes; its SHA-256:
/// 09ab5ebb3a17ddac3642b82f2e5015ca70a8cc31f847dcca5038f2b2a9864584
#define DEFINITIONS_REVISION 1
