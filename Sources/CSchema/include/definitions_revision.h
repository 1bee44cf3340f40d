#pragma once

/// The number of the definitions. scripts/definitions-revision.sh raises it if their text changes; its SHA-256:
/// 29adcd39d6d16d8f5351f448034b7d236f4020ae06b28fa1db12b7e05232b6e1
#define DEFINITIONS_REVISION 8
