#pragma once

/// The number of the definitions. scripts/definitions-revision.sh raises it if their text changes; its SHA-256:
/// 4278499ed97ff507a50c9c4a0f9391c2cd0d867ae8ef38798d9baa44435cdcbd
#define DEFINITIONS_REVISION 2
