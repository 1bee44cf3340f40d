#pragma once

/// The number of the definitions. scripts/definitions-revision.sh raises it if their text changes; its SHA-256:
/// 34cd9027bed3fd68072c01780b0ca9475f0290f4c99e25a30f517768d55ad263
#define DEFINITIONS_REVISION 11
