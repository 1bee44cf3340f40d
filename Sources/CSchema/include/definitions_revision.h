#pragma once

/// The number of the definitions. scripts/definitions-revision.sh raises it if their text changes; its SHA-256:
/// 3ac96ca38fcde508250ca815d1dca06c574dcfb9875494387c5ff20b1ca93d32
#define DEFINITIONS_REVISION 1
