#pragma once

/// The number of the definitions. scripts/definitions-revision.sh raises it if their text changes; its SHA-256:
/// 1e30caf4dd5a0c7dd928cf015850fa80608e0da06e08dceba13f51e1e3b9f4fc
#define DEFINITIONS_REVISION 1
