#pragma once

/// The number of the definitions. scripts/definitions-revision.sh raises it if their text changes; its SHA-256:
/// 222ccf91356a27c143f647da25b05b9424cba9474ab119de3cacedccbdbf0783
#define DEFINITIONS_REVISION 5
