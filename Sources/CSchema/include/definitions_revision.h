#pragma once

/// The number of the definitions. scripts/definitions-revision.sh raises it if their text changes; its SHA-256:
/// 57af2ee71a56ae3440008dab0959c6227d43c715b7233bee6d64b4e5682e9a4b
#define DEFINITIONS_REVISION 2
