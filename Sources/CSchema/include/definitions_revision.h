#pragma once

/// The number of the definitions. scripts/definitions-revision.sh raises it if their text changes; its SHA-256:
/// 126495c231727b276f326b1486272e41f98008cae179c1a7a6d3bf90ce1176de
#define DEFINITIONS_REVISION 1
