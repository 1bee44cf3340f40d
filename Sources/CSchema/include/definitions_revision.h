#pragma once

/// The number of the definitions. scripts/definitions-revision.sh raises it if their text changes; its SHA-256:
/// 22c994bcbc03739ba8287ad319e34dfa423a2c28f7553004d66abe4cd5f3d812
#define DEFINITIONS_REVISION 2
