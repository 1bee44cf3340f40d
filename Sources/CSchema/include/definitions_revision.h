#pragma once

/// The number of the definitions. scripts/definitions-revision.sh raises it if their text changes; its SHA-256:
/// 774c10c3b6cd2edd8f82bc432ea3eb8425165dc07f62995a69343d33d0e32aa4
#define DEFINITIONS_REVISION 2
