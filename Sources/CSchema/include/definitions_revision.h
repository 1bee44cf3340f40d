#pragma once

/// The number of the definitions. scripts/definitions-revision.sh raises it if their text changes; its SHA-256:
/// 5e49613df89d9ca619d66423bdbf46b503e1b6206c9943c23957b8938cfd448b
#define DEFINITIONS_REVISION 1
