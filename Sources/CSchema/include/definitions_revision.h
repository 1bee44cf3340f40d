#pragma once

/// The number of the definitions. scripts/definitions-revision.sh raises it if their text changes; its SHA-256:
/// 37903cc37988db787599fdf716ac72237c501bc3d70cbab076aaa2f7341edf39
#define DEFINITIONS_REVISION 1
