#pragma once

/// The number of the definitions. scripts/definitions-revision.sh raises it if their text changes; its SHA-256:
/// 73f3ef3b20274d6de3f05af00c44fc2beaa9cc8110dcb031c70d45a7dede5020
#define DEFINITIONS_REVISION 1
