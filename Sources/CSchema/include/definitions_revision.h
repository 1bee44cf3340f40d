#pragma once

/// The number of the definitions. scripts/definitions-revision.sh raises it if their text changes; its SHA-256:
/// 7062c1cb1213dccddc2d5f48e36818e133a86eee8230f1e37c3bad06a2b9482b
#define DEFINITIONS_REVISION 1
