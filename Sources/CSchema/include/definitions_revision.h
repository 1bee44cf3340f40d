#pragma once

/// The number of the definitions. scripts/definitions-revision.sh raises it if their text changes; its SHA-256:
/// 2ba96ede1bd9c5cf69df2cda4fe6f7b0f10827ac98c804d4458d4160bce788d2
#define DEFINITIONS_REVISION 1
