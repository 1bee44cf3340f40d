#pragma once

/// The number of the definitions. scripts/definitions-revision.sh raises it if their text changes; its SHA-256:
/// a1efad1b511e51ce590d900fc1f1c80128b1099eb2fc1f5022a1cfad292ef534
#define DEFINITIONS_REVISION 1
