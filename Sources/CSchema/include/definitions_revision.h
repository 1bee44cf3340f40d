#pragma once

/// The number of the definitions. scripts/definitions-revision.sh raises it if their text changes; its SHA-256:
/// b83d745ee5ece3415c28a562405cd087217d45157b0042bd22762211b6a7e936
#define DEFINITIONS_REVISION 1
