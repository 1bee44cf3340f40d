#pragma once

/// The number of the definitions. scripts/definitions-revision.sh raises it if their text changes; its SHA-256:
/// 9fa3384f9f0a3681312df5451ab5c0bcc44ca35150c52ab3c4890e26d4b3a588
#define DEFINITIONS_REVISION 6
