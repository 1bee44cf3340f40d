#pragma once

/// The number of the definitions. scripts/definitions-revision.sh raises it if their text changes; its SHA-256:
/// 2d99ee2785857b8dd6b78f607b1243d5cb3a2cdf86ef261603d731b6883f3575
#define DEFINITIONS_REVISION 1
