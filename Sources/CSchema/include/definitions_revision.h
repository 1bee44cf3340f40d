#pragma once

/// The number of the definitions. scripts/definitions-revision.sh raises it if their text changes; its SHA-256:
/// f5565ebeb54b88d4b9b6f75d14b0af24e2d5f806e7bb7e3d9beade3d43a5e620
#define DEFINITIONS_REVISION 1
