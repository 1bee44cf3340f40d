#pragma once

/// The number of the definitions. scripts/definitions-revision.sh raises it if their text changes; its SHA-256:
/// eaa7e9abe0e89414b210a16af7c0ecc634856b05a6f78cc91c659d583c9035d1
#define DEFINITIONS_REVISION 1
