#pragma once

/// The number of the definitions. scripts/definitions-revision.sh raises it if their text changes; its SHA-256:
/// 5ae056c7e4c410dfd1b0f319c3a39066ab28ad1075bdfcf89c85b207e6d70037
#define DEFINITIONS_REVISION 1
