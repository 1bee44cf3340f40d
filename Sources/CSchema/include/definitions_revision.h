#pragma once

/// The number of the definitions. scripts/definitions-revision.sh raises it if their text changes; its SHA-256:
/// 461c55678c687bde195b2c34c3f1297e8a0d23eb16950595613676103a214de8
#define DEFINITIONS_REVISION 2
