#pragma once

/// The number of the definitions. scripts/definitions-revision.sh raises it if their text changes; its SHA-256:
/// 4006098d7cc78323da671f47a74de701993e121ce8d512f15d91213c5937da5d
#define DEFINITIONS_REVISION 1
