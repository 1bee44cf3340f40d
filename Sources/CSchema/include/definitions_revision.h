#pragma once

/// The number of the definitions. scripts/definitions-revision.sh raises it if their text changes; its SHA-256:
/// 18df3183dd3232daa3eab8d1b7db18b2afee22fddfcca53b3da9a0478b98a4c5
#define DEFINITIONS_REVISION 1
