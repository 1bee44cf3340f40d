#pragma once

/// The number of the definitions. scripts/definitions-revision.sh raises it if their text changes; its SHA-256:
/// 832ab59a93d480b7b933dcd678f05d24d26d97c9da23f27b7a32b081f0a8f770
#define DEFINITIONS_REVISION 1
