#pragma once

/// The number of the definitions. scripts/definitions-revision.sh raises it if their text changes; its SHA-256:
/// 76ecdc9f89a71ab78a16733aca0008d5b0406b8c63f9681254772fe3d57afddc
#define DEFINITIONS_REVISION 1
