#pragma once

/// The number of the definitions. scripts/definitions-revision.sh raises it if their text changes; its SHA-256:
/// 654d1b03fa155513e2758c5bc275851dfcbfb83e19744156fe2a5f486c1e0722
#define DEFINITIONS_REVISION 1
