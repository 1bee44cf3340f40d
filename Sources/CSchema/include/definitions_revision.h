#pragma once

/// The number of the definitions. scripts/definitions-revision.sh raises it if their text changes; its SHA-256:
/// b948271f0233be137fe2a9ba5a86f077b312a478c9b97b30970b861a8a1e380f
#define DEFINITIONS_REVISION 12
