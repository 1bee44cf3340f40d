#pragma once

/// The number of the definitions. scripts/definitions-revision.sh raises it if their text changes; its SHA-256:
/// d84da4071f32e9c25e5cf01dfd448cb1eeb7a3d8a19b26c235c617990e2c6416
#define DEFINITIONS_REVISION 1
