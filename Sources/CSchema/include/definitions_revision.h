#pragma once

/// The number of the definitions. scripts/definitions-revision.sh raises it if their text changes; its SHA-256:
/// ecf50d32510203d56ab5450384ba0acc03b87a47fa3079c1c18bcca65301ac71
#define DEFINITIONS_REVISION 1
