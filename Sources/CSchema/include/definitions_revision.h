#pragma once

/// The number of the definitions. scripts/definitions-revision.sh raises it if their text changes; its SHA-256:
/// 41f004787d7dc76b72c0a60026fe5f1064afc9373f1e4c8d38f64cb450aae01a
#define DEFINITIONS_REVISION 1
