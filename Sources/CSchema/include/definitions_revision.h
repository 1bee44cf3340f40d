#pragma once

/// The number of the definitions. scripts/definitions-revision.sh raises it if their text changes; its SHA-256:
/// 9955e8366150fc4eb501b84d452870a92f6cc5b1c55b8900a150d2dd68c801e0
#define DEFINITIONS_REVISION 4
