#pragma once

/// The number of the definitions. scripts/definitions-revision.sh raises it if their text changes; its SHA-256:
/// 797c507cb3031e45acf89fbfbfd887e1242857707772975f1a91fa1329ff1dc8
#define DEFINITIONS_REVISION 1
