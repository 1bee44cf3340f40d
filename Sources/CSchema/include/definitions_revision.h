#pragma once

/// The number of the definitions. scripts/definitions-revision.sh raises it if their text changes; its SHA-256:
/// 22dc1b9ec8a108907e70e803774e0c346142526b23810418d441d30f36140d76
#define DEFINITIONS_REVISION 1
