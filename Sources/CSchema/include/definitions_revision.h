#pragma once

/// The number of the definitions. scripts/definitions-revision.sh raises it if their text changes; its SHA-256:
/// bf239694a270783437644e3648d14646a71ab9ffa34762a1d9d3c1116ef4346b
#define DEFINITIONS_REVISION 1
