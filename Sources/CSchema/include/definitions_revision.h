#pragma once

/// The number of the definitions. scripts/definitions-revision.sh raises it if their text changes; its SHA-256:
/// 8f6bc433a3de923f0783e2b639b8c1c35d828f330dad60a837c5fdf63aee414c
#define DEFINITIONS_REVISION 1
