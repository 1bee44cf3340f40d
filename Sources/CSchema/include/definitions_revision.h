#pragma once

/// The number of the definitions. scripts/definitions-revision.sh raises it if their text changes; its SHA-256:
/// 15445b81a6e837f7de02a88e07e6bc7d710bfc49b8bc44cfaa6947184b59d5a6
#define DEFINITIONS_REVISION 4
