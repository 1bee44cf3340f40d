#pragma once

/// The number of the definitions. scripts/definitions-revision.sh raises it if their text changes; its SHA-256:
/// 9b4bfc5269e5578d2b8c8c35e52cc784d3f385a85d480ac0215a1e4b7878de1a
#define DEFINITIONS_REVISION 1
