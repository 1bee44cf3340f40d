#pragma once

/// The number of the definitions. scripts/definitions-revision.sh raises it if their text changes; its SHA-256:
/// ea3296f76c7620719f466d4867b8428293a5148f115965921a41a94c5eb91afb
#define DEFINITIONS_REVISION 5
