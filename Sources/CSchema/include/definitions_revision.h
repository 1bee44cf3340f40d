#pragma once

/// The number of the definitions. scripts/definitions-revision.sh raises it if their text changes; its SHA-256:
/// eac9001ad932f0bd7ad362c00e8589d94ab9baf3ac7d522835d7d19541df4dda
#define DEFINITIONS_REVISION 1
