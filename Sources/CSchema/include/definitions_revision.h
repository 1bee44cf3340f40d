#pragma once

/// The number of the definitions. scripts/definitions-revision.sh raises it if their text changes; its SHA-256:
/// b298f13b9e12b87cf3c5f2aa4641859a3c814603d97832748e5aed6bb28fdaeb
#define DEFINITIONS_REVISION 2
