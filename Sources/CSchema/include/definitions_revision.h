#pragma once

/// The number of the definitions. scripts/definitions-revision.sh raises it if their text changes; its SHA-256:
/// e000747ea27cea4657c833fda05af3e15d020d30adcff0bc0f849b74353fb78d
#define DEFINITIONS_REVISION 1
