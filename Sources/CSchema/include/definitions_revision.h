#pragma once

/// The number of the definitions. scripts/definitions-revision.sh raises it if their text changes; its SHA-256:
/// 9adc9098a1ccdafb8ddb0610f575313b1a14997380b2ec120c45f0de8874438a
#define DEFINITIONS_REVISION 1
