#pragma once

/// The number of the definitions. scripts/definitions-revision.sh raises it if their text changes; its SHA-256:
/// 751d79efece6761ab56b2a1720a6efd4760bfa0b3f168a4c439f8fba5187534c
#define DEFINITIONS_REVISION 1
