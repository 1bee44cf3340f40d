#pragma once

/// The number of the definitions. scripts/definitions-revision.sh raises it if their text changes; its SHA-256:
/// 735b8d2f8fb53339e961d7e57ce9c964ec893ad8a3e367f386e139c977a426ff
#define DEFINITIONS_REVISION 1
