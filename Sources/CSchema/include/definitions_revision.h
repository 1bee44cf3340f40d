#pragma once

/// The number of the definitions. scripts/definitions-revision.sh raises it if their text changes; its SHA-256:
/// 5398cd18bfa36ad9235628a2bd56f21b59e23300d5e7fcaeaaaed5841474747d
#define DEFINITIONS_REVISION 4
