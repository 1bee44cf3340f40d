#pragma once

/// The number of the definitions. scripts/definitions-revision.sh raises it if their text changes; its SHA-256:
/// 7e8717b2a79d0b9e22f4d19c88e331979cd80f24d055d82521ebdf6ed241dc6f
#define DEFINITIONS_REVISION 1
