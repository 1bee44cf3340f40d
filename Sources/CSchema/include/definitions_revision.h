#pragma once

/// The number of the definitions. scripts/definitions-revision.sh raises it if their text changes; its SHA-256:
/// 2200142da2c6037aa3bf2f5d1cf955d0e422d344379b818cd1f459fa826b4674
#define DEFINITIONS_REVISION 2
