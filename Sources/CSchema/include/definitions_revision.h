#pragma once

/// The number of the definitions. scripts/definitions-revision.sh raises it if their text changes; its SHA-256:
/// 4ff9d4e275cc3542ab556963b2743ec3777df3ea1d7b0721362c5a64394b045f
#define DEFINITIONS_REVISION 1
