#pragma once

/// The number of the definitions. scripts/definitions-revision.sh raises it if their text changes; its SHA-256:
/// 23398d416e84780cdb056448f5804ad0f64cd62a6881a35180b4ab59b23c2667
#define DEFINITIONS_REVISION 1
