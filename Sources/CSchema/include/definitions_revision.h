#pragma once

/// The number of the definitions. scripts/definitions-revision.sh raises it if their text changes; its SHA-256:
/// f4a66cdb80e610aa0b58da2b1085e8dc6144901a85eac411557302b193a61d64
#define DEFINITIONS_REVISION 1
