#pragma once

/// The number of the definitions. scripts/definitions-revision.sh raises it if their text changes; its SHA-256:
/// 33e3ef5ecb2da2acac31bf5308c06936c184368598f5cdaa31a99595eb5ba157
#define DEFINITIONS_REVISION 1
