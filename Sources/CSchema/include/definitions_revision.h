#pragma once

/// The number of the definitions. scripts/definitions-revision.sh raises it if their text changes; its SHA-256:
/// cd25a043083de06bb67b5f60a941ff915fb499bb2fed5c9dfd20995e7de22da9
#define DEFINITIONS_REVISION 9
