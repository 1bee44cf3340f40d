#pragma once

/// The number of the definitions. scripts/definitions-revision.sh raises it if their text changes; its SHA-256:
/// 047df58b6aece17f174f1a880dd7222f24a259323a52587085675d06e5e9bdf3
#define DEFINITIONS_REVISION 1
