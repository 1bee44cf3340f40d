#pragma once

/// The number of the definitions. scripts/definitions-revision.sh raises it if their text changes; its SHA-256:
/// 15012ab11430868325000b59ea9170931a1aee61471b822ace50f35815c1ca1d
#define DEFINITIONS_REVISION 1
