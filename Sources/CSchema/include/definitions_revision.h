#pragma once

/// The number of the definitions. scripts/definitions-revision.sh raises it if their text changes; its SHA-256:
/// 9d46441318697a623b2d8a2cba3b71746a326a4b9e1416fd3d30e848e5afecd2
#define DEFINITIONS_REVISION 2
