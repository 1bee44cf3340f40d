#pragma once

/// The number of the definitions. scripts/definitions-revision.sh raises it if their text changes; its SHA-256:
/// 4e9da73325049cf7783340c2b077db5bc6547289c8e510665aa161fc944e0561
#define DEFINITIONS_REVISION 3
