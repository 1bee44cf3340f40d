#pragma once

/// The number of the definitions. scripts/definitions-revision.sh raises it if their text changes; its SHA-256:
/// 401a4d4445398ebaedeeb30e3039b37195e85793e966ccfa370b704d2d2faa26
#define DEFINITIONS_REVISION 1
