#pragma once

/// The number of the definitions. scripts/definitions-revision.sh raises it if their text changes; its SHA-256:
/// 1a636f24e6f8f36335520fb838ec9741a17524b01f9d81738300e066dd2b7e8b
#define DEFINITIONS_REVISION 8
