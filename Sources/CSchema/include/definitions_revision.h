#pragma once

/// The number of the definitions. scripts/definitions-revision.sh raises it if their text changes; its SHA-256:
/// 1402b834fc471ca9e5bff719ba353278881be98915398f437651567116a3f6de
#define DEFINITIONS_REVISION 1
