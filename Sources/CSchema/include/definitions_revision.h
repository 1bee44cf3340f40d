#pragma once

/// The number of the definitions. scripts/definitions-revision.sh raises it if their text changes; its SHA-256:
/// 2f96bc614ae7f280495412747e9d476f2ea0eb8800c564b223eae6b119a97a53
#define DEFINITIONS_REVISION 10
