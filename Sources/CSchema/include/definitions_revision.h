#pragma once

/// The number of the definitions. scripts/definitions-revision.sh raises it if their text changes; its SHA-256:
/// 31677394e54b7b2d0e82eb0caae41996c1747b43fe6e68f631d65a3044986342
#define DEFINITIONS_REVISION 1
