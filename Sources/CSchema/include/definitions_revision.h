#pragma once

/// The number of the definitions. scripts/definitions-revision.sh raises it if their text changes; its SHA-256:
/// 215a3d0e208af9ecfa4dd1d67c4dd36bf68482787c050fad6170d9407e8b60f6
#define DEFINITIONS_REVISION 1
