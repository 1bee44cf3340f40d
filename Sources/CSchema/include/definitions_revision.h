#pragma once

/// The number of the definitions. scripts/definitions-revision.sh raises it if their text changes; its SHA-256:
/// 1cc381352bb3696191ccbe20fe45b445cf2da393ce7151471f45fbcd2f100aa1
#define DEFINITIONS_REVISION 1
