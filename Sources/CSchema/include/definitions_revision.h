#pragma once

/// The number of the definitions. scripts/definitions-revision.sh raises it if their text changes; its SHA-256:
/// 8a5b9fcfaaa853e2905a8a41bf113b53a066b1e0e86ae520f2509ad54ff9a8a2
#define DEFINITIONS_REVISION 1
