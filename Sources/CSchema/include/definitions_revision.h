#pragma once

/// The number of the definitions. scripts/definitions-revision.sh raises it if their text changes; its SHA-256:
/// 8ba7263f69bfd8f2faee1e54e12f45cfb8fef69028243e7b8d842f4e23da32af
#define DEFINITIONS_REVISION 7
