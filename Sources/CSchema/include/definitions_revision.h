#pragma once

/// The number of the definitions. scripts/definitions-revision.sh raises it if their text changes; its SHA-256:
/// 0394130166949578f2e50ceb988c6cc5f14deba265c45b073caef4de51f04429
#define DEFINITIONS_REVISION 1
