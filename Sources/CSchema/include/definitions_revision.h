#pragma once

/// The number of the definitions. scripts/definitions-revision.sh raises it if their text changes; its SHA-256:
/// 30e4c05c09e17edaddb9e7bb8768a9ffbe5c3641b65be56a3a9b0049b42b4975
#define DEFINITIONS_REVISION 1
