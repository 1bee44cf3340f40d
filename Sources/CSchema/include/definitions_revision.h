#pragma once

/// The number of the definitions. scripts/definitions-revision.sh raises it if their text changes; its SHA-256:
/// 19efb91b387f409be6b27b7c3c45e03b9c3085dde2d0fd03bf1efb668b3f91f7
#define DEFINITIONS_REVISION 1
