#pragma once

/// The number of the definitions. scripts/definitions-revision.sh raises it if their text changes; its SHA-256:
/// 663c07eb3a89edac06ef84c5ff31460f9bab4fb71f25437df8b90809351ecdee
#define DEFINITIONS_REVISION 1
