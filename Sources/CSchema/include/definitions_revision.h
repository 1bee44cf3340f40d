#pragma once

/// The number of the definitions. scripts/definitions-revision.sh raises it if their text changes; its SHA-256:
/// 942755559d540d24daa3f34435fed12256400cd0d4f7ca271a12772831fb00e3
#define DEFINITIONS_REVISION 1
