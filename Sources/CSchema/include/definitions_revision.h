#pragma once

/// The number of the definitions. scripts/definitions-revision.sh raises it if their text changes; its SHA-256:
/// fe72e3ceff6f17dd619ccf73ab30fdc50c4db07c1c81c993a271b73b32d1962b
#define DEFINITIONS_REVISION 1
