#pragma once

/// The number of the definitions. scripts/definitions-revision.sh raises it if their text changes; its SHA-256:
/// bcd48e5c672ca9932b92338352aecba0bba15c7a39ce21603e4483413eabde62
#define DEFINITIONS_REVISION 1
