#pragma once

/// The number of the definitions. scripts/definitions-revision.sh raises it if their text changes; its SHA-256:
/// 40f71634a6bfc4454338d8c3eb4343e11de9fb644b2bacf92187e5e2e27cc38c
#define DEFINITIONS_REVISION 1
