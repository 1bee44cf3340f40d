#pragma once

/// The number of the definitions. scripts/definitions-revision.sh raises it if their text changes; its SHA-256:
/// 28ea587946da72be0129fafba2e16f303767d4ea0f71a1b327b3a06fb1ec7666
#define DEFINITIONS_REVISION 1
