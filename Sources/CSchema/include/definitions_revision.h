#pragma once

/// The number of the definitions. scripts/definitions-revision.sh raises it if their text changes; its SHA-256:
/// 8b76a794ecce281d3e09a83fe70f559a487a30c36156cd26dd6e31c1988f1ce1
#define DEFINITIONS_REVISION 8
