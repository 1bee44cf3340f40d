#pragma once

/// The number of the definitions. scripts/definitions-revision.sh raises it if their text changes; its SHA-256:
/// 7599574bdba0cd310bad19075ff603ef0e828ce5729ae57200e0b7a9b06dbf0d
#define DEFINITIONS_REVISION 2
