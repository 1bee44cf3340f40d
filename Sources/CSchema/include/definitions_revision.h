#pragma once

/// The number of the definitions. scripts/definitions-revision.sh raises it if their text changes; its SHA-256:
/// f1cca1c3e35fcbfdce6c73cf29d839c540fd24c1dd578f0ac98e2ae3e8ec51c3
#define DEFINITIONS_REVISION 1
