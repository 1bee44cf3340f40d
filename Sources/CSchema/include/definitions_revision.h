#pragma once

/// The number of the definitions. scripts/definitions-revision.sh raises it if their text changes; its SHA-256:
/// f8584a390cbd52aac51e1f68f0f50d561551318974e9250243279f07c23a2796
#define DEFINITIONS_REVISION 1
