#pragma once

/// The number of the definitions. scripts/definitions-revision.sh raises it if their text changes; its SHA-256:
/// 32e28ed8acadc9672371fa1c905404f9e0515b0e4f7423de0d29b5eecf0492e9
#define DEFINITIONS_REVISION 3
