#pragma once

/// The number of the definitions. scripts/definitions-revision.sh raises it if their text changes; its SHA-256:
/// 14339d05f9b8e731817a8274fc1f9178a1ab037ba90b99b11a8c2350504e7238
#define DEFINITIONS_REVISION 1
