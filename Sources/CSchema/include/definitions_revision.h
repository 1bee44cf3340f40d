#pragma once

/// The number of the definitions. scripts/definitions-revision.sh raises it if their text changes; its SHA-256:
/// 616acbecdf8e2bf81f9cf32fd6058227f71134290bc53a8c79233e5318cabd75
#define DEFINITIONS_REVISION 1
