#pragma once

/// The number of the definitions. scripts/definitions-revision.sh raises it if their text changes; its SHA-256:
/// 96df00dd5ec69352e1b00f9f5bcb0fa0030caad73d10e525473326a90bd3e75f
#define DEFINITIONS_REVISION 1
