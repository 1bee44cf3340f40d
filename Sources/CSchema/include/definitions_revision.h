#pragma once

/// The number of the definitions. scripts/definitions-revision.sh raises it if their text changes; its SHA-256:
/// e16bb23693297bbdef72f8e6d86950e3defaa18c3bb81302eb318b8a4c1d23e7
#define DEFINITIONS_REVISION 1
