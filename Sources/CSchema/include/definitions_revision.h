#pragma once

/// The number of the definitions. scripts/definitions-revision.sh raises it if their text changes; its SHA-256:
/// 8c2534e2036ed3f3de6cb52b1557b7c8693c64b3b918a4723900e3d89b9512fb
#define DEFINITIONS_REVISION 1
