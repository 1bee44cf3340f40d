#pragma once

/// The number of the definitions. scripts/definitions-revision.sh raises it if their text changes; its SHA-256:
/// 68a844a24814b36e73ec83f2a117b39d69736720414db2189f2bba6f390f224e
#define DEFINITIONS_REVISION 1
