#pragma once

/// The number of the definitions. scripts/definitions-revision.sh raises it if their text changes; its SHA-256:
/// 6b810e0d8aa9618493496bc2650957c92718a596454be1fea126520fa0c816ac
#define DEFINITIONS_REVISION 1
