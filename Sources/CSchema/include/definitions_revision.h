#pragma once

/// The number of the definitions. scripts/definitions-revision.sh raises it if their text changes; its SHA-256:
/// e553e0669cf7a8ca00a72350fbdd188c8f09c7803019d8cda03ccf73ea0c609a
#define DEFINITIONS_REVISION 8
