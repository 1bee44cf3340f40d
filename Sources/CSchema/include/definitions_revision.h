#pragma once

/// The number of the definitions. scripts/definitions-revision.sh raises it if their text changes; its SHA-256:
/// 671e290a4861f488391083d46552897af50dd56dc6369b51b0e781fb7d436196
#define DEFINITIONS_REVISION 1
